/** The plugins that a config names, found and checked by their manifests; nothing is imported. */
import { HookError, isHookError, isPluginId, textOf } from '@treblehook/types';
import type { LoadedPersonality } from '../personality.js';
import type { PluginUse } from '../plugins/plugin-use.js';
import type { PluginEntry } from './config-keys.js';
import { findPlugin, sameOrTaken, type FoundPlugin } from './find-package.js';
import { checkManifestHooks } from './manifest.js';

/** An entry of `plugins`, as far as it is known without its code. */
export interface NamedEntry {
  /** As the config names it. */
  readonly named: string;
  readonly entry: PluginEntry;
  /** Missing where nothing could be found or read. */
  readonly id?: string;
  readonly found?: FoundPlugin;
  /** A plugin that is written in the config itself. */
  readonly inline?: PluginUse;
  /** Why it cannot be used. */
  readonly fault?: HookError;
  /** Ids of the personalities whose list has it. */
  readonly listedBy: readonly string[];
}

/**
 * Finds them. What is wrong with one of them is its `fault`; a plugin that is named twice is there once, with a notice
 * (`TH_PLUGIN_TWICE`), or both are at fault (`TH_PLUGIN_TAKEN`).
 */
export async function findNamed(
  entries: readonly PluginEntry[],
  personalities: readonly LoadedPersonality[],
  where: { readonly folder: string; readonly roots?: readonly string[] },
): Promise<{ readonly plugins: readonly NamedEntry[]; readonly notices: readonly HookError[] }> {
  const notices: HookError[] = [];
  const all: NamedEntry[] = [];
  for (const entry of entries) {
    const one = await findOne(entry, where);
    notices.push(...(one.found?.notices ?? []));
    const earlier = one.id === undefined ? -1 : all.findIndex(({ id }) => id === one.id);
    if (earlier < 0) {
      all.push(one);
      continue;
    }
    try {
      notices.push(sameOrTaken(editionOf(all[earlier]!), editionOf(one)));
    } catch (error) {
      // which of the two is meant nobody can tell
      const fault = faultOf(error, one.named);
      all[earlier] = { ...all[earlier]!, fault: all[earlier]!.fault ?? fault };
    }
  }
  const points = all.flatMap(({ found, inline }) => found?.manifest?.points ?? Object.keys(inline?.plugin.hooks ?? {}));
  // a module alone says nothing of its points before it is imported: then the registry refuses the names
  const isWhole = all.every(({ found }) => found?.kind !== 'module');
  const plugins = all.map((one) => {
    const listedBy = personalities.filter(
      ({ personality }) => one.id !== undefined && personality.plugins?.includes(one.id),
    );
    return { ...one, ...hookFault(one, points, isWhole), listedBy: listedBy.map(({ personality }) => personality.id) };
  });
  return { plugins, notices };
}

function hookFault(
  { named, fault, found }: NamedEntry,
  points: readonly string[],
  isWhole: boolean,
): { fault?: HookError } {
  if (fault !== undefined) return { fault };
  if (found?.manifest === undefined || !isWhole) return {};
  try {
    checkManifestHooks(found.manifest, points);
    return {};
  } catch (error) {
    return { fault: faultOf(error, named) };
  }
}

async function findOne(
  entry: PluginEntry,
  where: { readonly folder: string; readonly roots?: readonly string[] },
): Promise<NamedEntry> {
  if ('inline' in entry) {
    const { id } = entry.inline.plugin;
    return { named: id, id, entry, inline: entry.inline, listedBy: [] };
  }
  const named = entry.named.value as string;
  try {
    const found = await findPlugin(entry.named, { ...where, ...(entry.id && { id: entry.id }) });
    return { named, entry, id: found.id, found, listedBy: [] };
  } catch (error) {
    const fault = faultOf(error, named);
    const id = fault.details['plugin'] ?? entry.id?.value;
    return { named, entry, fault, ...(isPluginId(id) && { id }), listedBy: [] };
  }
}

/** A refusal as it is; anything else, with its reason. */
export const faultOf = (error: unknown, plugin: string): HookError =>
  isHookError(error)
    ? error
    : new HookError('TH_PLUGIN_INVALID', { plugin, what: textOf((error as Error).message), cause: error });

function editionOf({ id, found }: NamedEntry): { id: string; root: string; version?: string } {
  const version = found?.manifest?.version;
  const root = found === undefined ? 'the config itself' : found.kind === 'module' ? found.file : found.root;
  return { id: id!, root, ...(version !== undefined && { version }) };
}
