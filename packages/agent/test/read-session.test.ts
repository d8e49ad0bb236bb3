// Owns the laws of what a log tells: every prefix of it can be read, and nothing is told that is not so.
import { defineTool, type SessionStore, type StoredRecord } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryStore, readSession, type CallView, type SessionView } from '../src/index.js';
import { calls, echo, kit } from './kit.js';

const recordsOf = async (store: SessionStore, id = 's'): Promise<readonly StoredRecord[]> => store.read(id);
const viewOf = async (store: SessionStore): Promise<SessionView> => readSession(await recordsOf(store));
const callsOf = ({ runs }: SessionView): readonly CallView[] =>
  runs.flatMap(({ turns }) => turns.flatMap((turn) => turn.calls));

/** A run whose second call is asked about. */
async function suspended() {
  const store = memoryStore();
  const { tool } = echo();
  const made = kit(
    [
      {
        text: 'both',
        calls: [
          { name: 'echo', args: { text: 'hi' } },
          { name: 'echo', args: { text: 'ask' } },
        ],
      },
      'end',
    ],
    {
      tools: [tool],
      store,
    },
  );
  made.registry.registerClaiming(
    'toolPolicy',
    ({ args }) => ((args as { text: string }).text === 'ask' ? { ask: 'may it?', rule: 'r1' } : undefined),
    { id: 'asker' },
  );
  const result = await made.agent.session('s').run('go');
  return { ...made, store, request: result.pending![0]! };
}

describe('a log tells', () => {
  it('a whole run: what was said, each call with its evidence, how it ended', async () => {
    const store = memoryStore();
    const { agent } = kit([{ text: 'I look', calls: [{ name: 'echo', args: { text: 'hi' } }] }, 'done now'], {
      tools: [echo().tool],
      store,
    });
    await agent.session('s').run('look');
    const { agent: by, runs, grants } = await viewOf(store);
    expect([by, runs.length, grants]).toEqual(['agent', 1, []]);
    expect(runs[0]).toMatchObject({ input: 'look', personality: 'default', status: 'done', resumed: 0 });
    expect(runs[0]!.turns.map(({ turn, text }) => [turn, text])).toEqual([
      [0, 'I look'],
      [1, 'done now'],
    ]);
    expect(runs[0]!.turns[0]!.calls).toMatchObject([
      {
        name: 'echo',
        args: { text: 'hi' },
        state: 'over',
        questions: [],
        late: [],
        end: { outcome: 'ok', result: { output: 'said hi' }, record: { decision: 'clear' } },
      },
    ]);
  });

  it('the call as it was sealed beside the call as it was asked for', async () => {
    const store = memoryStore();
    const { agent, registry } = kit([calls('echo'), 'end'], { tools: [echo().tool], store });
    registry.registerModifying('beforeTool', () => ({ args: { text: 'rewritten' } }), { id: 'rewriter' });
    await agent.session('s').run('go');
    const [only] = callsOf(await viewOf(store));
    expect(only).toMatchObject({ args: { text: 'hi' }, sealed: { args: { text: 'rewritten' } } });
    expect(only!.sealed!.digest).toBe(only!.end!.record.digest);
  });

  it('what waits, and behind the answer what came of it', async () => {
    const { store, agent, request } = await suspended();
    const before = await viewOf(store);
    expect(before.runs[0]!.status).toBe('pending');
    expect(callsOf(before).map(({ state }) => state)).toEqual(['over', 'waits']);
    expect(callsOf(before)[1]!.questions).toMatchObject([{ request: { id: request.id }, by: 'guards' }]);
    expect(callsOf(before)[1]!.questions[0]).not.toHaveProperty('answer');

    const remember = { for: 'session' };
    await agent.resume('s', { id: request.id, ok: true, data: { remember } });
    const after = await viewOf(store);
    expect(after.runs).toMatchObject([{ status: 'done', resumed: 1 }]);
    expect(callsOf(after)[1]).toMatchObject({
      state: 'over',
      questions: [{ answer: { ok: true } }],
      end: { outcome: 'ok', record: { asks: [{ guard: 'asker', granted: { request: request.id } }] } },
    });
    expect(after.grants).toMatchObject([{ guard: 'asker', rule: 'r1', request: request.id }]);
    await agent.session('s').revoke(after.grants[0]!.id);
    expect((await viewOf(store)).grants).toEqual([]);
  });

  it('a call that has its answer as one that waits no more, before anybody has gone on with it', async () => {
    const { store, request } = await suspended();
    await store.settle('s', { id: request.id, ok: true });
    const view = await viewOf(store);
    expect(view.runs[0]!.status).toBe('pending');
    expect(callsOf(view).map(({ state }) => state)).toEqual(['over', 'answered']);
    expect(callsOf(view)[1]!.questions).toMatchObject([{ answer: { ok: true } }]);
  });

  it('a call that a body has made, with the call whose body it was', async () => {
    const store = memoryStore();
    const outer = defineTool({
      name: 'outer',
      description: 'calls echo',
      input: z.object({}).loose(),
      execute: async (_, { callTool }) => (await callTool('echo', { text: 'inner' })).output,
    });
    const { agent } = kit([calls('outer'), 'end'], { tools: [outer, echo().tool], store });
    await agent.session('s').run('go');
    const [first, second] = callsOf(await viewOf(store));
    expect([first!.name, second!.name, second!.parent]).toEqual(['outer', 'echo', first!.callId]);
  });

  it('a revision, at the answer that it was asked of', async () => {
    const store = memoryStore();
    const { agent, registry } = kit(['first', 'second'], { store });
    registry.registerModifying('beforeFinish', ({ continuations }) =>
      continuations === 0 ? { revise: ['once more'] } : undefined,
    );
    await agent.session('s').run('go');
    const { turns } = (await viewOf(store)).runs[0]!;
    expect(turns.map(({ text, revise }) => [text, revise])).toEqual([
      ['first', 'once more'],
      ['second', undefined],
    ]);
  });
});

