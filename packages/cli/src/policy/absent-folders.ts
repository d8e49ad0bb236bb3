/** Folders of a policy that are perhaps misspelt: nothing stands there, and something else does that is called nearly so. */
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { LoadedLayer } from '@treblehook/host';
import { HookError, nearestName, type SettingPath } from '@treblehook/types';

/**
 * A `TH_MATCHES_NOTHING`, with its place, for each folder of `within` of which that is so. One that is not there and is near
 * nothing may come to be, and is no fault.
 */
export function absentFolders({ policy, locate }: LoadedLayer, dir: string): readonly HookError[] {
  return policy.rules.flatMap((rule, at) =>
    foldersOf(rule, ['rules', at]).flatMap(({ path, folder }) => {
      const near = nearFolder(folder.startsWith('~/') ? join(homedir(), folder.slice(2)) : resolve(dir, folder));
      if (near === undefined) return [];
      const mend = join(dirname(folder), near);
      const what = `policy rule ${rule.id ?? `#${at + 1}`}: there is nothing at '${folder}': did you mean '${mend}'?`;
      return [new HookError('TH_MATCHES_NOTHING', { ...locate(path, 'value'), what })];
    }),
  );
}

/** The entry of its parent that is called nearly so; `undefined` when it is there, or nothing is near. */
function nearFolder(folder: string): string | undefined {
  if (existsSync(folder)) return undefined;
  try {
    const entries = readdirSync(dirname(folder), { withFileTypes: true });
    return nearestName(
      basename(folder),
      entries.filter((entry) => !entry.isFile()).map(({ name }) => name),
    );
  } catch {
    return undefined; // its parent is not there, or may not be read: nothing is near
  }
}

interface Named {
  readonly path: SettingPath;
  readonly folder: string;
}

/** Every text under a key `within`, wherever it stands in the rule; values that arguments are compared with are none. */
function foldersOf(value: unknown, path: SettingPath): readonly Named[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]: [string, unknown]): readonly Named[] => {
    if (key === 'equals' || key === 'in') return [];
    if (key !== 'within') return foldersOf(one, [...path, key]);
    return [one as string | readonly string[]].flat().map((folder, at) => ({ path: [...path, key, at], folder }));
  });
}
