/** Records as JSON text: what JSON lacks (bytes, URLs) stands under a tag. */
import { HookError, textOf, type SessionRecord } from '@treblehook/types';

/** The only key of an object that stands for something else. */
const tag = '~treblehook';

type Tagged =
  | { readonly [tag]: 'bytes' | 'url'; readonly value: string }
  | { readonly [tag]: 'object'; readonly value: object };

export function encodeRecord(record: SessionRecord): string {
  return JSON.stringify(record, function (this: object, key: string, given: unknown) {
    // `given` is what `toJSON` made of it: a URL is a text by then
    const value: unknown = Reflect.get(this, key);
    if (value instanceof Uint8Array) return { [tag]: 'bytes', value: Buffer.from(value).toString('base64') };
    if (value instanceof URL) return { [tag]: 'url', value: value.href };
    if (typeof given === 'object' && given !== null && isTagged(given) && !isOwn(this, key)) {
      return { [tag]: 'object', value: given };
    }
    return given;
  });
}

/** What stands under a tag is ours; its `value` is not wrapped again. */
const isOwn = (holder: object, key: string): boolean => key === 'value' && isTagged(holder);

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
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    Object.defineProperty(out, key, {
      value: decode((value as Record<string, unknown>)[key]),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return out;
}

function untagged(tagged: Tagged): unknown {
  if (tagged[tag] === 'bytes') return new Uint8Array(Buffer.from(tagged.value, 'base64'));
  if (tagged[tag] === 'url') return new URL(tagged.value);
  const inner = tagged.value as Record<string, unknown>;
  return Object.fromEntries(Object.keys(inner).map((key) => [key, decode(inner[key])]));
}

const isTagged = (value: object): value is Tagged => Object.hasOwn(value, tag);
