// Owns the law of consents that are told: a yes, how long it holds, and that it was taken back, wherever a session is shown.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@treblehook/agent/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandIn, type Commanded } from './command.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'consents-'));
  writeFileSync(join(dir, 'a.md'), 'hooks');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const asks = (reason = 'may it?', more = ''): void =>
  writeFileSync(
    join(dir, 'p.yaml'),
    `rules:\n- { id: looks, tools: list_files, decision: ask, reason: '${reason}' }\n${more}`,
  );
const requestIn = (stderr: string): string => /--yes (request_[\w-]+)/.exec(stderr)![1]!;
const resume = (...flags: string[]): Promise<Commanded> => commandIn(dir, 'session', 'resume', 's', ...flags);
const waiting = async (): Promise<string> =>
  requestIn((await commandIn(dir, 'run', 'list the files', '--session=s', '--policy=p.yaml')).stderr);
const audit = async (): Promise<string> => (await commandIn(dir, 'audit', 's')).stdout;

describe('a yes to a call that is denied then', () => {
  it('is told, each of them', async () => {
    asks();
    const first = await waiting();
    asks('may it now?');
    const second = requestIn((await resume('--yes', first)).stderr);
    asks('may it now?', '- { id: closed, tools: list_files, decision: deny, reason: not here }\n');
    await resume('--yes', second);
    const told = await audit();
    expect(told).toMatch(/ {4}guards: deny \(tool-policy deny: rule closed\)/);
    expect(told).toMatch(new RegExp(` {4}answered: asked .*may it\\?.*: yes to ${first}, 20`));
    expect(told).toMatch(new RegExp(` {4}answered: asked .*may it now\\?.*: yes to ${second}, 20`));
  });

  it('with other arguments is told, too', async () => {
    asks(
      'may it?',
      "- { id: closed, tools: list_files, when: { /path: { equals: sub } }, decision: deny, reason: 'no' }\n",
    );
    const id = await waiting();
    const store = sqliteStore({ path: join(dir, '.treblehook', 'sessions.db') });
    await store.settle('s', { id, ok: true, data: { args: { path: 'sub' } } });
    await store.close();
    await resume();
    const told = await audit();
    expect(told).toMatch(/list_files: denied/);
    expect(told).toMatch(new RegExp(`answered: asked .*: yes to ${id}, 20`));
  });
});

describe('a yes for the session', () => {
  it('says so in the audit, with its end, and when it was taken back', async () => {
    asks();
    const id = await waiting();
    await resume('--yes', id, '--remember');
    const grant = /revoke s (grant_[\w-]+)/.exec((await commandIn(dir, 'session', 'show', 's')).stdout)![1]!;
    expect(await audit()).toMatch(
      new RegExp(` asked "may it\\?.*": yes to ${id}, \\S+ \\S+, for the rest of the session \\(${grant}\\)\n`),
    );
    await commandIn(dir, 'session', 'revoke', 's', grant);
    expect(await audit()).toMatch(
      new RegExp(`yes to ${id}, .*, for the rest of the session, taken back 20\\S+ \\S+ \\(${grant}\\)\n`),
    );
    const document = JSON.parse((await commandIn(dir, 'audit', 's', '--json')).stdout) as object;
    expect(document).toMatchObject({
      calls: [
        {
          grants: [
            { id: grant, request: id, at: expect.any(Number) as number, revokedAt: expect.any(Number) as number },
          ],
        },
      ],
    });
    const shown = await commandIn(dir, 'session', 'show', 's');
    const line = `${grant}: list_files, digest `;
    expect(shown.stdout).toContain(`granted, and taken back\n  ${line}`);
    expect(shown.stdout).toMatch(new RegExp(`for tool-policy, rule looks, from the answer to ${id}: taken back 20`));
    expect(JSON.parse((await commandIn(dir, 'session', 'show', 's', '--json')).stdout)).toMatchObject({
      grants: [],
      revoked: [{ id: grant }],
    });
    const page = await commandIn(dir, 'session', 'export', 's', '--format=markdown');
    expect(page.stdout).toContain(`## Granted, and taken back\n\n- \`${line}`);
  });

  it('that has an end of its own says when, and stands in the page', async () => {
    asks();
    const id = await waiting();
    const until = Date.UTC(2100, 0, 1);
    const store = sqliteStore({ path: join(dir, '.treblehook', 'sessions.db') });
    await store.settle('s', { id, ok: true, data: { remember: { for: 'session', until } } });
    await store.close();
    await resume();
    expect(await audit()).toMatch(/for the rest of the session, until 2100-01-01 00:00:00Z \(grant_/);
    const page = await commandIn(dir, 'session', 'export', 's', '--format=markdown');
    expect(page.stdout).toMatch(/## Granted for the session\n\n- `grant_.*, until 2100-01-01 00:00:00Z`\n/);
  });
});

it('a later resumption tells no answer again that was given before', async () => {
  asks();
  const first = await waiting();
  asks('may it now?');
  const resumed = await resume('--yes', first);
  expect(resumed.stderr).toContain(`${first} is answered: yes`);
  const second = requestIn(resumed.stderr);
  const later = await resume('--yes', second);
  expect([later.code, later.stderr]).toEqual([0, expect.stringContaining(`${second} is answered: yes`)]);
  expect(later.stderr).not.toContain(first);
});

describe('the commands that answer', () => {
  it('say of a no which store and which policy, as of a yes', async () => {
    asks();
    const store = join(dir, 'own.db');
    const flags = ['--session=s', '--policy=p.yaml', `--store=${store}`];
    const { stderr } = await commandIn(dir, 'run', 'list the files', ...flags);
    expect(stderr).toMatch(new RegExp(`--yes (\\S+) --store ${store}, or --no \\1 --store ${store} --reason "…"`));
    const again = await commandIn(dir, 'run', 'list the files', ...flags);
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(
      new RegExp(`--yes (\\S+) --store ${store}, or --no \\1 --store ${store} --reason "…"`),
    );
  });
});
