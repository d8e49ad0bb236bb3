// Logs in which somebody, or a store, has put something else: what no loop has written is refused by name, and runs nothing.
import { createHookRegistry } from '@treblehook/core';
import {
  agentHooks,
  isHookError,
  textOf,
  pending,
  type SessionRecord,
  type SessionStore,
  type StoredRecord,
} from '@treblehook/types';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRuntime, memoryStore, readSession, type RunResult } from '../src/index.js';
import { scriptedModel } from '../src/testing/index.js';
import { recordFault } from '../src/session/record-fault.js';
import { calls, echo, kit } from './kit.js';
import { tool } from './watched.js';

type Logs = Readonly<Record<string, readonly StoredRecord[]>>;
const task = { name: 'task', args: { agent: 'helper', prompt: 'p' } };

/** An agent that is asked about `echo`, and tasks one whose own call waits. */
function world(store: SessionStore) {
  const { tool: echoed, ran } = echo();
  const registry = createHookRegistry(agentHooks);
  const asks = ({ tool: { name } }: { tool: { name: string } }) => (name === 'echo' ? { ask: 'may?' } : undefined);
  registry.registerClaiming('toolPolicy', asks, { id: 'asker' });
  const waits = tool('waits', (_, { answer }) =>
    answer === undefined ? pending({ kind: 'input', prompt: 'which?' }) : 'ok',
  );
  const lead = scriptedModel([calls('echo', task, 'echo'), 'end', 'end'], { modelId: 'lead' });
  const helper = scriptedModel([calls({ name: 'waits', args: {} }), 'done', 'done'], { modelId: 'helper' });
  const runtime = createRuntime({
    registry,
    store,
    lockWaitMs: 50,
    inboxWaitMs: 50,
    agents: {
      lead: { model: lead, tools: [echoed, waits], agents: ['helper'] },
      helper: { model: helper, tools: [waits] },
    },
  });
  return { session: runtime.agent('lead').session('s'), ran };
}

/** A store that has the logs. */
function holding(logs: Logs): SessionStore {
  const added: Record<string, StoredRecord[]> = {};
  const all = (id: string): readonly StoredRecord[] => [...(logs[id] ?? []), ...(added[id] ?? [])];
  const add = (id: string, records: readonly SessionRecord[]): number => {
    for (const record of records) (added[id] ??= []).push({ seq: all(id).length + 1, at: 1, record });
    return all(id).length;
  };
  return {
    ...memoryStore(),
    read: (id, after = 0) => all(id).slice(after),
    append: ({ sessionId }, records) => add(sessionId, records),
    settle: (id, answer) => (add(id, [{ type: 'answered', answer }]), { state: 'settled' }),
  };
}

let logs: Logs;
let request: string;
beforeAll(async () => {
  const store = memoryStore();
  const { session } = world(store);
  const first = await session.run('go');
  const second = await session.resume({ id: first.pending![0]!.id, ok: true });
  request = second.pending![0]!.id;
  const all = await store.list();
  logs = Object.fromEntries(await Promise.all(all.map(async ({ sessionId: id }) => [id, await store.read(id)])));
});

/** Each record, and each field of it, in its place some levels deep. */
function* placesOf(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  yield path;
  if (typeof value !== 'object' || value === null || path.length === 5) return;
  for (const [key, inner] of Object.entries(value)) yield* placesOf(inner, [...path, key]);
}
function altered(id: string, at: number, path: readonly string[], value: unknown): Logs {
  const copy = structuredClone(logs) as Record<string, StoredRecord[]>;
  let holder: any = copy[id]![at];
  const keys = ['record', ...path];
  for (const key of keys.slice(0, -1)) holder = holder[key];
  holder[keys.at(-1)!] = value;
  return copy;
}
const faultOf = (work: () => unknown): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
};

describe.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'zz'],
  ['an object', {}],
])('%s in place of any field of a log', (_, value) => {
  it('is gone on with, or refused with an error of the table; nothing runs that nobody was asked about', async () => {
    const untyped: string[] = [];
    for (const [id, records] of Object.entries(logs)) {
      for (const [at, { record }] of records.entries()) {
        for (const path of placesOf(record)) {
          const changed = altered(id, at, path, value);
          const { session, ran } = world(holding(changed));
          const out = await session.resume({ id: request, ok: true }).then(
            ({ error }: RunResult) => error,
            (error: unknown) => error,
          );
          const read = faultOf(() => readSession(changed[id]!));
          const where = `${record.type}.${path.join('.')}`;
          for (const error of [out, read])
            if (error !== undefined && !isHookError(error)) untyped.push(`${where}: ${textOf(error)}`);
          if (ran.length > 0) untyped.push(`${where}: ran`);
        }
      }
    }
    expect(untyped).toEqual([]);
  }, 60_000);
});

