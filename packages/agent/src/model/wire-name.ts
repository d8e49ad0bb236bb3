/** Names of tools on the wire. */
import { hash } from 'node:crypto';

/** What providers take as the name of a function: https://platform.openai.com/docs/api-reference/chat/create. */
const legal = /^[a-zA-Z0-9_-]{1,64}$/;
const digits = 8;

/**
 * The name of a tool on the wire: its own where a provider takes it, else a legal one that ends in a digest of its own,
 * so two names never meet. It depends on the name alone: the history needs no table to be read again.
 */
export function wireNameOf(name: string): string {
  if (legal.test(name)) return name;
  const clean = name.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 64 - digits - 1);
  return `${clean}_${hash('sha256', name).slice(0, digits)}`;
}
