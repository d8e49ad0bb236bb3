// Owns the law of runs that another program began: they go on here by a policy that somebody has named, or not at all.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@treblehook/agent/sqlite';
import { scriptedModel } from '@treblehook/agent/testing';
import { createHost } from '@treblehook/host';
import { writeFileTool } from '@treblehook/tools';
import { expect, it } from 'vitest';
import { commandIn } from './command.js';

it('is refused without a policy, with what to do, and shown without a command that would drop it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'program-'));
  const store = sqliteStore({ path: join(dir, 's.db') });
  const host = await createHost({
    model: scriptedModel([
      { calls: [{ name: 'write_file', args: { path: 'a.txt', content: 'x' } }] },
      { text: 'done' },
    ]),
    tools: [writeFileTool(dir)],
    cwd: dir,
    store,
    policy: { rules: [{ tools: 'write_file', decision: 'ask', reason: 'may it?' }] },
  });
  const { pending } = await host.agent.session('s').run('go');
  await host.close();
  await store.close();
  const { id } = pending![0]!;
  const resume = ['session', 'resume', 's', `--yes=${id}`, '--store=s.db', '--tools=write_file'];
  const refused = await commandIn(dir, ...resume);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/a program began it, so answer it there; to go on here give --policy <file>/);
  expect((await commandIn(dir, 'session', 'show', 's', '--store=s.db')).stdout).toMatch(
    /open requests: a program began the run, so answer it there/,
  );
  rmSync(dir, { recursive: true, force: true });
});

it('of an agent that the command line does not have, no command is told that could not go on with it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'program-'));
  const store = sqliteStore({ path: join(dir, 's.db') });
  const calls = [{ name: 'write_file', args: { path: 'a.txt', content: 'x' } }];
  const host = await createHost({
    name: 'clerk',
    model: scriptedModel([{ calls }, { text: 'done' }]),
    tools: [writeFileTool(dir)],
    cwd: dir,
    store,
    policy: { rules: [{ tools: 'write_file', decision: 'ask', reason: 'may it?' }] },
  });
  const { pending } = await host.agent.session('s').run('go');
  await host.close();
  await store.close();
  const shown = await commandIn(dir, 'session', 'show', 's', '--store=s.db');
  expect(shown.stdout).toContain("open requests: a program of the agent 'clerk' began the run, and only there");
  expect(shown.stdout).not.toContain('session resume');
  const document = await commandIn(dir, 'session', 'show', 's', '--store=s.db', '--json');
  const { open } = JSON.parse(document.stdout) as { readonly open: readonly object[] };
  expect(open).toEqual([expect.not.objectContaining({ yes: expect.anything() })]);
  for (const words of [
    ['session', 'resume', 's', `--yes=${pending![0]!.id}`],
    ['run', 'go on', '--session=s'],
  ]) {
    const { code, stderr } = await commandIn(dir, ...words, '--store=s.db');
    expect(code).toBe(2);
    expect(stderr).toMatch(/is one of the agent 'clerk', .*: a program has that agent, and it goes on there/);
    expect(stderr).not.toContain('--policy');
  }
  rmSync(dir, { recursive: true, force: true });
});
