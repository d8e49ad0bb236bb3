/** Where the records of a log enter: what a store gives may be anything and inherit anything, what is gone on with inherits nothing. */
import { adopt } from '@treblehook/core';
import { ownFields, textOf, type StoredRecord } from '@treblehook/types';
import { isOpaque, recordFault } from './record-fault.js';

/** Nesting beyond this is refused. The kernel lets data of 1,000 levels in, and a record holds them some levels deep. */
const maxDepth = 2_000;

/** Records that were copied here, so they are frozen to the last part and inherit nothing: they are not copied again. */
const taken = new WeakSet<object>();

/**
 * The record as it is gone on with, or what is wrong with it. It is a copy, and the copy is what was looked at: frozen,
 * its objects, arguments and parts of messages without a prototype, its lists still lists. Bytes and URLs are passed on
 * where they may stand, in the data of a file and in what a provider wants back; elsewhere such a value, which could say
 * another thing each time it is read, is a fault.
 */
export function takenRecord(stored: StoredRecord): StoredRecord | string {
  let copied = stored;
  try {
    if (!taken.has(stored)) copied = copy(stored, 0, 'stored') as StoredRecord;
  } catch (error) {
    return `it cannot be read: ${textOf(error)}`;
  }
  const fault = recordFault(copied);
  if (fault !== undefined) return fault;
  taken.add(copied);
  return copied;
}

/** Anything else that a store gives, in the same way; what cannot be read is thrown. */
export const bare = <T>(given: T): T => copy(given, 0, 'plain') as T;

/** `open`: anything may stand there and below. */
type Place = 'stored' | 'record' | 'working' | 'message' | 'content' | 'part' | 'data' | 'open' | 'plain';

const itemsOf: { readonly [P in Place]?: Place } = { working: 'message', content: 'part', open: 'open' };

function fieldOf(place: Place, key: string, type: unknown): Place {
  switch (place) {
    case 'stored':
      return key === 'record' ? 'record' : 'plain';
    case 'record':
      return key === 'message' || key === 'working' ? key : 'plain';
    case 'message':
      return key === 'content' ? 'content' : 'plain';
    case 'part':
      if (key === 'provider') return 'open';
      return key === 'data' && type === 'file' ? 'data' : 'plain';
    default:
      return place === 'open' ? 'open' : 'plain';
  }
}

function copy(value: unknown, depth: number, place: Place): unknown {
  if (typeof value !== 'object' || value === null) return place === 'open' ? value : plain(value);
  if (isOpaque(value)) {
    if (place === 'open' || place === 'data') return value;
    throw new Error('it has bytes or a URL where only plain data can stand');
  }
  if (depth > maxDepth) throw new Error(`it has a cycle, or more than ${maxDepth} levels`);
  if (Array.isArray(value)) return adopt(listOf(value, depth, itemsOf[place] ?? 'plain'));
  const fields = ownFields(value) as Record<string, unknown>;
  const { type } = fields;
  for (const key of Object.keys(fields)) {
    const field = fields[key];
    const copied = copy(field, depth + 1, fieldOf(place, key, type));
    if (copied !== field) fields[key] = copied;
  }
  return adopt(fields);
}

/** A function can be given fields as an object can, and is none of those that are copied. */
function plain(value: unknown): unknown {
  if (typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint') return value;
  throw new Error(`it has a ${typeof value} where only plain data can stand`);
}

/** A hole would be read from a prototype. */
function listOf(value: readonly unknown[], depth: number, place: Place): unknown[] {
  if (Object.keys(value).length < value.length) throw new Error('it has a list with holes');
  // both define the items; to push one would call a setter that stands on `Object.prototype` under its index
  return [...value].map((item) => copy(item, depth + 1, place));
}
