// Owns the laws of `treblehook audit`: it tells who allowed what, and a log that was altered ends it with 1.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { sqliteStore } from '@treblehook/agent/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditLines } from '../src/session/audit.js';
import { commandIn } from './command.js';

let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'audit-'));
  writeFileSync(join(dir, 'a.md'), 'hooks');
  writeFileSync(join(dir, 'p.yaml'), 'rules: [{ id: closed, tools: list_files, decision: deny, reason: not here }]');
  mkdirSync(join(dir, 'sub'));
  writeFileSync(
    join(dir, 'asks.yaml'),
    "rules: [{ id: asks, tools: list_files, when: { /path: { equals: '.' } }, decision: ask, reason: may it? }]",
  );
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
    expect(stdout).toMatch(
      /verified: 1 call, \d+ records; of what the log holds every digest is right, and nothing has run without a clearance$/m,
    );
    const denied = await commandIn(dir, 'audit', 'closed');
    expect(denied.code).toBe(0);
    expect(denied.stdout).toMatch(/list_files: denied/);
    expect(denied.stdout).toMatch(/guards: deny \(tool-policy deny: rule closed\)/);
    expect(denied.stdout).toMatch(/because: not here \(tool-policy, rule closed\)/);
  });

  it('names who asks of a call that waits, and who has said no to it', async () => {
    const { stderr } = await commandIn(dir, 'run', 'list the files', '--session=asked', '--policy=asks.yaml');
    const request = /--yes (request_[\w-]+)/.exec(stderr)![1]!;
    const waiting = await commandIn(dir, 'audit', 'asked');
    const shownWaiting = await commandIn(dir, 'session', 'show', 'asked');
    expect(shownWaiting.stdout).toContain('      guards: ask (tool-policy ask: rule asks)\n');
    expect(waiting.stdout).toContain('    guards: ask (tool-policy ask: rule asks)\n');
    expect(waiting.stdout).toContain(`    waits for an answer to ${request}: `);
    await commandIn(dir, 'session', 'resume', 'asked', '--no', request, '--reason=not that');
    const refused = await commandIn(dir, 'audit', 'asked');
    expect(refused.stdout).toMatch(/ {4}guards: ask \(tool-policy ask: rule asks\)\n/);
    expect(refused.stdout).toMatch(new RegExp(` {4}answered: no to ${request}, 20.* \\(not that\\)\n`));
    expect(refused.stdout).toContain('    because: not that (answer)\n');
    const shown = await commandIn(dir, 'session', 'show', 'asked');
    expect(shown.stdout).toContain('      guards: ask (tool-policy ask: rule asks)\n');
  });

  it('says who has changed the arguments, what they were, and what has run', async () => {
    const { stderr } = await commandIn(dir, 'run', 'list the files', '--session=edited', '--policy=asks.yaml');
    const id = /--yes (request_[\w-]+)/.exec(stderr)![1]!;
    const store = sqliteStore({ path: join(dir, '.treblehook', 'sessions.db') });
    await store.settle('edited', { id, ok: true, data: { args: { path: 'sub' } } });
    await store.close();
    await commandIn(dir, 'session', 'resume', 'edited');
    const { code, stdout } = await commandIn(dir, 'audit', 'edited');
    expect(code).toBe(0);
    expect(stdout).toMatch(/ {4}arguments \{"path":"sub",.*\}, digest /);
    const told = `changed by the answer to ${id}: to {"path":"sub"}, sealed as {"path":"sub","recursive":false}; the model gave {"path":".","recursive":true}`;
    expect(stdout).toContain(`    ${told}\n`);
    const document = JSON.parse((await commandIn(dir, 'audit', 'edited', '--json')).stdout) as object;
    expect(document).toMatchObject({
      calls: [{ given: { path: '.' }, args: { path: 'sub' }, edits: [{ request: id }] }],
    });
  });

  it('says what a request showed where that is other than what the model gave', () => {
    const call = {
      callId: 'c', runId: 'r', personality: 'p', attempt: 1, askedBy: { model: 'm', turn: 0 }, name: 't',
      args: 3, given: 1, edits: [{ request: 'R', shown: 2, args: 3, sealed: 3 }], decision: undefined, guards: [], asks: [],
      requests: [], outcome: undefined, seq: 0, grants: [],
    } as const; // prettier-ignore
    expect(auditLines({ calls: [call], problems: [] }, '1 call')).toContain(
      '    changed by the answer to R: to 3; the model gave 1, and the request showed 2',
    );
  });

  it('shows what was wrong with arguments that no guard has seen', async () => {
    await commandIn(dir, 'run', 'Use list_files {"pth":"sub"}', '--session=wrong');
    const { stdout } = await commandIn(dir, 'audit', 'wrong');
    expect(stdout).toMatch(/ {4}told to the model: the arguments of 'list_files' do not fit its schema: .*pth/);
  });

  it('as a document, and the verdict alone', async () => {
    const { stdout } = await commandIn(dir, 'audit', 'open', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      sessionId: 'open',
      verified: 1,
      problems: [],
      calls: [{ name: 'list_files', decision: 'clear', outcome: 'ok', guards: [{ verdict: 'pass' }] }],
    });
    const verified = await commandIn(dir, 'audit', 'open', '--verify');
    expect(verified.stdout).toMatch(/^verified: 1 call, \d+ records;.*\n$/);
    const document = JSON.parse((await commandIn(dir, 'audit', 'open', '--verify', '--json')).stdout) as object;
    expect(document).toEqual({ sessionId: 'open', records: expect.any(Number) as number, verified: 1, problems: [] });
    expect((await commandIn(dir, 'audit', 'nobody')).code).toBe(2);
  });

  it('tells when a call was asked for, and when it was about to start', async () => {
    const store = sqliteStore({ path: join(dir, '.treblehook', 'sessions.db') });
    const records = await store.read('open');
    await store.close();
    const at = (type: string): number => records.find(({ record }) => record.type === type)!.at;
    const { calls } = JSON.parse((await commandIn(dir, 'audit', 'open', '--json')).stdout) as { calls: object[] };
    expect(calls).toMatchObject([{ askedAt: at('answer'), startedAt: at('started') }]);
    const { stdout } = await commandIn(dir, 'audit', 'open');
    expect(stdout).toMatch(/ {4}asked for by .*, personality default, 20\S+Z?.*\n {4}started 20/);
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
