/**
 * Any optional field of a record, put on `Object.prototype` while a log is gone on with: what the record lacks is lacking.
 * A run that goes on from any place of its log comes to what it comes to undisturbed, whichever store has kept it.
 */
import { readFileSync } from 'node:fs';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool, pending, type SessionStore, type StoredRecord } from '@treblehook/types';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { memoryStore, readSession, type RunResult } from '../src/index.js';
import type { ScriptedStep } from '../src/testing/index.js';
import { sqliteStore } from '../src/sqlite/index.js';
import { calls, echo, kit, textOf } from './kit.js';

/** Names that the scripted model reads of its own script. */
const scripted = new Set(['error', 'reasoning']);
/** Those of the shapes that stand in a log. */
const names = [
  ...new Set(
    ['session-record', 'request', 'message', 'hooks-tool', 'tool', 'approval'].flatMap((file) =>
      [
        ...readFileSync(new URL(`../../types/src/${file}.ts`, import.meta.url), 'utf8').matchAll(/readonly (\w+)\?:/g),
      ].map(([, name]) => name!),
    ),
  ),
].filter((name) => !scripted.has(name));
const values: readonly unknown[] = [
  true,
  { text: 'evil', id: 'evil', result: { output: 'evil', isError: false }, for: 'session' },
];

beforeAll(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined));
afterAll(() => void vi.restoreAllMocks());

/** One that is asked about each call; `pay` waits for an answer of its own, `dry` is given its result by a stage. */
function world(store: SessionStore, script: readonly ScriptedStep[] = ['end']) {
  const seen: unknown[] = [];
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'asker' });
  const dry = { result: { output: 'dry', isError: false } };
  registry.registerModifying('beforeTool', ({ name }) => (name === 'dry' ? dry : undefined), { id: 'dry' });
  const pay = defineTool({
    name: 'pay',
    description: 'pays',
    input: z.object({ text: z.string(), force: z.unknown().optional() }),
    execute({ text, force }, { answer }) {
      seen.push([text, force, answer?.data]);
      return answer === undefined ? pending({ kind: 'input', prompt: 'how?' }) : 'paid';
    },
  });
  const { agent } = kit(script, { registry, store, tools: [pay, echo('dry').tool] });
  return { session: agent.session('s'), seen };
}

/** Goes on with a yes to each question. */
async function goOn({ session, seen }: ReturnType<typeof world>, open: string | undefined) {
  const out: unknown[] = [];
  let id = open;
  for (let at = 0; at < 6; at++) {
    const resumed: RunResult = await session.resume(id === undefined ? undefined : { id, ok: true });
    const { status, error, toolCalls, pending: requests, text } = resumed;
    out.push([status, String(error), text, toolCalls.map(({ args, output, outcome }) => [args, output, outcome])]);
    id = requests?.[0]?.id;
    if (id === undefined) break;
  }
  return JSON.stringify([out, seen, session.grants().length, session.messages().map((one) => [one.role, textOf(one)])]);
}

let log: readonly StoredRecord[];
beforeAll(async () => {
  const store = memoryStore();
  const made = world(store, [calls('dry', 'pay'), 'end']);
  const first = await made.session.run('go', { note: { of: 'mine' }, job: { class: 'small' } });
  await goOn(made, first.pending![0]!.id);
  log = await store.read('s');
});

async function keeping(make: () => SessionStore, records: readonly StoredRecord[]): Promise<SessionStore> {
  const store = make();
  const lease = await store.acquire('s', 'before', 1_000);
  await store.append(
    lease as never,
    records.map(({ record }) => record),
  );
  await store.release(lease as never);
  return store;
}

const askedIn = (records: readonly StoredRecord[]): string | undefined => {
  const open = readSession(records).runs[0]?.turns.flatMap(({ calls: all }) =>
    all.flatMap(({ questions }) => questions),
  );
  return open?.find(({ answer }) => answer === undefined)?.request.id;
};

describe.each([
  ['memoryStore', () => memoryStore()],
  ['sqliteStore', () => sqliteStore({ path: ':memory:' })],
] as const)('a log of %s', (_, make) => {
  it('goes on as it would: no field of a record is inherited', async () => {
    const wrong: string[] = [];
    // behind each kind of record once, and behind the last answer
    const places = log.flatMap(({ seq, record: { type } }) => {
      const isOne = ['answer', 'request', 'started'].includes(type);
      const isFirst = log.findIndex(({ record }) => record.type === type) + 1 === seq;
      return isOne && (isFirst || log[seq]?.record.type === 'settled') ? [seq] : [];
    });
    for (const length of places) {
      const records = log.slice(0, length);
      const open = askedIn(records);
      const undisturbed = await goOn(world(await keeping(make, records)), open);
      for (const name of names) {
        for (const value of values) {
          const disturbed = world(await keeping(make, records));
          // oxlint-disable-next-line no-extend-native -- that is the attack
          Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
          const out = await goOn(disturbed, open)
            .catch(String)
            .finally(() => void Reflect.deleteProperty(Object.prototype, name));
          if (out !== undisturbed)
            wrong.push(`${length} ${name} = ${JSON.stringify(value)}: ${out} for ${undisturbed}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  }, 240_000);
});
