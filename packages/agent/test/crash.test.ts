// A process is killed at every boundary of a run of six steps, and another one goes on.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool, type Message, type SessionStore } from '@treblehook/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { auditSession, createAgent } from '../src/index.js';
import { sqliteStore } from '../src/sqlite/index.js';
import { scriptedModel } from '../src/testing/index.js';
import { agentOf } from './crash-run.mjs';

const parts = { createAgent, scriptedModel, createHookRegistry, agentHooks, defineTool, z } as never;
const child = fileURLToPath(new URL('crash-child.mjs', import.meta.url));
const input = 'note six things';

let folder: string;
const stores: SessionStore[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'treblehook-crash-'));
});
afterAll(() => {
  for (const store of stores) void store.close();
  rmSync(folder, { recursive: true });
});

const opened = (name: string): SessionStore => {
  const store = sqliteStore({ path: join(folder, `${name}.db`) });
  stores.push(store);
  return store;
};
const written = (effects: string): string[] =>
  existsSync(effects)
    ? readFileSync(effects, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];

/** Roles, texts, calls and results, without ids. */
const shapeOf = (messages: readonly Message[]): (readonly unknown[])[] =>
  messages.map(({ role, content }) => [
    role,
    ...content.map((part) =>
      part.type === 'tool-call'
        ? [part.name, part.args]
        : part.type === 'tool-result'
          ? part.output
          : 'text' in part
            ? part.text
            : part,
    ),
  ]);

async function killedAt(
  point: number,
): Promise<{ readonly name: string; readonly effects: string; readonly wasKilled: boolean }> {
  const name = `killed-${point}`;
  const effects = join(folder, `${name}.txt`);
  const running = spawn(
    process.execPath,
    ['--no-warnings', child, join(folder, `${name}.db`), effects, String(point)],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const signal = await new Promise((resolve) => running.once('exit', (_, by) => resolve(by)));
  return { name, effects, wasKilled: signal === 'SIGKILL' };
}

test('what completed is not run again, nothing is lost, and the call in flight alone is told apart', async () => {
  const points: string[] = [];
  const whole = agentOf(parts, opened('whole'), join(folder, 'whole.txt'), (point) => points.push(point));
  const undisturbed = await whole.session('s').run(input);
  expect(undisturbed).toMatchObject({ status: 'done', text: 'all noted', turns: 6 });
  expect(points.length).toBeGreaterThanOrEqual(30);

  const check = async (point: number): Promise<void> => {
    const where = `killed at ${points[point]}, boundary ${point}`;
    const { name, effects, wasKilled } = await killedAt(point);
    expect(wasKilled, where).toBe(true);
    const store = opened(name);
    const records = (await store.read('s')).map(({ record }) => record);
    const before = written(effects);
    const agent = agentOf(parts, store, effects, () => {});
    const session = agent.session('s');
    const hasRun = records.some(({ type }) => type === 'run');
    const isOver = records.some(({ type }) => type === 'settled');
    if (isOver) await session.load();
    else if (hasRun) expect(await session.resume(), where).toMatchObject({ status: 'done', text: 'all noted' });
    else await session.run(input);

    expect(auditSession(await store.read('s')).problems, where).toEqual([]);

    // nothing has run twice, and what had run before stays the only time
    const after = written(effects);
    expect(new Set(after).size, where).toBe(after.length);
    expect(after.slice(0, before.length), where).toEqual(before);

    const inFlight = openCallOf(records);
    const expected = shapeOf(undisturbed.messages);
    const actual = shapeOf(session.messages());
    if (inFlight === undefined) {
      expect(actual, where).toEqual(expected);
      return;
    }
    const at = expected.findIndex(([role, output]) => role === 'tool' && output === `noted ${inFlight.step}`);
    expect(actual[at], where).toEqual([
      'tool',
      expect.stringMatching(inFlight.hasStarted ? /was running when its process ended/ : /^not-started/),
    ]);
    expect(actual.toSpliced(at, 1), where).toEqual(expected.toSpliced(at, 1));
  };
  const queue = points.map((_, point) => point);
  const lane = async (): Promise<void> => {
    for (let point = queue.shift(); point !== undefined; point = queue.shift()) await check(point);
  };
  await Promise.all([lane(), lane(), lane()]);
}, 240_000);

/** The call that was asked for and has no outcome, as far as the log knows. */
function openCallOf(records: Awaited<ReturnType<SessionStore['read']>>[number]['record'][]) {
  const answer = records.findLast(({ type }) => type === 'answer');
  if (answer?.type !== 'answer') return undefined;
  const [call] = answer.calls;
  if (call === undefined || records.some((record) => record.type === 'outcome' && record.callId === call.callId))
    return undefined;
  const hasStarted = records.some((record) => record.type === 'started' && record.callId === call.callId);
  return { step: (call.args as { step: number }).step, hasStarted };
}
