// What children use is their parents' too: each call, token and cost once, whatever is resumed, answered or crashes.
import {
  isHeld,
  type AgentHooks,
  type HookRegistry,
  type Lease,
  type SessionRecord,
  type SessionStore,
} from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import {
  createRuntime,
  memoryStore,
  type AgentDefinition,
  type Answerer,
  type Around,
  type RunResult,
  type RuntimeOptions,
} from '../src/index.js';
import { scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { call, calls, echo, registryWithGuard } from './kit.js';

type Extra = Omit<Partial<RuntimeOptions>, 'agents'>;
type Definition = Omit<AgentDefinition, 'model' | 'tools'> & { readonly script: readonly ScriptedStep[] };

/** Each agent has the tool `echo`, which is asked about with the text `ask`. */
function leadOf(definitions: Readonly<Record<string, Definition>>, options: Extra = {}) {
  const { tool } = echo();
  const agents: Record<string, AgentDefinition> = {};
  for (const [name, { script, ...definition }] of Object.entries(definitions)) {
    agents[name] = { model: scriptedModel(script, { modelId: name }), tools: [tool], ...definition };
  }
  const registry: HookRegistry<AgentHooks> = options.registry ?? registryWithGuard();
  registry.registerClaiming(
    'toolPolicy',
    ({ args }) => ((args as { text?: string }).text === 'ask' ? { ask: 'may it?', rule: 'r' } : undefined),
    { id: 'asker' },
  );
  return createRuntime({ ...options, agents, registry }).agent('lead');
}

const task = (agent: string): { readonly name: string; readonly args: unknown } => ({
  name: 'task',
  args: { agent, prompt: 'do it' },
});
const tasking = (agent: string): ScriptedStep => calls(task(agent));
const asking = call('echo', { text: 'ask' });
const endsOf = ({ toolCalls }: RunResult): string[] => toolCalls.map(({ name, outcome }) => `${name} ${outcome}`);

/** Has no answer the first `times` that it is asked: what waits is surfaced level by level, and asked for again there. */
function lateAnswerer(times: number) {
  let asked = 0;
  const answerer: Answerer = {
    answer(request) {
      if (++asked <= times) throw new Error('not now');
      return { id: request.id, ok: true };
    },
  };
  return { answerer, asked: () => asked };
}

/** The store as it was when the process died behind the first append that fulfils `isLast`. */
async function diedBehind(
  run: (store: SessionStore) => Promise<unknown>,
  isLast: (sessionId: string, records: readonly SessionRecord[]) => boolean,
): Promise<SessionStore> {
  const store = memoryStore();
  const copy = memoryStore();
  let isDead = false;
  await run({
    ...store,
    async append(lease: Lease, records: readonly SessionRecord[]) {
      const head = await store.append(lease, records);
      if (isDead) return head;
      isDead = isLast(lease.sessionId, records);
      const held = await copy.acquire(lease.sessionId, 'copy', 1_000);
      if (isHeld(held)) throw new Error('held');
      await copy.append(held, records);
      await copy.release(held);
      return head;
    },
  });
  expect(isDead).toBe(true);
  return copy;
}

describe('what a child used', () => {
  const isChildOver = (sessionId: string, records: readonly SessionRecord[]): boolean =>
    sessionId !== 's' && records.some(({ type }) => type === 'settled');

  it('counts when the process dies between the end of the child and that of its task', async () => {
    const make = (store: SessionStore, lead: readonly ScriptedStep[], helper: readonly ScriptedStep[]) =>
      leadOf(
        { lead: { script: lead, agents: ['helper'], limits: { toolCalls: 4 } }, helper: { script: helper } },
        { store },
      );
    const store = await diedBehind(
      (kept) =>
        make(kept, [tasking('helper'), 'end'], [calls('echo', 'echo'), 'h'])
          .session('s')
          .run('go'),
      isChildOver,
    );
    const result = await make(store, [calls('echo', 'echo', 'echo')], []).resume('s');
    expect(endsOf(result)).toEqual(['task ok', 'echo ok', 'echo not-started', 'echo not-started']);
  });

  it('counts there in tokens and in cost too, and stands in the outcome of the task', async () => {
    const price = { input: 1_000_000, output: 1_000_000 };
    const prices = { lead: { input: 0, output: 0 }, helper: price };
    const make = (
      store: SessionStore,
      lead: readonly ScriptedStep[],
      helper: readonly ScriptedStep[],
      limits: object,
    ) => leadOf({ lead: { script: lead, agents: ['helper'], limits }, helper: { script: helper } }, { store, prices });
    const wide = { tokens: 10_000, cost: 10_000 };
    const die = (): Promise<SessionStore> =>
      diedBehind(
        (kept) =>
          make(kept, [tasking('helper'), 'end'], [call('echo'), 'h'], wide)
            .session('s')
            .run('go'),
        isChildOver,
      );
    // each model call has 10 tokens in and 5 out
    const store = await die();
    expect(await make(store, ['end'], [], wide).resume('s')).toMatchObject({ status: 'done' });
    const spents = (await store.read('s')).flatMap(({ record }) => (record.type === 'outcome' ? [record.spent] : []));
    expect(spents).toEqual([{ calls: 1, tokens: 30, cost: 30 }]);
    for (const [limits, limit] of [
      [{ tokens: 45 }, 'tokens'],
      [{ cost: 30 }, 'cost'],
    ] as const) {
      expect(await make(await die(), ['never'], [], limits).resume('s')).toMatchObject({ status: 'incomplete', limit });
    }
    for (const limits of [{ tokens: 46 }, { cost: 31 }]) {
      expect(await make(await die(), ['end'], [], limits).resume('s')).toMatchObject({ status: 'done' });
    }
  });

  it('stands in the outcome of its task without a limit of tokens too, in one process as in two', async () => {
    const make = (store: SessionStore, lead: readonly ScriptedStep[], helper: readonly ScriptedStep[]) =>
      leadOf({ lead: { script: lead, agents: ['helper'] }, helper: { script: helper } }, { store });
    const live = memoryStore();
    const run = (store: SessionStore): Promise<RunResult> =>
      make(store, [tasking('helper'), 'end'], [call('echo'), 'h'])
        .session('s')
        .run('go');
    await run(live);
    const resumed = await diedBehind(run, isChildOver);
    await make(resumed, ['end'], []).resume('s');
    for (const store of [live, resumed]) {
      const spents = (await store.read('s')).flatMap(({ record }) => (record.type === 'outcome' ? [record.spent] : []));
      expect(spents).toEqual([{ calls: 1, tokens: 30, cost: 0 }]);
    }
  });

  it('counts once when its waiting call is answered in place', async () => {
    const { answerer, asked } = lateAnswerer(1);
    const lead = leadOf(
      {
        lead: { script: [tasking('helper'), calls('echo', 'echo')], agents: ['helper'], limits: { toolCalls: 3 } },
        helper: { script: [asking, 'h'] },
      },
      { answerer },
    );
    expect(endsOf(await lead.run('go'))).toEqual(['task ok', 'echo ok', 'echo not-started']);
    expect(asked()).toBe(2);
  });

  it('leaves its waiting call its place when the limit is reached by it', async () => {
    const { answerer } = lateAnswerer(2);
    const lead = leadOf(
      {
        lead: { script: [tasking('middle'), call('echo')], agents: ['middle'], limits: { toolCalls: 3 } },
        middle: { script: [tasking('helper'), 'm'], agents: ['helper'] },
        helper: { script: [asking, 'h'] },
      },
      { answerer },
    );
    const result = await lead.run('go');
    expect(result.toolCalls[0]).toMatchObject({ outcome: 'ok', output: 'm' });
    expect(endsOf(result)).toEqual(['task ok', 'echo not-started']);
  });

  it('counts once for the root when a child of the child goes on, in one process', async () => {
    const { answerer, asked } = lateAnswerer(2);
    const lead = leadOf(
      {
        lead: {
          script: [tasking('middle'), calls('echo', 'echo', 'echo', 'echo')],
          agents: ['middle'],
          limits: { toolCalls: 8 },
        },
        middle: { script: [tasking('helper'), 'm'], agents: ['helper'] },
        helper: { script: [calls('echo', 'echo'), asking, 'h'] },
      },
      { answerer },
    );
    const result = await lead.run('go');
    expect(asked()).toBe(3);
    // two tasks and three calls of the helper: five
    expect(result).toMatchObject({ status: 'incomplete', limit: 'toolCalls' });
    expect(endsOf(result)).toEqual(['task ok', 'echo ok', 'echo ok', 'echo ok', 'echo not-started']);
  });

  it('counts at once where its parent goes on, though it is not taken up yet; what waits keeps its place', async () => {
    const store = memoryStore();
    const make = (scripts: Readonly<Record<'lead' | 'helper' | 'middle' | 'other', readonly ScriptedStep[]>>) =>
      leadOf(
        {
          lead: { script: scripts.lead, agents: ['helper', 'middle'], limits: { toolCalls: 8 } },
          helper: { script: scripts.helper },
          middle: { script: scripts.middle, agents: ['other'] },
          other: { script: scripts.other },
        },
        { store },
      );
    const none = { lead: [], helper: [], middle: [], other: [] };
    const waits = await make({
      lead: [calls(task('helper'), task('middle'))],
      helper: [asking],
      middle: [call('echo'), tasking('other')],
      other: [call('echo'), asking],
    })
      .session('s')
      .run('go');
    const [first, second] = waits.pending!;
    // three tasks, two calls of children and two that wait: one is left
    const still = await make({ ...none, helper: [calls('echo', 'echo')] }).resume('s', { id: first!.id, ok: true });
    expect(still).toMatchObject({ status: 'pending', pending: [{ id: second!.id }] });
    expect(still.toolCalls[0]!.output).toMatch(/limit 'toolCalls'/);
    const result = await make({ ...none, lead: ['never'], middle: ['m'], other: ['o'] }).resume('s', {
      id: second!.id,
      ok: true,
    });
    expect(result.toolCalls).toMatchObject([{ outcome: 'error' }, { outcome: 'ok', output: 'm' }]);
    const spents = (await store.read('s')).flatMap(({ record }) => (record.type === 'outcome' ? [record.spent] : []));
    expect(spents).toMatchObject([{ calls: 2 }, { calls: 4 }]);
  });

  it('counts of each attempt of its task, also behind a resume', async () => {
    const store = memoryStore();
    const make = (lead: readonly ScriptedStep[], helper: readonly ScriptedStep[]) =>
      leadOf(
        {
          lead: {
            script: lead,
            agents: ['helper'],
            limits: { toolCalls: 6 },
            around: {
              async toolCall({ name }, core) {
                if (name === 'task') await core();
                await core();
              },
            },
          },
          helper: { script: helper },
        },
        { store },
      );
    const waits = await make([tasking('helper'), asking], [call('echo'), 'one', call('echo'), 'two'])
      .session('s')
      .run('go');
    expect(waits).toMatchObject({ status: 'pending', toolCalls: [{ output: 'two' }] });
    // two attempts with a call of the child each, and the call that was asked about: one more
    const result = await make([calls('echo', 'echo')], []).resume('s', { id: waits.pending![0]!.id, ok: true });
    expect(endsOf(result)).toEqual(['task ok', 'echo ok', 'echo ok', 'echo not-started']);
  });

  it('counts once when the process dies between two attempts of its task', async () => {
    const make = (store: SessionStore, lead: readonly ScriptedStep[]) => {
      const toolCall: Around['toolCall'] = async ({ name }, core) => {
        if (name === 'task') await core();
        await core();
      };
      const script = [call('echo'), 'one', call('echo'), 'two'];
      return leadOf(
        {
          lead: { script: lead, agents: ['helper'], limits: { toolCalls: 4 }, around: { toolCall } },
          helper: { script, around: {} },
        },
        { store },
      );
    };
    const store = await diedBehind(
      (kept) =>
        make(kept, [tasking('helper'), 'end'])
          .session('s')
          .run('go'),
      (_, records) => records.some(({ type }) => type === 'attempt'),
    );
    const result = await make(store, [calls('echo', 'echo', 'echo')]).resume('s');
    // the attempt and the call of its child, and two more
    expect(endsOf(result)).toEqual(['task ok', 'echo ok', 'echo ok', 'echo not-started']);
  });
});

describe('a place of maxChildren', () => {
  const make = (lead: readonly ScriptedStep[], options: Extra) =>
    leadOf(
      { lead: { script: lead, agents: ['helper'] }, helper: { script: Array.from({ length: 5 }, () => 'h') } },
      { maxChildren: 1, ...options },
    );
  const refused = 'the task was not given: a run may give 1 tasks';

  it('is taken by a child, not by a task that is vetoed', async () => {
    const registry = registryWithGuard();
    let spawning = 0;
    registry.registerModifying('subagentSpawning', () => (++spawning === 1 ? { veto: 'no' } : undefined), { id: 'v' });
    const result = await make([tasking('helper'), tasking('helper'), tasking('helper'), 'end'], { registry }).run('go');
    expect(result.toolCalls.map(({ output }) => output)).toEqual(["refused by 'v': no", 'h', refused]);
  });

  it('is taken before the stages of its task are asked: neighbours do not share one', async () => {
    const result = await make([calls(task('helper'), task('helper')), 'end'], {}).run('go');
    expect(result.toolCalls.map(({ output }) => output).toSorted()).toEqual(['h', refused]);
  });

  it.each([
    ['a vetoed task is none', true, 'h'],
    ['a child is one', false, refused],
  ])('is known behind a resume: %s', async (_, isVetoed, output) => {
    const store = memoryStore();
    const registry = registryWithGuard();
    if (isVetoed) registry.registerModifying('subagentSpawning', () => ({ veto: 'no' }), { id: 'v' });
    const waits = await make([tasking('helper'), asking], { store, registry })
      .session('s')
      .run('go');
    const answer = { id: waits.pending![0]!.id, ok: true };
    const result = await make([tasking('helper'), 'end'], { store }).resume('s', answer);
    expect(result.toolCalls.at(-1)!.output).toBe(output);
  });
});