it('a record that is none is named: its session, its place, its field', async () => {
  const at = logs['s']!.findIndex(({ record }) => record.type === 'answer');
  const { session } = world(holding(altered('s', at, ['calls'], 7)));
  const said = `the log of 's', record ${at + 1}: it is 'answer', and its 'calls' is no list`;
  expect(await session.run('go')).toMatchObject({
    status: 'failed',
    error: { code: 'TH_HISTORY_INVALID', message: expect.stringContaining(said) },
  });
});

it('an answer whose end is not told is refused, also where nothing follows it', async () => {
  const store = memoryStore();
  await kit(['one'], { store }).agent.session('s').run('go');
  const records = structuredClone(await store.read('s')) as any[];
  const last = records.slice(0, records.findIndex(({ record }) => record.type === 'answer') + 1);
  delete last.at(-1).record.finishReason;
  const out = await kit(['two'], { store: holding({ s: last }) })
    .agent.resume('s')
    .then(
      ({ error }) => error,
      (error: unknown) => error,
    );
  expect(out).toMatchObject({
    code: 'TH_HISTORY_INVALID',
    message: expect.stringContaining("its 'finishReason' is no"),
  });
});

/** By type, what each record has to have; that of a later version has nothing. */
const required: Readonly<Record<SessionRecord['type'], readonly string[]>> = {
  opened: [],
  personality: ['id'],
  run: ['runId', 'input', 'personality'],
  resumed: ['runId'],
  message: ['message'],
  answer: ['runId', 'turn', 'model', 'message', 'calls', 'finishReason', 'usage'],
  unused: ['runId', 'turn', 'model', 'message', 'finishReason', 'usage'],
  spent: ['runId', 'model', 'usage'],
  started: ['runId', 'callId', 'sealed'],
  attempt: ['runId', 'callId', 'attempt', 'outcome', 'result', 'ms', 'record'],
  outcome: ['runId', 'callId', 'name', 'args', 'outcome', 'result', 'ms', 'record'],
  late: ['runId', 'callId', 'text'],
  request: ['runId', 'callId', 'by', 'request', 'sealed'],
  answered: ['answer'],
  edited: ['runId', 'callId', 'request', 'given', 'sealed'],
  grant: ['grant'],
  revoked: ['grantId'],
  compaction: ['runId', 'outcome', 'dropping'],
  settled: ['runId', 'status'],
};
it.each(Object.entries(required))("a record '%s' without one of %j is none", (type, keys) => {
  const tool = { source: 'host', name: 't', digest: 'd' };
  const message = { role: 'user', content: [] };
  const usage = { inputTokens: {}, outputTokens: {} };
  const whole: Record<string, unknown> = {
    id: 'p',
    runId: 'r',
    callId: 'c',
    input: 'i',
    personality: 'p',
    message,
    turn: 0,
    model: 'm',
    calls: [],
    finishReason: { unified: 'stop' },
    usage,
    sealed: { tool, args: {}, digest: 'd' },
    attempt: 1,
    outcome: 'ok',
    result: { output: '', isError: false },
    ms: 0,
    record: { verdicts: [], asks: [], outcome: 'ok' },
    name: 't',
    args: {},
    text: 't',
    by: 'guards',
    request: { id: 'q', kind: 'k', prompt: 'p' },
    answer: { id: 'q', ok: true },
    grant: { id: 'g', request: 'q', tool, guard: 'g' },
    grantId: 'g',
    dropping: [],
    status: 'done',
  };
  if (type === 'edited') Object.assign(whole, { request: 'q', given: 'd' });
  const record = Object.fromEntries(keys.map((key) => [key, whole[key]]));
  const faultOf = (fields: object): string | undefined =>
    recordFault({ seq: 1, at: 1, record: { type, ...fields } as never });
  expect(faultOf(record)).toBeUndefined();
  for (const key of keys) expect(faultOf({ ...record, [key]: undefined })).toContain(`its '${key}' is no`);
});

it('a record of a type that is not known is one of a later version, and tells nothing', async () => {
  const later = { seq: logs['s']!.length + 1, at: 1, record: { type: 'later', calls: 7 } as never };
  const { session } = world(holding({ ...logs, s: [...logs['s']!, later] }));
  expect(await session.resume({ id: request, ok: true })).toMatchObject({ status: 'pending' });
});
