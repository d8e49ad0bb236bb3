// Owns the laws of `treblehook audit`: it tells who allowed what, and a log that was altered ends it with 1.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandIn } from './command.js';

let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'audit-'));
  writeFileSync(join(dir, 'a.md'), 'hooks');
  writeFileSync(join(dir, 'p.yaml'), 'rules: [{ id: closed, tools: list_files, decision: deny, reason: not here }]');
  await commandIn(dir, 'run', 'list the files', '--session=open');
  await commandIn(dir, 'run', 'list the files', '--session=closed', '--policy=p.yaml');
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('audit', () => {
  it('tells of each call who asked, what the guards said, and what came of it', async () => {
    const { code, stdout } = await commandIn(dir, 'audit', 'open');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^call_\S+ host\/list_files: ok, \d+ ms\n/);
    expect(stdout).toMatch(/ {4}asked for by offline\S*, turn 0, personality default, /);
    expect(stdout).toMatch(/ {4}arguments \{.*\}, digest [0-9a-f]{12}\n/);
    expect(stdout).toMatch(/ {4}guards: clear \(tool-policy pass\), in [\d.]+ ms\n/);
    expect(stdout).toMatch(/verified: 1 call, \d+ records; every digest is right/);
    const denied = await commandIn(dir, 'audit', 'closed');
    expect(denied.code).toBe(0);
    expect(denied.stdout).toMatch(/list_files: denied/);
    expect(denied.stdout).toMatch(/guards: deny \(tool-policy deny\)/);
    expect(denied.stdout).toMatch(/because: not here \(tool-policy\)/);
  });

  it('as a document, and the verdict alone', async () => {
    const { stdout } = await commandIn(dir, 'audit', 'open', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      sessionId: 'open',
      problems: [],
      calls: [{ name: 'list_files', decision: 'clear', outcome: 'ok', guards: [{ verdict: 'pass' }] }],
    });
    const verified = await commandIn(dir, 'audit', 'open', '--verify');
    expect(verified.stdout).toMatch(/^verified: 1 call, \d+ records;.*\n$/);
    expect((await commandIn(dir, 'audit', 'nobody')).code).toBe(2);
  });

  it('a log that somebody has altered is found out', async () => {
    const database = new DatabaseSync(join(dir, '.treblehook', 'sessions.db'));
    database.exec(`UPDATE records SET body = replace(body, '"path":"."', '"path":"/etc"') WHERE session = 'open'`);
    database.close();
    const { code, stdout } = await commandIn(dir, 'audit', 'open', '--verify');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^NOT verified: .*\nrecord \d+, call_\S+: digest: the log says [0-9a-f]{64}, and the call has /,
    );
  });
});
