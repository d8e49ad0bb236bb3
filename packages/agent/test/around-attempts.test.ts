// Attempts anew at a call: each with a seal, guards, a clearance and a record of its own; groups keep their law.
import { defineTool, type Answer, type Request, type SessionRecord } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Around, ToolCallDone } from '../src/index.js';
import { deferred, type Deferred } from '../src/testing/index.js';
import { faultOf, said, wrapped } from './around-kit.js';
import { call, calls, echo, settle } from './kit.js';
import { tool } from './watched.js';

/** Calls again until it is ok, at most so often. */
const retrying = (most: number, seen: string[] = []): Around => ({
  async toolCall(_, core) {
    let done: ToolCallDone | undefined;
    for (let at = 0; at < most && done?.outcome !== 'ok' && done?.outcome !== 'not-started'; at++) {
      done = await core();
      seen.push(done.outcome);
    }
  },
});
/** Fails so often. */
function flaky(times: number) {
  let ran = 0;
  const body = tool('flaky', () => {
    if (ran++ < times) throw new Error(`broken ${ran}`);
    return `ran ${ran}`;
  });
  return { body, ran: () => ran };
}
const typesOf = (log: readonly SessionRecord[], callId: string): string[] =>
  log.flatMap((one) => ('callId' in one && one.callId === callId ? [one.type] : []));

