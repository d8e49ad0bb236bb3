// Owns the law that a run which began under the policy of its folder does not go on without one.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commandIn } from './command.js';

let dir: string;
const at = (...names: readonly string[]): string => join(dir, ...names);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'project-gone-'));
  mkdirSync(at('.treblehook'));
  mkdirSync(at('other'));
  writeFileSync(at('.treblehook', 'policy.yaml'), 'rules: [{ tools: list_files, decision: ask, reason: may it? }]\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** The request of a run that waits. */
const waiting = async (): Promise<string> => {
  const { stderr } = await commandIn(dir, 'run', 'list the files', '--session=s');
  return /--yes (request_[\w-]+)/.exec(stderr)![1]!;
};
const resume = (request: string, ...more: readonly string[]) =>
  commandIn(dir, 'session', 'resume', 's', '--yes', request, ...more);

it('a file that was deleted is refused with the mend, and one that is there again is heard', async () => {
  const request = await waiting();
  rmSync(at('.treblehook', 'policy.yaml'));
  const refused = await resume(request);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain(
    `the policy of the folder of the run, '${at('.treblehook', 'policy.yaml')}', is not`,
  );
  expect((await commandIn(dir, 'session', 'show', 's')).stdout).toContain('not answered');
  writeFileSync(at('.treblehook', 'policy.yaml'), 'rules: [{ tools: list_files, decision: deny, reason: no more }]\n');
  await resume(request);
  expect((await commandIn(dir, 'audit', 's')).stdout).toContain('no more');
});

it('another name of it is told', async () => {
  const request = await waiting();
  renameSync(at('.treblehook', 'policy.yaml'), at('.treblehook', 'policy.yml'));
  const renamed = await resume(request, '--dir=.');
  expect([renamed.code, renamed.stderr]).toEqual([
    0,
    expect.stringMatching(/policy of the folder was '.*yaml', and is /),
  ]);
});

it('a folder that is named has its own, which is told', async () => {
  const request = await waiting();
  const moved = await resume(request, '--dir=other');
  expect([moved.code, moved.stderr]).toEqual([
    0,
    expect.stringMatching(/policy of the folder was '.*', and is none now/),
  ]);
});

it('a further prompt tells that it is gone', async () => {
  const request = await waiting();
  await resume(request);
  rmSync(at('.treblehook', 'policy.yaml'));
  const { code, stderr } = await commandIn(dir, 'run', 'list the files', '--session=s');
  expect([code, stderr]).toEqual([0, expect.stringMatching(/policy of the folder was '.*', and is none now/)]);
});
