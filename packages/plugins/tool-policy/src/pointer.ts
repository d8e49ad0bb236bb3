/** JSON pointers (RFC 6901) over sealed arguments. */
import type { JsonValue } from '@treblehook/types';

/** A pointer as its reference tokens; `[]` is the whole. */
export type Pointer = readonly string[];

/** Reads a pointer, or says in words why it is none. */
export function readPointer(text: string): Pointer | string {
  if (text === '') return [];
  if (!text.startsWith('/')) return `a JSON pointer starts with '/': write '/${text}'`;
  if (/~(?![01])/.test(text)) return "in a JSON pointer '~' is written '~0', and '/' in a name '~1'";
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The array index of RFC 6901, section 4: no sign, no leading zero. `-` names no element that exists. */
const index = /^(?:0|[1-9][0-9]*)$/;

/** The value at a pointer; `undefined`, which JSON does not have, when there is none. Own properties only. */
export function valueAt(whole: JsonValue, pointer: Pointer): JsonValue | undefined {
  let value: JsonValue | undefined = whole;
  for (const token of pointer) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (!Object.hasOwn(value, token) || (Array.isArray(value) && !index.test(token))) return undefined;
    value = (value as Readonly<Record<string, JsonValue>>)[token];
  }
  return value;
}