describe('an attempt anew', () => {
  it('has a seal, guards and a record of its own, and the call has one end', async () => {
    const { body, ran } = flaky(2);
    const made = wrapped([call('flaky', {}), 'ok'], retrying(5), { tools: [body] });
    const asked: number[] = [];
    const amended: number[] = [];
    made.registry.registerModifying('beforeTool', ({ attempt }) => void amended.push(attempt));
    made.registry.registerClaiming('toolPolicy', ({ attempt }) => void asked.push(attempt));
    const { toolCalls } = await made.run();
    expect(toolCalls).toMatchObject([{ outcome: 'ok', output: 'ran 3' }]);
    expect([asked, amended, ran()]).toEqual([[1, 2, 3], [1, 2, 3], 3]);
    expect(made.ends.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([[3, 'ok']]);
    const log = await made.log();
    expect(typesOf(log, made.ends[0]!.callId)).toEqual([
      'started',
      'attempt',
      'started',
      'attempt',
      'started',
      'outcome',
    ]);
    expect(log.filter(({ type }) => type === 'attempt')).toMatchObject([
      { attempt: 1, outcome: 'error', record: { decision: 'clear', outcome: 'error' } },
      { attempt: 2, outcome: 'error', result: { output: expect.stringContaining('broken 2') } },
    ]);
  });

  it('is counted by the limit of tool calls; beyond it nothing runs, and the attempt before it stands', async () => {
    const { body, ran } = flaky(10);
    const seen: string[] = [];
    const made = wrapped([call('flaky', {}), 'never'], retrying(10, seen), { tools: [body], limits: { toolCalls: 3 } });
    const result = await made.run();
    expect(result).toMatchObject({ status: 'incomplete', limit: 'toolCalls' });
    expect(result.toolCalls).toMatchObject([{ outcome: 'error', output: expect.stringContaining('broken 3') }]);
    expect([seen, ran()]).toEqual([['error', 'error', 'error', 'not-started'], 3]);
    expect(made.ends.map(({ attempt }) => attempt)).toEqual([3]);
  });

  it('is refused when the one before it could not start', async () => {
    const { body } = flaky(10);
    let fault: unknown;
    const around: Around = {
      async toolCall(_, core) {
        await core();
        await core();
        fault = await faultOf(core());
      },
    };
    await wrapped([call('flaky', {}), 'never'], around, { tools: [body], limits: { toolCalls: 1 } }).run();
    expect(fault).toMatchObject({ code: 'TH_CORE_REFUSED' });
  });

  it('with other arguments is a call that the guards have not seen', async () => {
    const { tool: danger, ran } = echo();
    const around: Around = {
      async toolCall(_, core) {
        const first = await core();
        expect(first.outcome).toBe('ok');
        const second = await core({ args: { text: 'forbidden' } });
        expect(second.outcome).toBe('denied');
        return { result: 'all is well' };
      },
    };
    const made = wrapped([call('echo'), 'ok'], around, { tools: [danger] });
    made.registry.registerClaiming(
      'toolPolicy',
      ({ args }) => (said(args) === 'forbidden' ? { deny: 'no' } : undefined),
      {
        id: 'policy',
      },
    );
    expect((await made.run()).toolCalls).toMatchObject([{ outcome: 'denied', args: { text: 'forbidden' } }]);
    expect(ran).toEqual([{ text: 'hi' }]);
    expect((await made.log()).filter(({ type }) => type === 'attempt')).toMatchObject([{ attempt: 1, outcome: 'ok' }]);
  });

  it('behind a denial is made in its turn, and what it comes to counts', async () => {
    const { tool: danger, ran } = echo();
    const around: Around = {
      async toolCall(_, core) {
        if ((await core()).outcome === 'denied') await core({ args: { text: 'tame' } });
      },
    };
    const made = wrapped([call('echo', { text: 'wild' }), 'ok'], around, { tools: [danger] });
    made.registry.registerClaiming('toolPolicy', ({ args }) => (said(args) === 'wild' ? { deny: 'no' } : undefined));
    expect((await made.run()).toolCalls).toMatchObject([{ outcome: 'ok', output: 'said tame' }]);
    expect(ran).toEqual([{ text: 'tame' }]);
  });

  // https://github.com/microsoft/agent-framework/pull/2868
  it('is not made behind a denial that ends the run', async () => {
    const { tool: danger, ran } = echo();
    const seen: string[] = [];
    const made = wrapped([call('echo'), 'never'], retrying(3, seen), { tools: [danger] });
    made.registry.registerClaiming('toolPolicy', () => ({ deny: 'stop it all', halt: true }), { id: 'policy' });
    const result = await made.run();
    expect(result).toMatchObject({ status: 'vetoed', reason: { text: 'stop it all', by: 'policy' } });
    expect(result.toolCalls).toMatchObject([{ outcome: 'denied' }]);
    expect([seen, ran, made.model.calls.length]).toEqual([['denied', 'not-started'], [], 1]);
  });

  it('asks anew: a yes to the first is none to the second', async () => {
    const { body, ran } = flaky(1);
    const asked: Request[] = [];
    const answer = (request: Request): Answer => {
      asked.push(request);
      return { id: request.id, ok: asked.length === 1 };
    };
    const seen: string[] = [];
    const made = wrapped([call('flaky', {}), 'ok'], retrying(2, seen), { tools: [body], answerer: { answer } });
    made.registry.registerClaiming('toolPolicy', () => ({ ask: 'sure?', rule: 'all' }), { id: 'asker' });
    expect((await made.run()).toolCalls).toMatchObject([
      { outcome: 'denied', output: expect.stringContaining('refused') },
    ]);
    expect([asked.length, new Set(asked.map(({ id }) => id)).size, ran()]).toEqual([2, 2, 1]);
    expect(seen).toEqual(['error', 'denied']);
  });

  it('of a body that keeps the ctx of the one before cannot call through it', async () => {
    let kept: ((name: string, args: { text: string }) => Promise<unknown>) | undefined;
    let fault: unknown;
    const { tool: inner, ran } = echo();
    const outer = tool('outer', async (_, ctx) => {
      if (kept === undefined) {
        kept = (name, args) => ctx.callTool(name, args);
        throw new Error('again');
      }
      fault = await faultOf(kept('echo', { text: 'late' }));
      return 'ok';
    });
    await wrapped([call('outer', {}), 'ok'], retrying(2), { tools: [outer, inner] }).run();
    expect(fault).toMatchObject({ code: 'TH_DISPOSED' });
    expect(ran).toEqual([]);
  });
});

describe('a group of wrapped calls', () => {
  function bench(script = work('a', 'b', 'c')) {
    const order: string[] = [];
    const bodies = new Map<string, Deferred<string>>();
    const safe = defineTool({
      name: 'work',
      description: 'works',
      input: z.object({ key: z.string() }),
      concurrency: ({ key }: { key: string }) => (key.startsWith('x') ? 'exclusive' : 'safe'),
      execute({ key }) {
        order.push(`body ${key}`);
        const body = deferred<string>();
        bodies.set(key, body);
        return body.promise;
      },
    });
    const make = (around: Around, more: object = {}) => {
      const made = wrapped([script, 'ok'], around, { tools: [safe], ...more });
      const of = ({ args }: { readonly args: unknown }): string => (args as { key: string }).key;
      made.registry.registerModifying('beforeTool', (e) => void order.push(`before ${of(e)}`));
      made.registry.registerClaiming('toolPolicy', (e) => void order.push(`guard ${of(e)}`));
      made.registry.registerModifying('afterTool', (e) => void order.push(`after ${of(e)}`));
      made.registry.registerVoid('toolEnd', ({ outcome }) => void order.push(`end ${outcome}`));
      return made;
    };
    return { order, make, body: (key: string) => bodies.get(key)! };
  }
  const work = (...keys: readonly string[]) => calls(...keys.map((key) => ({ name: 'work', args: { key } })));
  const passing = (order: string[]): Around => ({
    async toolCall({ args }, core) {
      const { key } = args as { key: string };
      order.push(`in ${key}`);
      await core();
      order.push(`out ${key}`);
    },
  });

  it('is cleared call by call in order, its bodies run together, its results and ends stand in order', async () => {
    const { order, make, body } = bench();
    const run = make(passing(order)).run();
    await settle();
    for (const key of ['c', 'a', 'b']) body(key).resolve(`did ${key}`);
    const { toolCalls } = await run;
    expect(toolCalls.map(({ output }) => output)).toEqual(['did a', 'did b', 'did c']);
    expect(order).toEqual([
      ...['a', 'b', 'c'].flatMap((key) => [`in ${key}`, `before ${key}`, `guard ${key}`]),
      ...['a', 'b', 'c'].map((key) => `body ${key}`),
      ...['a', 'b', 'c'].flatMap((key) => [`after ${key}`, `out ${key}`, 'end ok']),
    ]);
  });

  it('keeps its order also when a wrapper is slow in front of its core, or behind it', async () => {
    const { order, make, body } = bench();
    const front = deferred<void>();
    const behind = deferred<void>();
    const around: Around = {
      async toolCall({ args }, core) {
        const { key } = args as { key: string };
        if (key === 'b') await front.promise;
        await core();
        if (key === 'a') await behind.promise;
      },
    };
    const run = make(around).run();
    await settle();
    expect(order).toEqual(['before a', 'guard a']);
    front.resolve();
    await settle();
    for (const key of ['a', 'b', 'c']) body(key).resolve(`did ${key}`);
    await settle();
    expect(order.slice(-4)).toEqual(['body a', 'body b', 'body c', 'after a']);
    behind.resolve();
    await run;
    expect(order.slice(-5)).toEqual(['end ok', 'after b', 'end ok', 'after c', 'end ok']);
  });

  it('in which one is attempted anew has that attempt alone behind the bodies, and the order of its ends', async () => {
    const { order, make, body } = bench();
    const around: Around = {
      async toolCall({ args }, core) {
        if ((await core()).outcome === 'error' && (args as { key: string }).key === 'a') await core();
      },
    };
    const run = make(around).run();
    await settle();
    body('a').reject(new Error('once'));
    body('b').resolve('did b');
    body('c').resolve('did c');
    await settle();
    expect(order.slice(-4)).toEqual(['after a', 'before a', 'guard a', 'body a']);
    body('a').resolve('did a');
    expect((await run).toolCalls.map(({ output }) => output)).toEqual(['did a', 'did b', 'did c']);
    expect(order.slice(-6)).toEqual(['after a', 'end ok', 'after b', 'end ok', 'after c', 'end ok']);
  });

  it('loses a call that rewritten arguments make unsafe: it runs alone, its guards see the world behind the others', async () => {
    const { order, make, body } = bench();
    const around: Around = {
      toolCall: ({ args }, core) => core((args as { key: string }).key === 'b' ? { args: { key: 'x' } } : undefined),
    };
    const run = make(around).run();
    await settle();
    expect(order).toEqual(['before a', 'guard a', 'before x', 'guard x', 'body a']);
    body('a').resolve('did a');
    await settle();
    expect(order.slice(5)).toEqual(['after a', 'end ok', 'guard x', 'body x']);
    body('x').resolve('did x');
    await settle();
    body('c').resolve('did c');
    expect((await run).toolCalls.map(({ output }) => output)).toEqual(['did a', 'did x', 'did c']);
  });

  it('goes on when one is supplied and one fails in its wrapper', async () => {
    const { order, make, body } = bench();
    const around: Around = {
      toolCall({ args }, core) {
        const { key } = args as { key: string };
        if (key === 'a') return { result: 'known' };
        if (key === 'b') throw new Error('broken');
        return core();
      },
    };
    const run = make(around).run();
    await settle();
    body('c').resolve('did c');
    expect((await run).toolCalls.map(({ outcome, output }) => [outcome, output])).toEqual([
      ['ok', 'known'],
      ['error', "'around' failed on the call of 'work': the call was not run"],
      ['ok', 'did c'],
    ]);
    expect(order).toEqual([
      'before a',
      'guard a',
      'before c',
      'guard c',
      'body c',
      'after a',
      'end ok',
      'end error',
      'after c',
      'end ok',
    ]);
  });

  it('takes no attempt anew once a call of it has ended the run', async () => {
    const { make, body } = bench(work('a', 'b'));
    const seen: string[] = [];
    const around: Around = {
      async toolCall({ args }, core) {
        const { key } = args as { key: string };
        seen.push(`${key} ${(await core()).outcome}`);
        if (key === 'a') seen.push(`${key} ${(await core()).outcome}`);
      },
    };
    const made = make(around);
    made.registry.registerClaiming('toolPolicy', ({ args }) =>
      (args as { key: string }).key === 'b' ? { deny: 'stop', halt: true } : undefined,
    );
    const run = made.run();
    await settle();
    body('a').reject(new Error('once'));
    expect(await run).toMatchObject({ status: 'vetoed' });
    expect(seen).toEqual(['b denied', 'a error', 'a not-started']);
  });
});
