// The types of policies: what the reader takes can be written down, and what it refuses cannot.
import { parsePolicy, type Policy, type Rule } from '../src/index.js';

const rule: Rule = { tools: 'x', decision: 'deny', reason: 'no' };
export const right: readonly Policy[] = [
  { rules: [rule] },
  { unlisted: 'ask' },
  { rules: [], unlisted: { mcp: 'deny' } },
];

export const hinted: Rule = { ...rule, annotations: { readOnlyHint: true, title: 'x' } };
export const sources: Policy = { unlisted: { host: 'ask', 'mcp:files': 'deny', 'plugin:acme': 'silent' } };

// @ts-expect-error -- no tool can declare such a hint
export const hint: Rule = { ...rule, annotations: { readonlyHint: true } };
// @ts-expect-error -- a hint is true or false
export const said: Rule = { ...rule, annotations: { readOnlyHint: 'true' } };
// @ts-expect-error -- there is no such source of tools
export const source: Policy = { unlisted: { mpc: 'ask' } };

// @ts-expect-error -- it says nothing of any tool
export const empty: Policy = {};
// @ts-expect-error -- a word on what cannot be told is none on tools
export const unknown: Policy = { unknown: 'ask' };

/** What was read has rules, if only none. */
export const count: number = parsePolicy({ unlisted: 'ask' }).rules.length;
