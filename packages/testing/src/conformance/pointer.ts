/** Reading a value by a JSON Pointer (RFC 6901), with `*` for every element of a list and `-1` for its last one. */

/** `undefined`: nothing stands there. With `*` it is a list of what stands there in each element that has it. */
export function valueAt(value: unknown, pointer: string): unknown {
  if (pointer === '') return value;
  if (!pointer.startsWith('/')) throw new TypeError(`the pointer '${pointer}' does not begin with '/'`);
  return walk(value, pointer.slice(1).split('/').map(unescaped));
}

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

function walk(value: unknown, [token, ...rest]: readonly string[]): unknown {
  if (token === undefined) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) {
    return Object.hasOwn(value, token) ? walk((value as Record<string, unknown>)[token], rest) : undefined;
  }
  if (token === '*') return value.map((element) => walk(element, rest)).filter((found) => found !== undefined);
  return /^-?\d+$/.test(token) ? walk(value.at(Number(token)), rest) : undefined;
}
