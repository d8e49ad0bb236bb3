// Owns the laws of what is kept of a call that was cut, cleared anew, or granted for the session: the log and the process say the same.
import { createHookRegistry } from '@treblehook/core';
import {
  agentHooks,
  defineTool,
  type Answer,
  type JsonValue,
  type Request,
  type SessionStore,
} from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { auditSession, createRuntime, memoryStore, type AgentOptions } from '../src/index.js';
import { seal } from '../src/door/seal.js';
import { manualClock, scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { call, calls, echo, kit, registryWithGuard, settle } from './kit.js';

const asking = (...rules: readonly string[]) => {
  const registry = createHookRegistry(agentHooks);
  for (const rule of rules) registry.registerClaiming('toolPolicy', () => ({ ask: `${rule}?`, rule }), { id: rule });
  return registry;
};
const yes = (until?: number) => ({
  answer: async ({ id }: Request): Promise<Answer> => ({
    id,
    ok: true,
    data: { remember: { for: 'session', ...(until !== undefined && { until }) } },
  }),
});
/** A store whose process is dead behind the first append that has a record of this type. */
function deadBehind(type: string) {
  const inner = memoryStore();
  let isDead = false;
  const leases = new Map<string, number>();
  const store: SessionStore = {
    ...inner,
    acquire: async (id, holder, ms) => {
      const lease = await inner.acquire(id, holder, ms);
      if ('fence' in lease) leases.set(id, lease.fence);
      return lease;
    },
    append(lease, records) {
      if (isDead) throw new Error('dead');
      const head = inner.append(lease, records);
      isDead = records.some((record) => record.type === type);
      return head;
    },
    release: () => {},
  };
  /** Those of its children, too. */
  const free = async (): Promise<void> => {
    for (const [sessionId, fence] of leases) await inner.release({ sessionId, fence });
  };
  return { store, inner, free };
}

describe.each(['resume', 'run'] as const)('a call that was running when its process ended, by %s', (how) => {
  it('is told with the digest and the arguments that started', async () => {
    const { store, inner, free } = deadBehind('started');
    const write = defineTool({
      name: 'write',
      description: 'writes a file',
      input: z.object({ path: z.string() }),
      paths: ['path'],
      execute: () => 'written',
    });
    const sandboxed = () => {
      const registry = registryWithGuard();
      registry.registerModifying('beforeTool', () => ({ args: { path: '/sandbox/etc' } }), { id: 'sandbox' });
      return registry;
    };
    const options = { tools: [write], cwd: '/' };
    await kit([call('write', { path: '/etc' }), 'never'], { ...options, registry: sandboxed(), store })
      .agent.session('s')
      .run('go');
    await free();
    const registry = sandboxed();
    const told: unknown[] = [];
    registry.registerVoid('toolEnd', ({ record: { digest, decision } }) => void told.push([digest, decision]));
    registry.registerVoid('toolEndWithPath', ({ path }) => void told.push(path));
    const session = kit(['on'], { ...options, registry, store: inner }).agent.session('s');
    await (how === 'resume' ? session.resume() : session.run('something else'));
    const log = await inner.read('s');
    const outcome = log.map(({ record }) => record).find((record) => record.type === 'outcome')!;
    const { digest } = seal(outcome.record.tool!, { path: '/sandbox/etc' });
    expect(outcome).toMatchObject({ outcome: 'outcome-unknown', args: { path: '/sandbox/etc' }, record: { digest } });
    expect(told).toEqual([[digest, 'clear'], '/sandbox/etc']);
    expect(auditSession(log).problems).toEqual([]);
  });
});

it('a grant that is revoked while a body runs by it was worth what it said when that started', async () => {
  const store = memoryStore();
  const slow = defineTool({
    name: 'slow',
    description: 'is revoked meanwhile',
    input: z.object({}),
    execute: async () => {
      await session.revoke(session.grants()[0]!.id);
      return 'done';
    },
  });
  const { agent } = kit([call('slow', {}), 'done'], { registry: asking('r'), tools: [slow], store, answerer: yes() });
  const session = agent.session('s');
  expect((await session.run('go')).toolCalls).toMatchObject([{ outcome: 'ok' }]);
  expect(auditSession(await store.read('s')).problems).toEqual([]);
});

it.each([
  ['denied when a guard denies it now', () => ({ deny: 'stricter now' }), 'denied', []],
  ['cleared anew, and says so, when they let it pass', () => undefined, 'ok', [undefined, true]],
])('a call whose guards change while its start becomes durable is %s', async (_, guard, outcome, anew) => {
  const inner = memoryStore();
  const registry = registryWithGuard();
  const store: SessionStore = {
    ...inner,
    async append(lease, records) {
      const head = inner.append(lease, records);
      await settle();
      if (records.some((record) => record.type === 'started' && record.anew !== true)) {
        registry.registerClaiming('toolPolicy', guard, { id: 'late' });
      }
      return head;
    },
  };
  const { agent } = kit([call('echo'), 'done'], { registry, tools: [echo().tool], store });
  expect((await agent.session('s').run('go')).toolCalls).toMatchObject([{ outcome }]);
  const log = await inner.read('s');
  expect(auditSession(log).problems).toEqual([]);
  if (outcome === 'denied') return;
  expect(log.flatMap(({ record }) => (record.type === 'started' ? [record.anew] : []))).toEqual(anew);
});

it('one answer gives all of its grants, or none', async () => {
  const store = memoryStore();
  const grants: number[] = [];
  const watched: SessionStore = {
    ...store,
    append(lease, records) {
      const count = records.filter(({ type }) => type === 'grant').length;
      if (count > 0) grants.push(count);
      return store.append(lease, records);
    },
  };
  const options = { registry: asking('a', 'b'), tools: [echo().tool], store: watched, answerer: yes() };
  await kit([call('echo'), 'done'], options)
    .agent.session('s')
    .run('go');
  expect(grants).toEqual([2]);
});

it('a session shows no grant that is over', async () => {
  const clock = manualClock();
  const until = clock.date() + 1000;
  const options = { registry: asking('r'), tools: [echo().tool], clock, answerer: yes(until) };
  const session = kit([call('echo'), 'done'], options).agent.session('s');
  await session.run('go');
  expect(session.grants()).toMatchObject([{ until }]);
  clock.advance(1000);
  expect(session.grants()).toEqual([]);
});

it('a call that had not begun when its process ended takes nothing of the limit of calls', async () => {
  const { store, inner, free } = deadBehind('answer');
  const options = { tools: [echo().tool], limits: { toolCalls: 2 } };
  await kit([calls('echo', 'echo'), 'never'], { ...options, store })
    .agent.session('s')
    .run('go');
  await free();
  const { status, toolCalls } = await kit([calls('echo', 'echo'), 'done'], { ...options, store: inner }).agent.resume(
    's',
  );
  expect(status).toBe('done');
  expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['not-started', 'not-started', 'ok', 'ok']);
});