describe('any prefix of a log', () => {
  it('can be read; a run has no status before its end, and a call only goes forward', async () => {
    const { store, agent, request } = await suspended();
    await agent.resume('s', { id: request.id, ok: false, reason: 'no' });
    const records = await recordsOf(store);
    const order = ['asked', 'waits', 'answered', 'started', 'over'];
    let before: readonly number[] = [];
    for (let end = 0; end <= records.length; end++) {
      const view = readSession(records.slice(0, end));
      const states = callsOf(view).map(({ state }) => order.indexOf(state));
      for (const [at, state] of before.entries()) {
        // from `started` a body may come back to wait: only these two may change places
        if (order[state] !== 'started') expect(states[at]).toBeGreaterThanOrEqual(state);
      }
      before = states;
      const last = records[end - 1]?.record;
      const status = view.runs[0]?.status;
      if (last?.type === 'settled') expect(status).toBe(last.status);
      else if (last !== undefined && last.type !== 'answered') expect(status).toBeUndefined();
    }
    expect(before.map((at) => order[at])).toEqual(['over', 'over']);
  });

  it('that lacks a record, or speaks of a run that never began, is refused', async () => {
    const { store } = await suspended();
    const records = await recordsOf(store);
    const without = (type: string) => records.filter(({ record }) => record.type !== type);
    const anew = (list: readonly StoredRecord[]) => list.map((one, at) => ({ ...one, seq: at + 1 }));
    expect(() => readSession(without('run'))).toThrow(/record 2 is missing/);
    expect(() => readSession(anew(without('run')))).toThrow(/there is no run/);
    expect(() => readSession(anew(without('answer')))).toThrow(/no answer has asked for the call/);
  });

  it('is data that nobody can change', async () => {
    const { store } = await suspended();
    const view = await viewOf(store);
    expect(Object.isFrozen(view.runs[0]!.turns[0]!.calls[0]!.questions)).toBe(true);
  });
});
