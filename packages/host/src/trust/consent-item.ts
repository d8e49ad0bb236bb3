/** What consent is asked for: the digests of what would run. */
import type { NamedUse } from '../discovery/config-keys.js';
import type { FoundPlugin } from '../discovery/find-package.js';
import type { PluginManifest } from '../discovery/manifest.js';
import type { NamedEntry } from '../discovery/named-plugins.js';
import { isInside, isInstalled, spelled } from '../discovery/paths.js';
import { sha256 } from './read-bytes.js';
import { takeSnapshot, type Snapshot } from './snapshot.js';
import type { ConsentItem, Identity } from './trust-record.js';

/** An item, and the bytes that its digests are of. */
export interface TakenItem {
  readonly item: ConsentItem;
  readonly snapshot: Snapshot;
}

/** The config file of a folder. `folder` is a real path. */
export function configIdentity(folder: string, file: string): Identity {
  const id = spelled(folder, file);
  return { kind: 'config', id, origin: 'local-author', folder, source: `./${id}`, place: file };
}

/** Takes it; of a module with all that it imports by a path. Rejects with `TH_CONFIG_INVALID`. */
export async function takeConfig(identity: Identity, isCode: boolean): Promise<TakenItem> {
  const { folder, place } = identity;
  const snapshot = await takeSnapshot({ root: folder, entry: place, isData: !isCode });
  return { item: Object.freeze({ ...identity, digest: snapshot.digest, files: snapshot.named }), snapshot };
}

/** A plugin that was found. */
export function pluginIdentity({ named }: NamedEntry, found: FoundPlugin, folder: string): Identity {
  const { id, kind, file, root } = found;
  const { name, version } = found.manifest ?? {};
  const isOwn = kind !== 'package' && isInside(folder, file) && !isInstalled(spelled(folder, file));
  return {
    kind: 'plugin',
    id,
    origin: isOwn ? 'local-author' : 'external',
    folder,
    source: named,
    place: kind === 'module' ? file : root,
    ...(isWhole(found) && name !== undefined && version !== undefined && { package: Object.freeze({ name, version }) }),
  };
}

/**
 * Takes it: an installed one whole, of the folder's own what the module names. `isCode`: the config is a module, and its
 * digest covers the settings. Rejects with `TH_CONFIG_INVALID`.
 */
export async function takePlugin(
  identity: Identity,
  found: FoundPlugin,
  { config, seat }: Pick<NamedUse, 'config' | 'seat'>,
  isCode: boolean,
): Promise<TakenItem> {
  // a module of the folder may share files with others of the folder
  const root = found.kind === 'module' && identity.origin === 'local-author' ? identity.folder : found.root;
  const snapshot = await takeSnapshot({ root, entry: found.file, whole: isWhole(found) });
  const item: ConsentItem = {
    ...identity,
    digest: sha256(JSON.stringify([spelled(root, found.file), snapshot.digest, declarationsOf(found.manifest)])),
    ...(!isCode && { settings: sha256(JSON.stringify([config ?? null, seat])) }),
    files: snapshot.named,
  };
  return { item: Object.freeze(item), snapshot };
}

/** Whether consent is for every file of the package that could be imported. */
const isWhole = ({ kind, root }: FoundPlugin): boolean =>
  kind === 'package' || (kind === 'folder' && isInstalled(root));

/** What a manifest declares is consented to as well, as it was read: not as its file is by now. */
const declarationsOf = (manifest: PluginManifest | undefined): readonly unknown[] =>
  manifest === undefined ? [] : [manifest.id, manifest.hooks, manifest.tools, manifest.points, manifest.config ?? null];
