/** The config file of a folder as options of a host, and a report of the plugins that it names. */
import type { HookError } from '@treblehook/types';
import type { HostOptions } from '../host-options.js';
import type { PluginUse } from '../plugins/plugin-use.js';
import { isAddressed } from '../trust/addresses.js';
import { pluginIdentity, takePlugin } from '../trust/consent-item.js';
import { readTrustFile } from '../trust/trust-file.js';
import { recordOf, refusalOf, stateOf, type TrustRecord } from '../trust/trust-record.js';
import { checkManifestConfig } from './manifest-config.js';
import { loadPlugin, standIn } from './load-plugin.js';
import { faultOf, type NamedEntry } from './named-plugins.js';
import { defaultImportMs, readFolder, type ConfigSources, type FolderConfig } from './read-config.js';

export interface ReadHostConfigOptions extends ConfigSources {
  /** Path of the trust file. Without one nothing has consent. */
  readonly trust?: string;
}

/** Where a plugin stands: `unlisted` is listed by no personality, `broken` is at fault, the others are listed. */
export type NamedPluginState = 'trusted' | 'untrusted' | 'stale' | 'unlisted' | 'broken';

/** One plugin that a config names. */
export interface NamedPlugin {
  /** As the config names it; of an inline one the id. */
  readonly named: string;
  /** Missing where nothing was found or its manifest could not be read. */
  readonly id?: string;
  readonly kind?: 'package' | 'folder' | 'module' | 'inline';
  /** The folder of its package, or that of its module; a real path. */
  readonly root?: string;
  /** The module; a real path. */
  readonly file?: string;
  /** Of its package. */
  readonly version?: string;
  /** Ids of the personalities whose list has it. */
  readonly listedBy: readonly string[];
  readonly state: NamedPluginState;
  /** An inline one came with the config module. */
  readonly isImported: boolean;
  /** Why it is not imported, or failed: `TH_UNTRUSTED`, `TH_STALE`, `TH_CONFIG_INVALID`, `TH_PLUGIN_…`. An unlisted one has none. */
  readonly fault?: HookError;
}

export interface HostConfigReport {
  /** The folder, its real path. */
  readonly folder: string;
  /** The config file. */
  readonly file?: string;
  /** In the order of the config. */
  readonly plugins: readonly NamedPlugin[];
  /** `TH_PLUGIN_TWICE`; `TH_UNTRUSTED` and `TH_STALE` of a model's address. */
  readonly notices: readonly HookError[];
}

/** What `createHost` takes of a config. A plugin that was not loaded stands there, and fails with the reason. */
export type HostConfigOptions = Pick<
  HostOptions,
  'plugins' | 'personality' | 'personalities' | 'model' | 'projectPolicy' | 'strict'
>;
export interface HostConfig {
  readonly options: Partial<HostConfigOptions>;
  readonly report: HostConfigReport;
}

/**
 * Reads `treblehook.config.{yaml,yml,json,ts,mts,js,mjs}` of a folder. Without consent YAML and JSON are read and nothing is
 * imported; a plugin is imported when a personality lists it and its consent is for the bytes that are there. Without a
 * file the options are empty. Rejects with `TH_CONFIG_INVALID`; for a config that is a module also with `TH_UNTRUSTED` and
 * `TH_STALE`, unread. What is wrong with one plugin is in the report and stops no other.
 */
export async function readHostConfig(folder: string, options: ReadHostConfigOptions = {}): Promise<HostConfig> {
  const { trust, importMs = defaultImportMs } = options;
  const records = trust === undefined ? [] : await readTrustFile(trust);
  const read = await readFolder(folder, records, options);
  if (read.isCode && read.config === undefined && read.refusal !== undefined) throw read.refusal;
  const outcomes: Outcome[] = [];
  for (const one of read.plugins) outcomes.push(await outcomeOf(one, read, records, importMs));
  const notices = [...read.notices, ...(read.refusal === undefined ? [] : [read.refusal])];
  return Object.freeze({
    options: Object.freeze(optionsOf(read, outcomes)),
    report: Object.freeze({
      folder: read.folder,
      ...(read.file !== undefined && { file: read.file }),
      plugins: Object.freeze(outcomes.map(({ told }) => told)),
      notices: Object.freeze(notices),
    }),
  });
}

interface Outcome {
  readonly told: NamedPlugin;
  /** Of an unlisted one there is none. */
  readonly use?: PluginUse;
}

async function outcomeOf(
  one: NamedEntry,
  { folder, isCode }: FolderConfig,
  records: readonly TrustRecord[],
  importMs: number,
): Promise<Outcome> {
  const { id, inline, entry, found } = one;
  const seat = 'inline' in entry ? entry.inline.seat === true : entry.seat;
  const refused = (state: NamedPluginState, fault: HookError, isImported = false): Outcome => ({
    told: toldOf(one, { state, fault, isImported }),
    // nobody lists one without an id, and one that nobody lists is not missed
    ...(id !== undefined && one.listedBy.length > 0 && { use: standIn(id, seat, fault) }),
  });
  if (one.fault !== undefined) return refused('broken', one.fault, inline !== undefined);
  if (one.listedBy.length === 0) return { told: toldOf(one, { state: 'unlisted', isImported: inline !== undefined }) };
  if (inline !== undefined) return { told: toldOf(one, { state: 'trusted', isImported: true }), use: inline };
  if (found === undefined || 'inline' in entry) return { told: toldOf(one, { state: 'broken', isImported: false }) };
  let isImported = false;
  try {
    const identity = pluginIdentity(one, found, folder);
    // without a consent that could be stale nothing of it is read
    if (recordOf(identity, records) === undefined) return refused('untrusted', refusalOf(identity, 'untrusted'));
    const { item, snapshot } = await takePlugin(identity, found, entry, isCode);
    const { state, changed } = stateOf(item, records);
    if (state !== 'trusted') return refused(state, refusalOf(identity, state, changed));
    if (found.manifest !== undefined) await checkManifestConfig(found.manifest, entry);
    isImported = true;
    return { use: await loadPlugin(found, entry, snapshot, importMs), told: toldOf(one, { state, isImported }) };
  } catch (error) {
    return refused('broken', faultOf(error, one.named), isImported);
  }
}

function toldOf(one: NamedEntry, more: Pick<NamedPlugin, 'state' | 'isImported' | 'fault'>): NamedPlugin {
  const { named, id, found, inline, listedBy } = one;
  const kind = inline === undefined ? found?.kind : 'inline';
  const version = found?.manifest?.version;
  return Object.freeze({
    named,
    ...(id !== undefined && { id }),
    ...(kind && { kind }),
    ...(found && { root: found.root, file: found.file }),
    ...(version !== undefined && { version }),
    listedBy: Object.freeze(listedBy),
    ...more,
  });
}

function optionsOf(
  { config, personalities, refusal }: FolderConfig,
  outcomes: readonly Outcome[],
): Partial<HostConfigOptions> {
  const [personality, ...others] = personalities;
  const plugins = outcomes.flatMap(({ use }) => use ?? []);
  const { model, policy, strict } = config ?? {};
  return {
    ...(plugins.length > 0 && { plugins }),
    ...(personality && { personality }),
    ...(others.length > 0 && { personalities: others }),
    // an address is where prompts and keys go: not without consent
    ...(model !== undefined && (refusal === undefined || !isAddressed(model)) && { model }),
    ...(policy !== undefined && { projectPolicy: policy }),
    ...(strict !== undefined && { strict }),
  };
}
