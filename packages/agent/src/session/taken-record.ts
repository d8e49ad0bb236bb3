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
 * its objects, arguments and parts of messages without a prototype, its lists still lists. Bytes and URLs are passed on.
 */
export function takenRecord(stored: StoredRecord): StoredRecord | string {
  let copied = stored;
  try {
    if (!taken.has(stored)) copied = copy(stored, 0) as StoredRecord;
  } catch (error) {
    return `it cannot be read: ${textOf(error)}`;
  }
  const fault = recordFault(copied);
  if (fault !== undefined) return fault;
  taken.add(copied);
  return copied;
}

/** Anything else that a store gives, in the same way; what cannot be read is thrown. */
export const bare = <T>(given: T): T => copy(given, 0) as T;

function copy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || isOpaque(value)) return value;
  if (depth > maxDepth) throw new Error(`it has a cycle, or more than ${maxDepth} levels`);
  if (Array.isArray(value)) return adopt(listOf(value, depth));
  const fields = ownFields(value) as Record<string, unknown>;
  for (const key of Object.keys(fields)) {
    const field = fields[key];
    if (typeof field === 'object' && field !== null) fields[key] = copy(field, depth + 1);
  }
  return adopt(fields);
}

/** A hole would be read from a prototype. */
function listOf(value: readonly unknown[], depth: number): unknown[] {
  if (Object.keys(value).length < value.length) throw new Error('it has a list with holes');
  // both define the items; to push one would call a setter that stands on `Object.prototype` under its index
  return [...value].map((item) => copy(item, depth + 1));
}
