/** Records as JSON text: what JSON lacks (bytes, URLs) stands under a tag. */
import { append } from '@treblehook/core';
import { HookError, ownFields, textOf, type SessionRecord } from '@treblehook/types';

/** The only key of an object that stands for something else. */
const tag = '~treblehook';

type Tagged =
  | { readonly [tag]: 'bytes' | 'url'; readonly value: string }
  | { readonly [tag]: 'object'; readonly value: object };

/**
 * One record as the file holds it: bytes are `{ "~treblehook": "bytes", "value": <base64> }`.
 *
 * Not by `JSON.stringify`: a `toJSON` that stands on `Object.prototype` would be shown the log, and would write it.
 */
export const encodeRecord = (record: SessionRecord): string => encode(record);

function encode(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (value instanceof Uint8Array) return tagged('bytes', Buffer.from(value).toString('base64'));
  if (value instanceof URL) return tagged('url', value.href);
  if (Array.isArray(value)) return `[${value.map((item: unknown) => encode(item)).join(',')}]`;
  const fields: string[] = [];
  for (const key of Object.keys(value)) {
    const field: unknown = Reflect.get(value, key);
    if (field !== undefined) append(fields, `${JSON.stringify(key)}:${encode(field)}`);
  }
  const text = `{${fields.join(',')}}`;
  return isTagged(value) ? `{${JSON.stringify(tag)}:"object","value":${text}}` : text;
}

const tagged = (kind: 'bytes' | 'url', value: string): string =>
  `{${JSON.stringify(tag)}:${JSON.stringify(kind)},"value":${JSON.stringify(value)}}`;

export function decodeRecord(text: string, where: string): SessionRecord {
  try {
    return decode(JSON.parse(text)) as SessionRecord;
  } catch (error) {
    throw new HookError('TH_STORE_FAILED', {
      store: where,
      what: `holds a record that cannot be read: ${textOf(error)}`,
      mend: 'restore it from a copy; the records before it are whole',
      cause: error,
    });
  }
}

function decode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(decode);
  if (isTagged(value)) return untagged(value);
  return fieldsOf(value);
}

function untagged(given: Tagged): unknown {
  const tagged = ownFields(given);
  if (tagged[tag] === 'bytes') return new Uint8Array(Buffer.from(tagged.value, 'base64'));
  if (tagged[tag] === 'url') return new URL(tagged.value);
  return fieldsOf(tagged.value as object);
}

/** They inherit nothing, so one that a record lacks is found on no prototype. */
function fieldsOf(value: object): object {
  const out = ownFields(value) as Record<string, unknown>;
  for (const key of Object.keys(out)) out[key] = decode(out[key]);
  return out;
}

const isTagged = (value: object): value is Tagged => Object.hasOwn(value, tag);
