/** What goes to a model and comes from it as plain JSON: bytes, URLs and dates spelled out, ids that differ from run to run numbered. */
import { inspect } from 'node:util';
import { isPlainObject, type JsonValue, type ModelCallOptions } from '@treblehook/types';

/** What is no part of a request as it is compared: how it is sent, and a signal. */
const apart: ReadonlySet<string> = new Set(['abortSignal', 'headers', 'includeRawChunks']);

/** Numbers the ids of tool calls in the order in which it meets them. One for each transcript. */
export class CallIds {
  readonly #seen = new Map<string, string>();

  of(id: string): string {
    const known = this.#seen.get(id);
    if (known !== undefined) return known;
    const name = `call-${this.#seen.size + 1}`;
    this.#seen.set(id, name);
    return name;
  }
}

/** A request in the order of its keys, without its signal and its headers, which may hold a secret. */
export function plainRequest(call: ModelCallOptions, ids: CallIds): JsonValue {
  const own = Object.fromEntries(Object.entries(call).filter(([key]) => !apart.has(key)));
  return plain(own, (key, value) => (key === 'toolCallId' && typeof value === 'string' ? ids.of(value) : undefined));
}

/** Any value as JSON; `instead` may give another one for a key. What JSON has no word for is a text that says what it was. */
export function plain(value: unknown, instead?: (key: string, value: unknown) => JsonValue | undefined): JsonValue {
  const walk = (one: unknown): JsonValue => {
    if (one === null || typeof one === 'string' || typeof one === 'boolean') return one;
    if (typeof one === 'number') return Number.isFinite(one) ? one : String(one);
    if (one instanceof Uint8Array) return { $bytes: Buffer.from(one).toString('base64') };
    if (one instanceof URL) return { $url: one.href };
    if (one instanceof Date) return { $date: one.toISOString() };
    if (one instanceof Error) return { $error: `${one.name}: ${one.message}` };
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== 'object') return inspect(one);
    const kept = Object.entries(one).filter(([, inner]) => inner !== undefined);
    if (!isPlainObject(one) && kept.length === 0) return String(Object.prototype.toString.call(one));
    return Object.fromEntries(
      kept.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, instead?.(key, inner) ?? walk(inner)]),
    );
  };
  return walk(value);
}

/** There and back: bytes, URLs and dates are themselves again. */
export function revived(value: JsonValue): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(revived);
  const entries = Object.entries(value as Readonly<Record<string, JsonValue>>);
  const [first] = entries;
  if (entries.length === 1 && first !== undefined && typeof first[1] === 'string') {
    if (first[0] === '$bytes') return new Uint8Array(Buffer.from(first[1], 'base64'));
    if (first[0] === '$url') return new URL(first[1]);
    if (first[0] === '$date') return new Date(first[1]);
    if (first[0] === '$error') return new Error(first[1]);
  }
  return Object.fromEntries(entries.map(([key, inner]) => [key, revived(inner)]));
}
