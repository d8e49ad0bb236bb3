/** The config of a folder with its personalities and the plugins that it names: as far as it goes without a plugin's code. */
import { realpath } from 'node:fs/promises';
import { isPromised } from '@treblehook/core';
import { didYouMean, givenInline, HookError, isHookError, textOf } from '@treblehook/types';
import { maxConfigBytes, parseConfig } from '../config-file.js';
import { readHostPersonalities } from '../host-personalities.js';
import type { HostPersonality, LoadedPersonality } from '../personality.js';
import { addressesOf, withAddresses, withoutAddress } from '../trust/addresses.js';
import { configIdentity, takeConfig, type TakenItem } from '../trust/consent-item.js';
import { importSnapshot } from '../trust/import-snapshot.js';
import {
  recordOf,
  refusalOf,
  stateOf,
  type ConsentItem,
  type Identity,
  type TrustRecord,
} from '../trust/trust-record.js';
import { configPath } from './config-path.js';
import { readConfigKeys, type ReadConfig } from './config-keys.js';
import { defaultOf } from './load-plugin.js';
import { findNamed, type NamedEntry } from './named-plugins.js';

/** Where plugins and lists come from, beside the config file. */
export interface ConfigSources {
  /** Further personalities, by path or as they are; their lists count. */
  readonly personalities?: readonly (HostPersonality | LoadedPersonality | string)[];
  /** Further folders whose node_modules packages are looked for in, behind those of the folder. */
  readonly roots?: readonly string[];
  /** How long the import of one module may take, ms. Default: 10 s. */
  readonly importMs?: number;
}

export interface FolderConfig {
  /** Its real path. */
  readonly folder: string;
  readonly file?: string;
  readonly isCode: boolean;
  /** What of the config file itself needs consent: a module, and one that says where prompts are sent. */
  readonly own?: TakenItem;
  /** Model strings of the config and of its personalities that say where prompts are sent. */
  readonly addresses?: readonly string[];
  /** Why that consent is missing; then the addresses are left out. */
  readonly refusal?: HookError;
  /** Missing of a module without consent, which is not read. */
  readonly config?: ReadConfig;
  /** Those of the config, the one to start as first, then the further ones. */
  readonly personalities: readonly LoadedPersonality[];
  readonly plugins: readonly NamedEntry[];
  readonly notices: readonly HookError[];
}

export const defaultImportMs = 10_000;

/** Rejects with `TH_CONFIG_INVALID` for a file that is wrong, and with `TH_PLUGIN_INVALID` for a config module that fails. */
export async function readFolder(
  given: string,
  records: readonly TrustRecord[],
  sources: ConfigSources,
): Promise<FolderConfig> {
  const folder = await realpath(given).catch((error: Error) => {
    throw new HookError('TH_CONFIG_INVALID', { file: given, at: '', what: `it cannot be read: ${error.message}` });
  });
  const further = await loaded(sources.personalities ?? []);
  const path = await configPath(folder);
  if (path === undefined) return { folder, isCode: false, personalities: further, plugins: [], notices: [] };
  const { file, isCode } = path;
  const identity = configIdentity(folder, file);
  const taken = await takeConfig(identity, isCode);
  if (isCode) {
    // which addresses its personalities have is known once it may run
    const refusal = refusalIn(identity, withSettingsOf(taken.item, records), records);
    const parts = { folder, file, isCode, own: taken, personalities: further, plugins: [], notices: [] };
    if (refusal !== undefined) return { ...parts, refusal };
  }

  const config = isCode ? await codeOf(taken, file, sources) : dataOf(taken, file);
  const ownOnes = await ownPersonalities(config);
  const personalities = [...ownOnes, ...further];
  const named = await findNamed(config.plugins, personalities, {
    folder,
    ...(sources.roots && { roots: sources.roots }),
  });
  const parts = { folder, file, isCode, config, ...named };
  const addresses = addressesOf(config.model, ownOnes);
  if (!isCode && addresses.length === 0) return { ...parts, personalities };
  const own = withAddresses(taken, ownOnes);
  const refusal = refusalIn(identity, own.item, records);
  if (refusal === undefined) return { ...parts, own, addresses, personalities };
  // those of the caller are no choice of the folder
  return { ...parts, own, addresses, refusal, personalities: [...ownOnes.map(withoutAddress), ...further] };
}

function refusalIn(identity: Identity, item: ConsentItem, records: readonly TrustRecord[]): HookError | undefined {
  const { state, changed } = stateOf(item, records);
  return state === 'trusted' ? undefined : refusalOf(identity, state, changed);
}

function withSettingsOf(item: ConsentItem, records: readonly TrustRecord[]): ConsentItem {
  const settings = recordOf(item, records)?.settings;
  return settings === undefined ? item : { ...item, settings };
}

/** What is read is what was digested. */
function dataOf({ snapshot }: TakenItem, file: string): ReadConfig {
  const { bytes } = snapshot.files.get(file)!;
  if (bytes.length > maxConfigBytes) {
    const what = `${bytes.length} bytes are too many for a file of settings (at most ${maxConfigBytes})`;
    throw new HookError('TH_CONFIG_INVALID', { file, at: '', what });
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HookError('TH_CONFIG_INVALID', { file, at: '', what: 'it is no UTF-8 text: save it as UTF-8' });
  }
  const { value, locate } = parseConfig(text, file);
  return readConfigKeys(value, locate, file, false);
}

async function codeOf(
  { snapshot }: TakenItem,
  file: string,
  { importMs = defaultImportMs }: ConfigSources,
): Promise<ReadConfig> {
  let value: unknown;
  try {
    value = defaultOf(await importSnapshot(snapshot, importMs));
  } catch (error) {
    const what = isHookError(error) ? error.message : `its import failed: ${textOf(error)}`;
    throw new HookError('TH_CONFIG_INVALID', { file, at: '', what, cause: error });
  }
  if (isPromised(value)) {
    throw new HookError('TH_CONFIG_INVALID', {
      file,
      at: '',
      what: 'it exports a promise by default: export default await …',
    });
  }
  const inline = givenInline('');
  return readConfigKeys(value, (at, part) => ({ file, at: inline(at, part).at }), file, true);
}

const loaded = async (
  all: readonly (HostPersonality | LoadedPersonality | string)[],
): Promise<readonly LoadedPersonality[]> =>
  all.length === 0 ? [] : readHostPersonalities({ personality: all[0]!, personalities: all.slice(1) });

/** The one to start as first. */
async function ownPersonalities({ personality, personalities }: ReadConfig): Promise<readonly LoadedPersonality[]> {
  const all = await loaded(personalities);
  if (personality === undefined) return all;
  const ids = all.map((one) => one.personality.id);
  const id = personality.text();
  const first = all.find((one) => one.personality.id === id);
  if (first === undefined) {
    const mend = didYouMean(id, ids) ?? (ids.length === 0 ? 'personalities lists none' : `there is ${ids.join(', ')}`);
    return personality.refuse(`there is no personality '${id}' in personalities: ${mend}`);
  }
  return [first, ...all.filter((one) => one !== first)];
}
