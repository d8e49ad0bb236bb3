/** `treblehook plugin new`: writes the package of a plugin, with its tests. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { exitCodes, jsonText, oneLine, shellWord, type Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import { version } from '../version.js';
import { readName } from './name.js';
import { pluginFiles } from './template.js';

export interface NewFlags {
  readonly name: string;
  readonly dir?: string | undefined;
  readonly json?: boolean | undefined;
}

/** What `--json` prints. */
interface NewDocument {
  readonly name: string;
  readonly id: string;
  /** The folder, absolute. */
  readonly dir: string;
  /** Paths in it. */
  readonly files: readonly string[];
}

export async function newPlugin({ name: given, dir: at, json }: NewFlags, io: Io): Promise<number> {
  const plugin = readName(given);
  const shown = at ?? basename(plugin.name);
  const dir = resolve(io.cwd, shown);
  await assertFree(dir, shown);
  const files = pluginFiles(plugin, { treblehook: await version() });
  for (const [path, text] of Object.entries(files)) {
    const file = join(dir, path);
    try {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { flag: 'wx' });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(`'${join(shown, path)}' cannot be written (${code}): give another folder, --dir <folder>`);
    }
  }
  if (json) {
    const document: NewDocument = { ...plugin, dir, files: Object.keys(files) };
    io.stdout.write(`${jsonText(document, 2)}\n`);
    return exitCodes.done;
  }
  for (const path of Object.keys(files)) io.stdout.write(`${oneLine(join(shown, path))}\n`);
  io.stdout.write(`
the plugin '${plugin.id}' is in ${oneLine(shown)}. Go on with:

  cd ${shellWord(shown)}
  npm install
  npm test
`);
  return exitCodes.done;
}

/** A folder that is there has to be empty. */
async function assertFree(dir: string, shown: string): Promise<void> {
  try {
    const [first] = await readdir(dir);
    if (first === undefined) return;
    throw new UsageError(
      `'${shown}' is not empty: give another name, or --dir <folder> for a folder that is new or empty`,
    );
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (code === 'ENOTDIR')
      throw new UsageError(`'${shown}' is a file, or lies below one: give another --dir <folder>`);
    throw new UsageError(`'${shown}' cannot be read (${code}): give another --dir <folder>`);
  }
}