describe('a call that a body makes, and that is given its result', () => {
  const inner = () => echo('inner').tool;
  const outer = defineTool({
    name: 'outer',
    description: 'calls another one',
    input: z.object({}),
    execute: async (_, { callTool }) => (await callTool('inner', { text: 'x' })).output,
  });

  it.each(['revoked', 'over'])('rests on a grant that is %s while afterTool runs', async (how) => {
    const clock = manualClock();
    const store = memoryStore({ now: () => clock.date() });
    const registry = createHookRegistry(agentHooks);
    registry.registerClaiming(
      'toolPolicy',
      ({ tool }) => (tool.name === 'inner' ? { ask: 'may it?', rule: 'r' } : undefined),
      { id: 'asker' },
    );
    registry.registerModifying(
      'beforeTool',
      ({ name }) => (name === 'inner' ? { result: { output: 'cached', isError: false } } : {}),
      { id: 'cache' },
    );
    let takeBack = async (): Promise<void> => {};
    registry.registerModifying(
      'afterTool',
      async ({ name }) => {
        if (name === 'inner') await takeBack();
        return {};
      },
      { id: 'after' },
    );
    const remember = { for: 'session', args: 'any', until: clock.date() + 1000 };
    const answerer = { answer: async ({ id }: Request): Promise<Answer> => ({ id, ok: true, data: { remember } }) };
    const script = [call('inner'), 'one', call('outer', {}), 'two', call('outer', {}), 'three'];
    const options = { registry, tools: [inner(), outer], store, clock, answerer };
    const session = kit(script, options).agent.session('s');
    await session.run('go');
    takeBack = async () => {
      if (how === 'revoked') await session.revoke(session.grants()[0]!.id);
      else clock.advance(5000);
    };
    const { toolCalls } = await session.run('go');
    expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
    const log = await store.read('s');
    expect(auditSession(log).problems).toEqual([]);
  });
});

describe('a task that a process has left', () => {
  type Around = AgentOptions['around'];
  const changes =
    (args: JsonValue): NonNullable<Around>['toolCall'] =>
    async (_, core) =>
      void (await core({ args }));
  const ways: Readonly<Record<string, NonNullable<Around>['toolCall']>> = {
    'is changed by its wrapper, and denied': changes({ agent: 'helper', prompt: 'denied' }),
    'is changed by its wrapper, and does not fit': changes({ nope: 1 }),
    'is changed by its wrapper, and runs': changes({ agent: 'helper', prompt: 'other' }),
    'is given its result by its wrapper': async () => ({ result: { output: 'given', isError: false }, by: 'w' }),
    'goes on': async (_, core) => void (await core()),
  };

  it.each(Object.keys(ways))('%s', async (way) => {
    const { store, inner, free } = deadBehind('started');
    const lead = (kept: SessionStore, script: readonly ScriptedStep[], toolCall?: NonNullable<Around>['toolCall']) => {
      const registry = registryWithGuard();
      const isSecond = toolCall !== undefined;
      if (isSecond) {
        registry.registerClaiming(
          'toolPolicy',
          ({ args }) => (JSON.stringify(args).includes('denied') ? { deny: 'no' } : undefined),
          { id: 'new' },
        );
      }
      const agents = {
        lead: { model: scriptedModel(script), tools: [], agents: ['helper'] },
        helper: { model: scriptedModel(['helped']), tools: [] },
      };
      return createRuntime({ registry, store: kept, agents, ...(isSecond && { around: { toolCall } }) }).agent('lead');
    };
    await lead(store, [call('task', { agent: 'helper', prompt: 'p' }), 'never'])
      .session('s')
      .run('go');
    await free();
    await lead(inner, ['end'], ways[way]).resume('s');
    const log = await inner.read('s');
    expect(log.filter(({ record }) => record.type === 'outcome')).toHaveLength(1);
    expect(auditSession(log).problems).toEqual([]);
  });
});
