// Owns the law of the note of a resumption: whoever follows a run that was left open is told that it goes on, and only then.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commandIn } from './command.js';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'treblehook-goes-on-'));
  await writeFile(join(dir, 'a.txt'), 'the text of a\n');
  await writeFile(join(dir, 'policy.yaml'), 'rules:\n- { tools: read_file, decision: ask, reason: may it? }\n');
});
afterEach(() => rm(dir, { recursive: true }));

/** A session `s` that waits. */
async function waiting(): Promise<{ readonly request: string; readonly runId: string; readonly stderr: string }> {
  const { stderr } = await commandIn(
    dir,
    'run',
    'Use read_file on "a.txt".',
    '--session',
    's',
    '--policy',
    'policy.yaml',
  );
  const shown = JSON.parse((await commandIn(dir, 'session', 'show', 's', '--json')).stdout) as {
    readonly open: readonly { readonly id: string }[];
    readonly runs: readonly { readonly runId: string }[];
  };
  return { request: shown.open[0]!.id, runId: shown.runs[0]!.runId, stderr };
}

it.each([[[]], [['--trace']]])('stands in front of what the run does then, with %j', async (flags) => {
  const { request, runId, stderr } = await waiting();
  expect(stderr).not.toContain('resumed');
  const resumed = await commandIn(dir, 'session', 'resume', 's', '--yes', request, ...flags);
  expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('the text of a')]);
  expect(resumed.stderr.split('\n')[0]).toBe(`· resumed: the run ${runId} goes on from its log`);
  expect(resumed.stderr.match(/resumed/g)).toHaveLength(1);
});

it('is not said of a resumption that was refused, nor beside a document', async () => {
  const { request } = await waiting();
  const document = await commandIn(dir, 'session', 'resume', 's', '--yes', request, '--json');
  expect([document.code, document.stderr]).toEqual([0, '']);
  const again = await commandIn(dir, 'session', 'resume', 's');
  expect([again.code, again.stderr]).toEqual([2, expect.not.stringContaining('goes on')]);
});
