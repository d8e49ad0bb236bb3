/** The config file of a folder: at most one, and what kind it is. */
import { lstat, readdir, realpath } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { HookError } from '@treblehook/types';

/** Endings of `treblehook.config`, data first. */
const dataEndings: readonly string[] = ['.yaml', '.yml', '.json'];
const codeEndings: readonly string[] = ['.ts', '.mts', '.js', '.mjs'];

export interface ConfigPath {
  readonly file: string;
  /** A module: it is imported, and so it needs consent. */
  readonly isCode: boolean;
}

/** `folder` is a real path. Rejects with `TH_CONFIG_INVALID` where there are several, and for one that leaves the folder. */
export async function configPath(folder: string): Promise<ConfigPath | undefined> {
  const there = new Set(
    await readdir(folder).catch((error: Error) => {
      throw new HookError('TH_CONFIG_INVALID', { file: folder, at: '', what: `it cannot be read: ${error.message}` });
    }),
  );
  const names = [...dataEndings, ...codeEndings]
    .map((ending) => `treblehook.config${ending}`)
    .filter((name) => there.has(name));
  const [name, other] = names;
  if (name === undefined) return undefined;
  const file = join(folder, name);
  if (other !== undefined) {
    throw new HookError('TH_CONFIG_INVALID', {
      file,
      at: '',
      what: `${other} is there, too, and one is read: keep one`,
    });
  }
  if ((await lstat(file)).isSymbolicLink() && (await realpath(file).catch(() => file)) !== file) {
    throw new HookError('TH_CONFIG_INVALID', { file, at: '', what: 'it is a link: put the file itself there' });
  }
  return { file, isCode: codeEndings.includes(extname(file)) };
}
