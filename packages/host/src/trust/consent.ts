/** Consent: what would run in a folder, and the giving and taking back of leave to run it. */
import type { HookError } from '@treblehook/types';
import { faultOf } from '../discovery/named-plugins.js';
import { readFolder, type ConfigSources } from '../discovery/read-config.js';
import { pluginIdentity, takePlugin } from './consent-item.js';
import { changeTrustFile, readTrustFile } from './trust-file.js';
import { stateOf, withRecords, type ConsentItem, type TrustRecord, type TrustState } from './trust-record.js';

/** One thing that would run, and what was said of it before. */
export interface AskedItem {
  readonly item: ConsentItem;
  readonly state: TrustState;
  /** Of a stale one: what is other now. */
  readonly changed?: string;
  /** Of a config: its models with an address, those of its personalities among them. Prompts and keys go there. */
  readonly addresses?: readonly string[];
}

/** What consent would be for. */
export interface Consent {
  /** The folder, its real path. */
  readonly folder: string;
  /** The config file first, where it needs consent, then the plugins that a personality lists. */
  readonly items: readonly AskedItem[];
  /** Plugins that are named and cannot be consented to, each with its reason. */
  readonly faults: readonly HookError[];
  /** Ids of plugins that no personality lists: they are not imported, and so not asked about. */
  readonly unlisted: readonly string[];
  /**
   * `false` when the config is a module without consent: which plugins it names is known once it may be imported. Grant
   * consent to what is asked, then ask again.
   */
  readonly isWhole: boolean;
}

/**
 * Computes what would be consented to in a folder. Imports nothing but a config module that has consent. `trust` is the
 * path of the trust file. Rejects with `TH_CONFIG_INVALID`.
 */
export async function consentFor(
  folder: string,
  { trust, ...sources }: ConfigSources & { readonly trust: string },
): Promise<Consent> {
  const records = await readTrustFile(trust);
  const read = await readFolder(folder, records, sources);
  const faults: HookError[] = [];
  const unlisted: string[] = [];
  const items: AskedItem[] = [];
  const ask = (item: ConsentItem, more: Pick<AskedItem, 'addresses'> = {}): void =>
    void items.push(Object.freeze({ item, ...stateOf(item, records), ...more }));
  const { own, addresses = [] } = read;
  if (own !== undefined) ask(own.item, addresses.length === 0 ? {} : { addresses });
  for (const one of read.plugins) {
    if (one.fault !== undefined) faults.push(one.fault);
    else if (one.listedBy.length === 0) unlisted.push(one.id!);
    else if (one.found !== undefined && !('inline' in one.entry)) {
      try {
        const identity = pluginIdentity(one, one.found, read.folder);
        ask((await takePlugin(identity, one.found, one.entry, read.isCode)).item);
      } catch (error) {
        faults.push(faultOf(error, one.named));
      }
    }
  }
  const isWhole = !(read.isCode && read.config === undefined);
  return Object.freeze({ folder: read.folder, items, faults, unlisted, isWhole });
}

/**
 * Writes consent down, in place of an earlier one to the same things: to the bytes that were shown, not to those that are
 * there by now. `by` is who gives it. Gives the records that the file has then. Rejects with `TH_CONFIG_INVALID`.
 */
export function grant(
  trust: string,
  items: readonly ConsentItem[],
  { by, now = Date.now }: { readonly by: string; readonly now?: () => number },
): Promise<readonly TrustRecord[]> {
  const at = new Date(now()).toISOString();
  const given = items.map((item) => Object.freeze({ ...item, by, at }));
  return changeTrustFile(trust, (records) => withRecords(records, given));
}

/**
 * Takes consent back: every record that `which` is true of. Gives those that were taken. Rejects with
 * `TH_CONFIG_INVALID`.
 */
export async function revoke(trust: string, which: (record: TrustRecord) => boolean): Promise<readonly TrustRecord[]> {
  let taken: readonly TrustRecord[] = [];
  await changeTrustFile(trust, (records) => {
    taken = records.filter(which);
    return records.filter((record) => !taken.includes(record));
  });
  return taken;
}
