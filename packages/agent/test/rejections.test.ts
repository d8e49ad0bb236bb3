// What run, stream and resume reject with when no run can begin, and what comes of a port of the host that fails.
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, errorTable, isHookError, type HookError } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../src/index.js';
import { call, echo, kit } from './kit.js';

describe('what run, stream and resume reject with is a HookError with a code of the table', () => {
  const boom = (): never => {
    throw new Error('of the host');
  };
  const codeOf = (error: unknown): string => {
    expect(isHookError(error), String(error)).toBe(true);
    const { code } = error as HookError;
    expect(Object.keys(errorTable)).toContain(code);
    return code;
  };
  const options: readonly (readonly [string, unknown])[] = [
    ['null', null],
    ['a number', 5],
    ['a list', []],
    ['an unknown key', { signall: 1 }],
    ['a signal that is none', { signal: {} }],
    ['a job without a class', { job: {} }],
    ['no job', { job: null }],
    [
      'a getter that throws',
      {
        get signal() {
          return boom();
        },
      },
    ],
    ['a proxy that throws', new Proxy({}, { ownKeys: boom })],
  ];

  it.each(options)('options: %s', async (_, given) => {
    const { agent, model } = kit([]);
    const opened = agent.session('s');
    for (const start of [
      () => agent.run('go', given as never),
      () => agent.stream('go', given as never).next(),
      () => agent.resume('s', undefined, given as never),
      () => opened.resumeStream(undefined, given as never).next(),
    ]) {
      expect(codeOf(await start().catch((error: unknown) => error))).toBe('TH_OPTION_INVALID');
    }
    expect(model.calls).toHaveLength(0);
  });

  it.each([
    ['no text', undefined],
    ['an empty one', ''],
    ['a number', 5],
    ['null', null],
  ])('input: %s', async (_, given) => {
    const { agent } = kit([]);
    expect(codeOf(await agent.run(given as never).catch((error: unknown) => error))).toBe('TH_OPTION_INVALID');
    const id = await agent.resume(given as never).catch((error: unknown) => error);
    expect(codeOf(id)).toBe('TH_OPTION_INVALID');
  });

  it.each([
    ['null', null, 'TH_OPTION_INVALID'],
    ['a text', 'yes', 'TH_OPTION_INVALID'],
    ['no id', { ok: true }, 'TH_OPTION_INVALID'],
    ['ok as a text', { id: 'a', ok: 'yes' }, 'TH_OPTION_INVALID'],
    [
      'a getter that throws',
      Object.defineProperty({ ok: true }, 'id', { get: boom, enumerable: true }),
      'TH_OPTION_INVALID',
    ],
    ['data that are no JSON', { id: 'a', ok: true, data: { when: new Date(0) } }, 'TH_OPTION_INVALID'],
    ['to nothing', { id: 'a', ok: true }, 'TH_ANSWER_REFUSED'],
    ['none', undefined, 'TH_NOTHING_OPEN'],
  ])('answer: %s', async (_, given, code) => {
    const { agent } = kit([]);
    expect(codeOf(await agent.resume('s', given as never).catch((error: unknown) => error))).toBe(code);
  });

  it('the state of the agent: no guard, an order that names nobody, a session that is closed or busy', async () => {
    const { tool } = echo();
    const registry = createHookRegistry(agentHooks);
    const order = { beforeTool: ['nobody', '*'] };
    const ordered = createHookRegistry(agentHooks, { order });
    const slow = kit([{ text: 'x', hold: new Promise(() => {}) }], { lockWaitMs: 0 }).agent.session();
    const stream = slow.stream('go');
    await stream.next();
    const closed = kit([]).agent.session();
    await closed.close();
    const faults = [
      kit([], { registry, tools: [tool] }).agent.run('go'),
      kit([], { registry: ordered }).agent.run('go'),
      slow.run('go'),
      closed.run('go'),
    ].map((run) => run.catch((error: unknown) => codeOf(error)));
    expect(await Promise.all(faults)).toEqual(['TH_NO_GUARD', 'TH_ORDER_UNKNOWN', 'TH_SESSION_BUSY', 'TH_DISPOSED']);
    await stream.return(undefined as never);
  });

  it('a port of the host that fails, wherever it does: the run ends failed with its very error, or rejects with a code', async () => {
    const fault = new Error('of the host');
    const failing = (after: number, give: (...args: any[]) => unknown) => {
      let count = 0;
      return (...args: unknown[]): any => {
        if (count++ === after) throw fault;
        return give(...args);
      };
    };
    const endings = new Set<string>();
    for (let after = 0; after < 12; after++) {
      let id = 0;
      const clock = { now: () => 0, date: () => 0, after: () => () => {} };
      const store = memoryStore();
      for (const options of [
        { ids: failing(after, (kind: string) => `${kind}_${id++}`) },
        { clock: { ...clock, now: failing(after, clock.now) }, onMetric: () => {} },
        { clock: { ...clock, date: failing(after, clock.date) } },
        { clock: { ...clock, after: failing(after, clock.after) }, store },
        { store: { ...store, acquire: failing(after, store.acquire) } },
        { store: { ...store, append: failing(after, store.append) } },
        { store: { ...store, read: failing(after, store.read) } },
        { store: { ...store, release: failing(after, store.release) } },
      ]) {
        const { agent } = kit([call('echo'), 'done'], { tools: [echo().tool], ...options });
        const run = async (): Promise<string> => {
          const { status, error } = await agent.run('go');
          if (status === 'failed') expect(error).toBe(fault);
          return status;
        };
        endings.add(await run().catch(codeOf));
      }
    }
    expect([...endings].toSorted()).toEqual(['TH_OPTION_INVALID', 'done', 'failed']);
  });
});

it('a session is named by a text: a number opens no new conversation each time', () => {
  for (const id of [5, null, []]) {
    expect(() => kit([]).agent.session(id as never)).toThrow(
      expect.objectContaining({ code: 'TH_OPTION_INVALID' }) as Error,
    );
  }
});
