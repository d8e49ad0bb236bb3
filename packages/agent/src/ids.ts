/** The port of ids: the agent's own one, and what is asked of that of a host. */
import { randomBytes } from 'node:crypto';
import type { Ids } from './contract.js';
import { assertId, invalid } from './read-option.js';

/** Ids of one kind that are remembered: a port that counts from the beginning again is found out soon, and nothing grows. */
const remembered = 10_000;

/** By the host's port: agents that share one share what it has given. */
const read = new WeakMap<Ids, Ids>();

/** 96 random bits for the agent, and a count: cheap, and never given twice, in another process neither. */
function randomIds(): Ids {
  const agent = randomBytes(12).toString('base64url');
  let count = 0;
  return (kind) => `${kind}_${agent}${(count++).toString(36)}`;
}

/**
 * Throws `TH_OPTION_INVALID` for what is no function. What it gives throws that for an id that a store could not keep, or that
 * was given before, as far as this process remembers: before anything is written under it.
 */
export function readIds(given: Ids | undefined): Ids {
  if (given === undefined) return randomIds();
  if (typeof given !== 'function') throw invalid('ids must be a function');
  let ids = read.get(given);
  if (ids === undefined) read.set(given, (ids = checked(given)));
  return ids;
}

function checked(given: Ids): Ids {
  const known = new Map<string, Set<string>>();
  return (kind) => {
    const id: unknown = given(kind);
    assertId(`what the port ids gives for a ${kind}`, id);
    let before = known.get(kind);
    if (before === undefined) known.set(kind, (before = new Set()));
    if (before.has(id as string)) {
      throw invalid(`the port ids gave '${String(id)}' for a ${kind} before: it must give each id once`);
    }
    before.add(id as string);
    if (before.size > remembered) before.delete(before.values().next().value!);
    return id as string;
  };
}
