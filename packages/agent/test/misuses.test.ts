// What a run rejects with stands in one list, and on every page that names it.
import { readFileSync } from 'node:fs';
import { errorTable } from '@treblehook/types';
import { expect, it } from 'vitest';
import { misuses } from '../src/run/run.js';

/** From the repository. */
const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

it.each([
  ['the contract of a session', 'packages/agent/src/contract.ts', 'One conversation.', 'readonly resumeStream'],
  ['the page of who embeds the loop', 'docs/how-to/embed-the-loop.md', '## Errors by code', 'All codes'],
])('%s names each code that a run rejects with', (_, path, from, to) => {
  const text = read(path);
  const begin = text.indexOf(from);
  const named = new Set(text.slice(begin, text.indexOf(to, begin)).match(/TH_[A-Z_]+/g));
  expect([...misuses].filter((code) => !named.has(code))).toEqual([]);
});

it('each of the codes is one of the table', () => {
  expect([...misuses].filter((code) => !Object.hasOwn(errorTable, code))).toEqual([]);
});
