/** What makes an input schema one that is not taken, before it is compiled. */

const maxDepth = 64;
const maxNodes = 20_000;

/**
 * `undefined` of a schema of objects that stands for itself: a reference may lead to another place of it, nowhere else, and
 * no part of it has an address of its own.
 */
export function schemaFault(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return 'is missing, or no object';
  const type = Object.hasOwn(schema, 'type') ? (schema as { readonly type: unknown }).type : undefined;
  if (type !== 'object') return "is not of type 'object', as the arguments of a tool are";
  const walk = { nodes: 0 };
  return faultIn(schema, 0, walk);
}

function faultIn(value: unknown, depth: number, walk: { nodes: number }): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > maxDepth) return `is nested deeper than ${maxDepth}`;
  for (const key of Object.keys(value)) {
    if (++walk.nodes > maxNodes) return `has more than ${maxNodes} parts`;
    if (key === '__proto__') return "has a key '__proto__'";
    const part = (value as Record<string, unknown>)[key];
    if (typeof part === 'string') {
      if (/^\$(dynamic|recursive)?ref$/i.test(key) && !part.startsWith('#')) {
        return `refers to ${JSON.stringify(part.slice(0, 100))}: nothing is fetched for a schema`;
      }
      if (key === '$id' && depth > 0) {
        return `has an address of its own inside (${JSON.stringify(part.slice(0, 100))})`;
      }
      if (!isWellFormed(key) || !isWellFormed(part)) return 'has a text with half a character';
    } else {
      const fault = faultIn(part, depth + 1, walk);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);
