/** The package in a tarball, unpacked into a folder of its own. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../usage-error.js';

const run = promisify(execFile);
/** A plugin is small. */
const mostFiles = 5000;
const options = { maxBuffer: 4 * 1024 * 1024, timeout: 60_000, env: { ...process.env, TAR_OPTIONS: '', LC_ALL: 'C' } };

/**
 * Unpacks `file` below `into`, and gives the folder of the package. Rejects with `UsageError` for what is no tarball, for a
 * path that would leave the folder, and for anything in it that is neither a file nor a folder.
 */
export async function unpack(file: string, into: string): Promise<string> {
  const tar = async (args: readonly string[]): Promise<string> => {
    try {
      return (await run('tar', args, options)).stdout;
    } catch (error) {
      const { code, stderr = '' } = error as { readonly code?: unknown; readonly stderr?: string };
      const what = code === 'ENOENT' ? 'there is no program tar' : (stderr.trim().split('\n')[0] ?? 'tar has failed');
      throw new UsageError(`'${file}' cannot be unpacked: ${what}; give the folder of the package`);
    }
  };
  // what is not a plain path is not asked about by its looks alone: one line per entry, in both lists alike
  const names = linesOf(await tar(['-tzf', file]));
  const kinds = linesOf(await tar(['-tvzf', file]));
  if (names.length > mostFiles) throw new UsageError(`'${file}' has more than ${mostFiles} files: a plugin is smaller`);
  const leaving = names.find((name) => /^[/\\]|^[a-z]:/i.test(name) || name.split(/[/\\]/).includes('..'));
  if (leaving !== undefined) throw new UsageError(`'${file}' has the path '${leaving}', which leaves its folder`);
  if (kinds.some((line) => !/^[-d]/.test(line))) {
    throw new UsageError(`'${file}' has a link or a device in it: a package has files and folders alone`);
  }
  const folder = join(into, 'unpacked');
  await mkdir(folder);
  await tar(['-xzf', file, '-C', folder, '--no-same-owner', '--no-same-permissions']);
  const [top, ...others] = await readdir(folder);
  if (top === undefined || others.length > 0)
    throw new UsageError(`'${file}' is no package: it has not one folder at its top`);
  // what it may import is there, as it is where it gets installed
  const scope = join(into, 'node_modules', '@treblehook');
  await mkdir(scope, { recursive: true });
  await symlink(
    dirname(createRequire(import.meta.url).resolve('@treblehook/types/package.json')),
    join(scope, 'types'),
    'junction',
  );
  return join(folder, top);
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
