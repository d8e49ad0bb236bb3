// Owns the law of the published schema: an editor takes what the reader takes, and marks what it refuses.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../src/index.js';

interface Map {
  readonly properties: Readonly<Record<string, unknown>>;
}
const schema = JSON.parse(readFileSync(new URL('../policy.schema.json', import.meta.url), 'utf8')) as Map & {
  readonly $defs: Readonly<Record<string, Map>>;
};
const validate = new Ajv2020({ strict: false }).compile(schema);
const isRead = (policy: unknown): boolean => {
  try {
    parsePolicy(policy);
    return true;
  } catch {
    return false; // that it is refused is all that counts here
  }
};
const rule = { tools: 'x', decision: 'deny', reason: 'no' };
const withRule = (more: object) => ({ rules: [{ ...rule, ...more }] });
const withTest = (test: unknown) => withRule({ when: { '/a': test } });
const withCommand = (test: unknown) => withRule({ commands: test });

const right: readonly unknown[] = [
  { rules: [] },
  { unlisted: 'ask' },
  {
    $schema: 'x',
    rules: [],
    unlisted: { host: 'ask', mcp: 'deny', 'mcp:a-b': 'silent', 'plugin:x': 'deny' },
    unknown: 'ask',
    mode: 'dry-run',
  },
  withRule({ id: 'a-1', tools: ['a', 'b*'], personalities: 'p', halt: true }),
  withRule({ decision: 'ask' }),
  withTest({ equals: null }),
  withTest({ in: [1, 'a', {}] }),
  withTest({ glob: '*' }),
  withTest({ range: { min: 1 } }),
  withTest({ within: '.' }),
  withTest({ path: ['**/*.env'] }),
  withTest({ host: ['example.org', '10.0.0.0/8', 'private', '*.example.org', '::1'] }),
  withTest({ not: { some: { not: { equals: [] } } } }),
  withTest({ command: { program: 'rm' } }),
  withRule({ when: { '': { equals: 1 }, '/a~0b/~1': { equals: 1 } } }),
  withRule({
    paths: { not: { within: ['a', 'b'] } },
    hosts: { not: { host: 'private' } },
    annotations: { title: 'x', readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  }),
  withCommand({
    program: ['rm', 'mkfs*'],
    line: 'rm *',
    word: '-f',
    assigns: 'LD_*',
    writes: { not: { within: '.' } },
    reads: { path: '*' },
  }),
  withCommand({ not: { not: { program: 'ls' } } }),
];
const wrong: readonly unknown[] = [
  {},
  [],
  null,
  { rules: {} },
  { rules: [], more: 1 },
  { rules: [], mode: 'off' },
  { rules: [], unknown: 'silent' },
  { rules: [], unlisted: 'allow' },
  { rules: [], unlisted: { mpc: 'ask' } },
  { rules: [], unlisted: { mcp: 'allow' } },
  withRule({ decision: 'allow' }),
  withRule({ reason: ' ' }),
  withRule({ id: 'A' }),
  withRule({ id: 'unlisted' }),
  withRule({ tools: [] }),
  withRule({ halt: false }),
  withRule({ halt: true, decision: 'ask' }),
  withRule({ when: {} }),
  withRule({ when: { a: { equals: 1 } } }),
  withRule({ when: { '/~2': { equals: 1 } } }),
  withRule({ paths: 'src' }),
  withRule({ paths: { within: '.', path: '*' } }),
  withRule({ paths: { glob: '*' } }),
  withRule({ hosts: { within: '.' } }),
  withRule({ annotations: {} }),
  withRule({ annotations: { readOnlyHint: 1 } }),
  withRule({ annotations: { readOnlyHint: 'true' } }),
  withRule({ annotations: { readonlyHint: true } }),
  withRule({ annotations: { title: true } }),
  { rules: [], unlisted: { 'mpc:x': 'ask' } },
  withRule({ tools: 'x ' }),
  withRule({ paths: { within: ' src' } }),
  withRule({ paths: { path: 'a ' } }),
  withTest('x'),
  withTest({}),
  withTest({ equals: 1, glob: 'x' }),
  withTest({ in: [] }),
  withTest({ range: {} }),
  withTest({ range: { min: '1' } }),
  withTest({ command: {} }),
  withTest({ some: 'x' }),
  withCommand({ program: '/bin/rm' }),
  withCommand({ program: 'git push' }),
  withCommand({ programs: 'rm' }),
  withCommand({ not: {} }),
];

describe('the published schema', () => {
  it.each(right.map((policy) => [JSON.stringify(policy), policy]))('takes %s', (_, policy) => {
    expect(isRead(policy)).toBe(true);
    expect(validate(policy), JSON.stringify(validate.errors)).toBe(true);
  });
  it.each(wrong.map((policy) => [JSON.stringify(policy), policy]))('marks %s', (_, policy) => {
    expect(isRead(policy)).toBe(false);
    expect(validate(policy)).toBe(false);
  });
  it.each<[string, Map | undefined, unknown]>([
    ['a policy', schema, { 'no key': 1, rules: [] }],
    ['a rule', schema.$defs['rule'], withRule({ 'no key': 1 })],
    ['a predicate', schema.$defs['predicate'], withTest({ 'no key': 1 })],
    ['a test of paths', schema.$defs['path'], withRule({ paths: { 'no key': 1 } })],
    ['hints', schema.$defs['hints'], withRule({ annotations: { 'no key': 1 } })],
    ['a test of hosts', schema.$defs['host'], withRule({ hosts: { 'no key': 1 } })],
    ['a test of commands', schema.$defs['command'], withCommand({ 'no key': 1 })],
  ])('has the keys that the reader knows in %s', (_, map, policy) => {
    expect(() => parsePolicy(policy)).toThrow(`use one of ${Object.keys(map!.properties).join(', ')}`);
  });
});
