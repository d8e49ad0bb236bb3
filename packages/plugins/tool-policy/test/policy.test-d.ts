// The types of policies: what the reader takes can be written down, and what it refuses cannot.
import { parsePolicy, type Policy, type Rule } from '../src/index.js';

const rule: Rule = { tools: 'x', decision: 'deny', reason: 'no' };
export const right: readonly Policy[] = [
  { rules: [rule] },
  { unlisted: 'ask' },
  { rules: [], unlisted: { mcp: 'deny' } },
];

// @ts-expect-error -- it says nothing of any tool
export const empty: Policy = {};
// @ts-expect-error -- a word on what cannot be told is none on tools
export const unknown: Policy = { unknown: 'ask' };

/** What was read has rules, if only none. */
export const count: number = parsePolicy({ unlisted: 'ask' }).rules.length;
