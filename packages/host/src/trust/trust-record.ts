/** Consent as it is written down, and whether what is there now is what was consented to. */
import { HookError, Setting, type Locate } from '@treblehook/types';

/** One thing that would run: the config module of a folder, or a plugin that it names. */
export interface ConsentItem {
  readonly kind: 'config' | 'plugin';
  /** Of a plugin its id; of a config the name of its file. */
  readonly id: string;
  /** `local-author`: files of the folder itself; `external`: everything else. */
  readonly origin: 'local-author' | 'external';
  /** The folder whose config names it, its real path: consent for one folder is none for another. */
  readonly folder: string;
  /** As the config names it. */
  readonly source: string;
  /** Where it stands, a real path. A package may be installed elsewhere again: it is told by name, version and digest. */
  readonly place: string;
  /** Of an installed package. */
  readonly package?: { readonly name: string; readonly version: string };
  /** SHA-256 over all that could be imported. */
  readonly digest: string;
  /**
   * SHA-256 of what the config gives it (`config`, `seat`), where the config is YAML or JSON; of a config, of the addresses
   * of models in the files of its personalities, where there are any.
   */
  readonly settings?: string;
  /** SHA-256 of the module and of each file that it names, by the path from its folder. */
  readonly files: Readonly<Record<string, string>>;
}
/** What an item is, whatever its bytes. */
export type Identity = Omit<ConsentItem, 'digest' | 'settings' | 'files'>;
/** A consent that was given. */
export interface TrustRecord extends ConsentItem {
  /** Who gave it, as the caller calls them. */
  readonly by: string;
  /** When, ISO 8601. */
  readonly at: string;
}

/** What somebody has said of an item. */
export type TrustState = 'trusted' | 'stale' | 'untrusted';

const sameThing = (a: Identity, b: Identity): boolean =>
  a.kind === b.kind && a.id === b.id && a.folder === b.folder && boundTo(a) === boundTo(b);
const boundTo = ({ package: installed, place }: Identity): string =>
  installed === undefined ? `path ${place}` : `package ${installed.name}`;

/** The record of the same thing in the same place, whatever its bytes. */
export const recordOf = (item: Identity, records: readonly TrustRecord[]): TrustRecord | undefined =>
  records.find((record) => sameThing(record, item));

/** The records without those of the same things, and these behind them. */
export function withRecords(records: readonly TrustRecord[], given: readonly TrustRecord[]): readonly TrustRecord[] {
  return [...records.filter((record) => recordOf(record, given) === undefined), ...given];
}

/** `changed` says of a stale one what is other now. */
export function stateOf(
  item: ConsentItem,
  records: readonly TrustRecord[],
): { readonly state: TrustState; readonly changed?: string } {
  const record = recordOf(item, records);
  if (record === undefined) return { state: 'untrusted' };
  const changed = changeOf(record, item);
  return changed === undefined ? { state: 'trusted' } : { state: 'stale', changed };
}

function changeOf(record: ConsentItem, item: ConsentItem): string | undefined {
  const [was, is] = [record.package?.version, item.package?.version];
  if (was !== is) return `version ${was} is ${is} now`;
  for (const file of Object.keys({ ...record.files, ...item.files })) {
    const before = Object.hasOwn(record.files, file) ? record.files[file] : undefined;
    const now = Object.hasOwn(item.files, file) ? item.files[file] : undefined;
    if (before === now) continue;
    return before === undefined ? `${file} is new` : now === undefined ? `${file} is gone` : `${file} changed`;
  }
  if (record.digest !== item.digest) return 'another file of the package changed';
  if (record.settings === item.settings) return undefined;
  return item.kind === 'config' ? 'the address of a model changed' : 'its settings changed';
}

/** The refusal of what is not trusted. */
export function refusalOf({ kind, id, folder, place }: Identity, state: TrustState, changed = 'it changed'): HookError {
  const what = kind === 'config' ? place : `the plugin '${id}' (${place})`;
  const mend = `'treblehook trust' in ${folder} shows what would run, and grants consent`;
  return state === 'stale'
    ? new HookError('TH_STALE', { what, changed, mend })
    : new HookError('TH_UNTRUSTED', { what, mend });
}

const keys = [
  'kind',
  'id',
  'origin',
  'folder',
  'source',
  'place',
  'package',
  'digest',
  'settings',
  'files',
  'by',
  'at',
] as const;

/** The content of a trust file. Throws `TH_CONFIG_INVALID`. */
export function parseRecords(value: unknown, locate: Locate): readonly TrustRecord[] {
  const { version, records } = new Setting(value, locate).fields(['version', 'records']);
  if (version?.value !== 1)
    new Setting(value, locate).refuse('a trust file says "version": 1: take the one of this version, or move it away');
  return (records?.items() ?? []).map(parseRecord);
}

function parseRecord(whole: Setting): TrustRecord {
  const fields = whole.fields(keys);
  const text = (key: (typeof keys)[number]): string =>
    fields[key]?.text() ??
    whole.lacks(key, "revoke this consent by deleting the record, and grant it by 'treblehook trust'");
  const oneOf = <T extends string>(key: (typeof keys)[number], known: readonly T[]): T => {
    const one = text(key);
    return known.includes(one as T) ? (one as T) : fields[key]!.refuse(`${key} is ${known.join(' or ')}, not '${one}'`);
  };
  const files: Record<string, string> = Object.create(null);
  for (const [file, digest] of fields.files?.entries() ?? []) files[file] = digest.text();
  const installed = fields.package?.fields(['name', 'version']);
  return Object.freeze({
    kind: oneOf('kind', ['config', 'plugin']),
    id: text('id'),
    origin: oneOf('origin', ['local-author', 'external']),
    folder: text('folder'),
    source: text('source'),
    place: text('place'),
    ...(installed && {
      package: {
        name: installed.name?.text() ?? fields.package!.lacks('name', 'delete the record'),
        version: installed.version?.text() ?? fields.package!.lacks('version', 'delete the record'),
      },
    }),
    digest: text('digest'),
    ...(fields.settings && { settings: fields.settings.text() }),
    files: Object.freeze(files),
    by: text('by'),
    at: text('at'),
  });
}
