/** Canonical JSON (RFC 8785) and digests of it. */
import { hash } from 'node:crypto';
import type { JsonValue } from '@treblehook/types';

/**
 * The one text of a JSON value: keys sorted by UTF-16 code units, numbers and strings as ECMAScript writes them, no
 * white space. https://www.rfc-editor.org/rfc/rfc8785. A key whose value is `undefined` is left out. The value must be
 * plain JSON, as `plainJson` gives it: nothing is checked here.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) text += (at === 0 ? '' : ',') + canonicalJson(value[at] as JsonValue);
    return `[${text}]`;
  }
  const fields = value as { readonly [key: string]: JsonValue | undefined };
  const keys = Object.keys(fields);
  for (const key of keys.length > 1 ? keys.sort() : keys) {
    const field = fields[key];
    if (field === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(field)}`;
  }
  return `{${text}}`;
}

/** SHA-256 (hex) of the canonical JSON of a value. */
export const digestOf = (value: JsonValue): string => hash('sha256', canonicalJson(value));
