// Owns the law of the how-to on policies: what its pages promise of a policy is what it does, in a run and by its cases.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandIn } from './command.js';

const page = readFileSync(new URL('../../../docs/how-to/write-a-policy.md', import.meta.url), 'utf8');
/** By the name in its first line. */
const blocks = new Map(
  [...page.matchAll(/```yaml\n# (\S+)\n([^]*?)```/g)].map(([, name = '', text = '']) => [name, text] as const),
);
const policies = [...blocks.keys()].filter((name) => name !== 'cases.yaml');

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'recipes-'));
  for (const [name, text] of blocks) writeFileSync(join(dir, name), text);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('has these policies', () => {
  expect(policies).toEqual(['policy.yaml', 'one-host.yaml', 'no-sweeps.yaml', 'changes.yaml']);
});

it.each(policies)('%s is taken as it is, by a run too', async (name) => {
  const checked = await commandIn(dir, 'policy', 'check', name, '--strict');
  expect([checked.code, checked.stderr]).toEqual([0, '']);
  const run = await commandIn(dir, 'run', 'hello', `--policy=${name}`, '--tools=all', '--strict', '--no-store');
  expect([run.code, run.stderr]).toEqual([0, '']);
});

it('its own cases pass', async () => {
  expect(await commandIn(dir, 'policy', 'test', 'cases.yaml')).toMatchObject({
    code: 0,
    stdout: '3 passed, 0 failed\n',
  });
});

it.each(['one-host', 'no-sweeps', 'changes'])('%s does what it says', async (name) => {
  const cases = fileURLToPath(new URL(`recipes/${name}.cases.yaml`, import.meta.url));
  const { code, stdout } = await commandIn(dir, 'policy', 'test', cases, `--policy=${name}.yaml`, `--dir=${dir}`);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+ passed, 0 failed\n$/)]);
});
