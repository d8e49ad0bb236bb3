// Owns the law of a further run: whatever the last run of a session came to, a new prompt goes on with what was said and done.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@treblehook/agent/sqlite';
import type { Lease } from '@treblehook/types';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commandWith } from './command.js';

/** What an endpoint does with one request. */
type Does = (response: ServerResponse) => void;

const chunk = (delta: object, finish_reason: string | null): string => {
  const choices = [{ index: 0, delta, finish_reason }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
};
const sends =
  (delta: object, finish: string): Does =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${chunk({ role: 'assistant', ...delta }, null)}${chunk({}, finish)}data: [DONE]\n\n`);
  };
const says = (content: string): Does => sends({ content }, 'stop');
const calls = (path: string): Does => {
  const called = { name: 'read_file', arguments: JSON.stringify({ path }) };
  return sends({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: called }] }, 'tool_calls');
};
const refuses: Does = (response) => void response.writeHead(400).end('{}');

let dir = '';
const cleanup: (() => unknown)[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'treblehook-again-'));
  await writeFile(join(dir, 'a.txt'), 'the text of a\n');
  await writeFile(join(dir, 'short.yaml'), 'id: short\nbudgets: { steps: 1 }\n');
  cleanup.push(() => rm(dir, { recursive: true }));
});
afterEach(async () => {
  for (const one of cleanup.splice(0).toReversed()) await one();
});

interface Said {
  readonly role: string;
  readonly content?: unknown;
}

/** An endpoint that does these things, one a request; `heard` are the messages that it was sent. */
async function endpoint(...script: readonly Does[]) {
  const heard: (readonly Said[])[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const part of request) body += String(part);
    heard.push((JSON.parse(body) as { readonly messages: readonly Said[] }).messages);
    (script[heard.length - 1] ?? refuses)(response);
  };
  const server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1');
  cleanup.push(() => (server.closeAllConnections(), server.close()));
  await once(server, 'listening');
  const model = `openai-compatible:m@http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const run = (prompt: string, ...flags: readonly string[]) =>
    commandWith({ cwd: dir, env: {} }, 'run', prompt, '--session', 's', '--model', model, ...flags);
  return { heard, run, model };
}

const show = async () =>
  JSON.parse((await commandWith({ cwd: dir, env: {} }, 'session', 'show', 's', '--json')).stdout) as {
    readonly state: string;
    readonly runs: readonly { readonly input: string; readonly status: string }[];
  };
const rolesOf = (messages: readonly Said[] = []): readonly string[] => messages.map(({ role }) => role);

it('after a run that failed: what was said and done before the fault is there, and runs once', async () => {
  const { run, heard } = await endpoint(calls('a.txt'), refuses, says('it is fine'));
  const failed = await run('read it');
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('--session s')]);
  const again = await run('try again');
  expect([again.code, again.stdout]).toEqual([0, 'it is fine\n']);
  expect(rolesOf(heard[2])).toEqual(['user', 'assistant', 'tool', 'user']);
  expect(JSON.stringify(heard[2])).toContain('the text of a');
  const { state, runs } = await show();
  expect([state, runs.map(({ input, status }) => [input, status])]).toEqual([
    'settled',
    [
      ['read it', 'failed'],
      ['try again', 'done'],
    ],
  ]);
});

it('after a run that failed at once: its prompt is there', async () => {
  const { run, heard } = await endpoint(refuses, says('fine'));
  expect((await run('read it')).code).toBe(1);
  expect((await run('try again')).code).toBe(0);
  expect(JSON.stringify(heard[1])).toMatch(/read it.*try again/);
});

it('after a run that a budget has stopped', async () => {
  const { run, heard } = await endpoint(calls('a.txt'), says('it is fine'));
  expect((await run('read it', '--personality', 'short.yaml')).code).toBe(3);
  const again = await run('go on');
  expect([again.code, again.stdout]).toEqual([0, 'it is fine\n']);
  expect(rolesOf(heard[1])).toEqual(['user', 'assistant', 'tool', 'user']);
  expect((await show()).runs.map(({ status }) => status)).toEqual(['incomplete', 'done']);
});

it('after a run that was interrupted', async () => {
  const stop = new AbortController();
  const { heard, model, run } = await endpoint(calls('a.txt'), () => stop.abort(), says('it is fine'));
  const flags = ['--session', 's', '--model', model];
  const broken = await commandWith({ cwd: dir, env: {}, signal: stop.signal }, 'run', 'read it', ...flags);
  expect([broken.code, broken.stderr]).toEqual([130, expect.stringContaining('--session s')]);
  const again = await run('go on');
  expect([again.code, again.stdout]).toEqual([0, 'it is fine\n']);
  expect(rolesOf(heard[2])).toEqual(['user', 'assistant', 'tool', 'user']);
  expect((await show()).runs.map(({ status }) => status)).toEqual(['aborted', 'done']);
});

it('after a run whose process has died', async () => {
  const store = sqliteStore({ path: join(dir, 'sessions.db') });
  const lease = (await store.acquire('s', 'dead', 60_000)) as Lease;
  const message = { id: 'message_1', role: 'user', content: [{ type: 'text', text: 'read it' }] } as const;
  await store.append(lease, [
    { type: 'opened', agent: 'agent' },
    { type: 'run', runId: 'r', input: 'read it', personality: 'default' },
    { type: 'message', runId: 'r', message },
  ]);
  await store.release(lease);
  await store.close();
  const { run, heard } = await endpoint(says('it is fine'));
  const again = await run('go on', '--store', 'sessions.db');
  expect(again).toMatchObject({ code: 0, stdout: 'it is fine\n' });
  expect(again.stderr).toMatch(
    /warning: the run 'r' of the session had not ended: this prompt gives it up, where treblehook session resume s .*--store \S+sessions\.db would have gone on/,
  );
  expect(JSON.stringify(heard[0])).toMatch(/read it.*go on/);
  const shown = await commandWith({ cwd: dir, env: {} }, 'session', 'show', 's', '--json', '--store', 'sessions.db');
  expect((JSON.parse(shown.stdout) as Awaited<ReturnType<typeof show>>).runs.map(({ status }) => status)).toEqual([
    'aborted',
    'done',
  ]);
});

it('is none of a session that another process holds, and nothing that had ended is given up', async () => {
  const { run } = await endpoint(says('one'), says('two'));
  await run('first');
  expect((await run('second')).stderr).not.toContain('gives it up');
  const store = sqliteStore({ path: join(dir, '.treblehook/sessions.db') });
  cleanup.push(() => store.close());
  await store.acquire('s', 'other', 60_000);
  const resumed = await commandWith({ cwd: dir, env: {} }, 'session', 'resume', 's');
  expect([resumed.code, resumed.stderr]).toEqual([
    2,
    expect.stringContaining("the run 'other' of another process holds it"),
  ]);
});

it('is what the help of run says', async () => {
  const { stdout } = await commandWith({ cwd: dir, env: {} }, 'run', '--help');
  expect(stdout).toContain('--session goes on with it whatever its last run came to');
});
