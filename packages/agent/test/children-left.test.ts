// What a child has used is its parent's, though its task never goes on with it: no limit is got round by leaving one behind.
import {
  defineTool,
  isHeld,
  pending,
  type AgentHooks,
  type HookRegistry,
  type Lease,
  type SessionRecord,
  type SessionStore,
  type Tool,
} from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createRuntime,
  memoryStore,
  readSession,
  type Agent,
  type AgentDefinition,
  type RunResult,
} from '../src/index.js';
import { scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { call, calls, echo, registryWithGuard } from './kit.js';

/** A step that has used this many tokens. */
function used(step: ScriptedStep, tokens: number): ScriptedStep {
  if (typeof step === 'function' || step instanceof Error) throw new Error('no answer');
  return { ...(typeof step === 'string' ? { text: step } : step), usage: { input: tokens, output: 0 } };
}
const task = (prompt = 'do it') => ({ name: 'task', args: { agent: 'helper', prompt } });
const wait = defineTool({
  name: 'wait',
  description: 'waits',
  input: z.object({}),
  execute: (_, { answer }) => (answer === undefined ? pending({ kind: 'input', prompt: 'which?' }) : 'answered'),
});
/** Gives a task, and is told what came of it. */
const giver = defineTool({
  name: 'giver',
  description: 'gives a task',
  input: z.object({}),
  execute: async (_, { callTool }) => (await callTool('task', { agent: 'helper', prompt: 'do it' })).output,
});
const tools: Tool[] = [wait, giver, echo().tool];

interface Life {
  readonly lead: readonly ScriptedStep[];
  readonly helper?: readonly ScriptedStep[];
  readonly more?: Partial<AgentDefinition>;
  readonly maxChildren?: number;
  readonly isDenied?: boolean;
}

/** The lead has 1,000 tokens. */
function born(store: SessionStore, { lead, helper = [], more, maxChildren, isDenied = false }: Life): Agent {
  const registry: HookRegistry<AgentHooks> = registryWithGuard();
  if (isDenied) {
    registry.registerClaiming('toolPolicy', ({ tool }) => (tool.name === 'task' ? { deny: 'no more' } : undefined));
  }
  const agents = {
    lead: { model: scriptedModel(lead), agents: ['helper'], tools, limits: { tokens: 1_000 }, ...more },
    helper: { model: scriptedModel(helper), tools, agents: ['helper'] },
  };
  return createRuntime({ registry, store, agents, ...(maxChildren && { maxChildren }) }).agent('lead');
}

const answerTo = ({ pending: open }: RunResult) => ({ id: open![0]!.id, ok: true });
const endsOf = ({ toolCalls }: RunResult): string[] => toolCalls.map(({ name, outcome }) => `${name} ${outcome}`);

/** The child has used 900 and waits. */
async function waiting(store: SessionStore): Promise<RunResult> {
  const lead = [used(calls(task()), 10)];
  const result = await born(store, { lead, helper: [used(call('wait', {}), 900)] })
    .session('s')
    .run('go');
  expect(result.status).toBe('pending');
  return result;
}

/** As the store was when the process died behind the first append that fulfils `isLast`. */
async function died(
  life: Life,
  isLast: (sessionId: string, records: readonly SessionRecord[]) => boolean,
): Promise<SessionStore> {
  const store = memoryStore();
  const copy = memoryStore();
  let isDead = false;
  const kept: SessionStore = {
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
  };
  await born(kept, life).session('s').run('go');
  expect(isDead).toBe(true);
  return copy;
}

describe('what a child has used counts', () => {
  it('where its task is denied now, in that life and in the next', async () => {
    const store = memoryStore();
    const waits = await waiting(store);
    const second = await born(store, { lead: [used(call('wait', {}), 50)], isDenied: true }).resume(
      's',
      answerTo(waits),
    );
    expect(endsOf(second)).toEqual(['task denied']);
    const third = await born(store, { lead: [used(call('echo'), 60), 'never'] }).resume('s', answerTo(second));
    expect(third).toMatchObject({ status: 'incomplete', limit: 'tokens' });
    expect(endsOf(third)).toEqual(['task denied', 'wait ok', 'echo not-started']);
  });

  it('where the process died in a task that a body had given', async () => {
    const isIn = (id: string, records: readonly SessionRecord[]) => id !== 's' && records[0]!.type === 'started';
    const lead = [used(call('giver', {}), 10), 'end'];
    const store = await died({ lead, helper: [used(call('echo'), 900), 'h'] }, isIn);
    const result = await born(store, { lead: [used(call('echo'), 100), 'never'] }).resume('s');
    expect(result).toMatchObject({ status: 'incomplete', limit: 'tokens' });
    expect(endsOf(result)).toEqual(['giver outcome-unknown', 'echo not-started']);
  });

  it('in calls too: those that a body had made are none the less made', async () => {
    const isIn = (id: string, records: readonly SessionRecord[]) => id !== 's' && records[0]!.type === 'started';
    const life = { lead: [call('giver', {}), 'end'], helper: [call('echo'), 'h'] };
    const store = await died(life, isIn);
    const more = { limits: { toolCalls: 4 } };
    const result = await born(store, { lead: [calls('echo', 'echo')], more }).resume('s');
    // the giver, the task that it has given, the call of the child
    expect(endsOf(result)).toEqual(['giver outcome-unknown', 'echo ok', 'echo not-started']);
  });

  it('where a wrapper has put another one in its place, in that life and in the next', async () => {
    const store = memoryStore();
    const waits = await waiting(store);
    const toolCall: NonNullable<AgentDefinition['around']>['toolCall'] = ({ name }, core) =>
      name === 'task' ? core({ args: task('another').args }) : core();
    const helper = [used(call('wait', {}), 50)];
    const second = await born(store, { lead: [], helper, more: { around: { toolCall } } }).resume('s', answerTo(waits));
    expect(second.status).toBe('pending');
    const third = await born(store, { lead: [used(call('echo'), 50), 'never'], helper: ['h'] }).resume(
      's',
      answerTo(second),
    );
    expect(third).toMatchObject({ status: 'incomplete', limit: 'tokens' });
    expect(endsOf(third)).toEqual(['task ok', 'echo not-started']);
  });

  it('where edited arguments were put in its place, and refused: once', async () => {
    const store = memoryStore();
    const waits = await waiting(store);
    const edit: AgentDefinition['around'] = {
      toolCall: ({ name }, core) => (name === 'task' ? core({ args: task('another').args }) : core()),
    };
    const second = await born(store, {
      lead: [used(call('wait', {}), 10)],
      more: { around: edit },
      maxChildren: 1,
    }).resume('s', answerTo(waits));
    expect(second.toolCalls).toMatchObject([{ output: 'the task was not given: a run may give 1 tasks' }]);
    const third = await born(store, { lead: [used(call('echo'), 50), 'end'] }).resume('s', answerTo(second));
    expect(endsOf(third)).toEqual(['task error', 'wait ok', 'echo ok']);
    expect(third.status).toBe('done');
  });

  it('where `task` is another tool now', async () => {
    const store = memoryStore();
    const waits = await waiting(store);
    const other = { ...echo('task').tool };
    const more = { agents: [], tools: [wait, other, echo().tool] };
    const result = await born(store, { lead: [used(call('echo'), 100), 'never'], more }).resume('s', answerTo(waits));
    expect(result).toMatchObject({ status: 'incomplete', limit: 'tokens' });
    expect(endsOf(result)).toEqual(['task error', 'echo not-started']);
  });

  it('as one of maxChildren, though its task was denied', async () => {
    const store = memoryStore();
    const waits = await waiting(store);
    const second = await born(store, { lead: [call('wait', {})], isDenied: true }).resume('s', answerTo(waits));
    const lead = [calls(task('another')), 'end'];
    const third = await born(store, { lead, helper: ['h'], maxChildren: 1 }).resume('s', answerTo(second));
    expect(third.toolCalls.at(-1)).toMatchObject({ output: 'the task was not given: a run may give 1 tasks' });
  });

  it('where it is that of a child of the child', async () => {
    const isIn = (id: string, records: readonly SessionRecord[]) =>
      id.split('/').length === 3 && records[0]!.type === 'started';
    const helper = [used(call('giver', {}), 10), used(call('echo'), 900), 'deep', 'h'];
    const store = await died({ lead: [used(calls(task()), 10), 'end'], helper }, isIn);
    const result = await born(store, { lead: ['never'], helper: [used(call('echo'), 100), 'never'] }).resume('s');
    expect(result).toMatchObject({ status: 'incomplete', limit: 'tokens' });
    expect(result.toolCalls[0]!.output).toContain("limit 'tokens'");
  });
});

describe('a child that its parent leaves behind has its end once that one is over', () => {
  /** How the last run of each child stands, and how many questions of it are open. */
  const childrenOf = async (store: SessionStore): Promise<readonly (readonly [string | undefined, number])[]> =>
    (await store.list())
      .filter(({ parent }) => parent !== undefined)
      .map(({ last, pending: open }) => [last, open] as const);

  it('where the conversation goes on without it', async () => {
    const store = memoryStore();
    await waiting(store);
    expect(await childrenOf(store)).toEqual([['pending', 1]]);
    await born(store, { lead: ['other'] })
      .session('s')
      .run('something else');
    expect(await childrenOf(store)).toEqual([['aborted', 0]]);
    const { sessionId } = (await store.list()).find(({ parent }) => parent === 's')!;
    const { runs } = readSession(await store.read(sessionId));
    expect(runs[0]!.turns[0]!.calls).toMatchObject([{ name: 'wait', state: 'over' }]);
  });

  it('where its task is denied now, and not before the run of its parent is over', async () => {
    const store = memoryStore();
    const waits = await waiting(store);
    const second = await born(store, { lead: [call('wait', {})], isDenied: true }).resume('s', answerTo(waits));
    expect(second.status).toBe('pending');
    expect(await childrenOf(store)).toEqual([['pending', 1]]);
    await born(store, { lead: ['end'] }).resume('s', answerTo(second));
    expect(await childrenOf(store)).toEqual([['aborted', 0]]);
  });

  it('where a process died in it, and in a child of its own', async () => {
    const isIn = (id: string, records: readonly SessionRecord[]) =>
      id.split('/').length === 3 && records[0]!.type === 'started';
    const helper = [call('giver', {}), call('echo'), 'deep', 'h'];
    const store = await died({ lead: [calls(task()), 'end'], helper }, isIn);
    expect(await childrenOf(store)).toEqual([
      ['open', 0],
      ['open', 0],
    ]);
    await born(store, { lead: ['other'] })
      .session('s')
      .run('something else');
    expect(await childrenOf(store)).toEqual([
      ['aborted', 0],
      ['aborted', 0],
    ]);
  });

  it('unless another process holds it, which keeps nobody', async () => {
    const store = memoryStore();
    await waiting(store);
    const { sessionId } = (await store.list()).find(({ parent }) => parent === 's')!;
    expect(isHeld(await store.acquire(sessionId, 'elsewhere', 60_000))).toBe(false);
    const result = await born(store, { lead: ['other'] })
      .session('s')
      .run('something else');
    expect(result.status).toBe('done');
    expect(await childrenOf(store)).toEqual([['pending', 1]]);
  });
});
