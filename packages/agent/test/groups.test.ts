// Groups: safe neighbours run together; each is cleared in order, settled in order, and costs the others nothing.
import { defineTool, type Tool, type ToolEnd } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deferred } from '../src/testing/index.js';
import { calls, collect, kit, settle } from './kit.js';

interface Body {
  readonly key: string;
  readonly done: (output?: string) => void;
  readonly fail: (error: Error) => void;
  readonly signal: AbortSignal;
}

/** Tools whose bodies stand still until they are told; what starts is noted. */
/** `null`: it says nothing. */
function bench(concurrency: Tool['concurrency'] | null = 'safe') {
  const started: string[] = [];
  const bodies = new Map<string, Body>();
  const work = defineTool({
    name: 'work',
    description: 'works',
    input: z.object({ key: z.string() }),
    ...(concurrency === null ? {} : { concurrency }),
    execute: ({ key }, { signal }) => {
      started.push(key);
      const { promise, resolve, reject } = deferred<string>();
      bodies.set(key, { key, signal, done: (output = `did ${key}`) => resolve(output), fail: reject });
      return promise;
    },
  });
  return { work, started, body: (key: string) => bodies.get(key)! };
}
const work = (...keys: readonly string[]) => calls(...keys.map((key) => ({ name: 'work', args: { key } })));
const outputs = (toolCalls: readonly { readonly output: string }[]): string[] => toolCalls.map(({ output }) => output);

describe('a group', () => {
  it('is of neighbours that say they are safe: their bodies run together, results stand in source order', async () => {
    const { work: tool, started, body } = bench();
    const { agent } = kit([work('a', 'b', 'c'), 'ok'], { tools: [tool] });
    const run = agent.run('go');
    await settle();
    expect(started).toEqual(['a', 'b', 'c']);
    for (const key of ['c', 'a', 'b']) body(key).done();
    expect(outputs((await run).toolCalls)).toEqual(['did a', 'did b', 'did c']);
  });

  it.each([null, 'exclusive', () => 'exclusive', () => 'yes'] as (Tool['concurrency'] | null)[])(
    'is one call alone when its tool says %s',
    async (concurrency) => {
      const { work: tool, started, body } = bench(concurrency);
      const { agent } = kit([work('a', 'b'), 'ok'], { tools: [tool] });
      const run = agent.run('go');
      await settle();
      expect(started).toEqual(['a']);
      body('a').done();
      await settle();
      body('b').done();
      expect(outputs((await run).toolCalls)).toEqual(['did a', 'did b']);
    },
  );

  it('is one call alone when the function that should say so throws', async () => {
    const {
      work: tool,
      started,
      body,
    } = bench(() => {
      throw new Error('x');
    });
    const { agent } = kit([work('a', 'b'), 'ok'], { tools: [tool] });
    const run = agent.run('go');
    await settle();
    expect(started).toEqual(['a']);
    body('a').done();
    await settle();
    body('b').done();
    await run;
  });

  it('goes by the arguments, and ends at a call that is not safe', async () => {
    const {
      work: tool,
      started,
      body,
    } = bench(({ key }: { key: string }) => (key.startsWith('r') ? 'safe' : 'exclusive'));
    const { agent } = kit([work('r1', 'r2', 'w', 'r3'), 'ok'], { tools: [tool] });
    const run = agent.run('go');
    await settle();
    expect(started).toEqual(['r1', 'r2']);
    body('r1').done();
    await settle();
    expect(started).toEqual(['r1', 'r2']);
    body('r2').done();
    await settle();
    expect(started).toEqual(['r1', 'r2', 'w']);
    body('w').done();
    await settle();
    body('r3').done();
    expect(outputs((await run).toolCalls)).toEqual(['did r1', 'did r2', 'did w', 'did r3']);
  });

  it('loses a call that its amended arguments make unsafe: it runs alone, and its guards see the world behind the others', async () => {
    const {
      work: tool,
      started,
      body,
    } = bench(({ key }: { key: string }) => (key.startsWith('r') ? 'safe' : 'exclusive'));
    const { agent, registry } = kit([work('r1', 'r2', 'r3'), 'ok'], { tools: [tool] });
    registry.registerModifying('beforeTool', ({ args }) =>
      (args as { key: string }).key === 'r2' ? { args: { key: 'w' } } : undefined,
    );
    const guarded: string[] = [];
    registry.registerClaiming('toolPolicy', ({ args }) => void guarded.push((args as { key: string }).key));
    const run = agent.run('go');
    await settle();
    expect(started).toEqual(['r1']);
    body('r1').done();
    await settle();
    expect([started, guarded.slice(0, 3)]).toEqual([
      ['r1', 'w'],
      ['r1', 'w', 'w'],
    ]);
    body('w').done();
    await settle();
    body('r3').done();
    expect(outputs((await run).toolCalls)).toEqual(['did r1', 'did w', 'did r3']);
  });

  it('runs at most so many bodies at a time as the agent says', async () => {
    const { work: tool, started, body } = bench();
    const { agent } = kit([work('a', 'b', 'c', 'd'), 'ok'], { tools: [tool], maxConcurrentTools: 2 });
    const run = agent.run('go');
    await settle();
    expect(started).toEqual(['a', 'b']);
    body('b').done();
    await settle();
    expect(started).toEqual(['a', 'b', 'c']);
    body('a').done();
    body('c').done();
    await settle();
    body('d').done();
    await run;
  });

  // https://github.com/anthropics/claude-code/issues/64237
  it('in which one fails or is refused costs no sibling its result', async () => {
    const { work: tool, body } = bench();
    const { agent, registry } = kit([work('a', 'b', 'c', 'd'), 'ok'], { tools: [tool] });
    registry.registerClaiming('toolPolicy', ({ args }) =>
      (args as { key: string }).key === 'c' ? { deny: 'not c' } : undefined,
    );
    const run = agent.run('go');
    await settle();
    body('b').fail(new Error('broken'));
    body('a').done();
    body('d').done();
    expect((await run).toolCalls.map(({ outcome }) => outcome)).toEqual(['ok', 'error', 'denied', 'ok']);
  });

  // https://github.com/earendil-works/pi/issues/3084
  it('of thirteen in which afterTool throws on the fourth has thirteen results in call order', async () => {
    const keys = Array.from({ length: 13 }, (_, at) => `k${at}`);
    const { work: tool, body } = bench();
    const { agent, registry } = kit([work(...keys), 'ok'], { tools: [tool], maxConcurrentTools: 20 });
    registry.events.on('handlerFailed', () => {});
    registry.registerModifying(
      'afterTool',
      ({ args }) => {
        if ((args as { key: string }).key === 'k3') throw new Error('hook');
      },
      { id: 'bad', onError: 'abort' },
    );
    const run = agent.run('go');
    await settle();
    for (const key of keys.toReversed()) body(key).done();
    const { status, toolCalls } = await run;
    expect([status, toolCalls.length]).toEqual(['done', 13]);
    expect(toolCalls.map(({ output }, at) => output === `did k${at}` || at === 3)).toEqual(keys.map(() => true));
    expect(toolCalls[3]).toMatchObject({
      outcome: 'error',
      output: expect.stringContaining("'bad' failed on afterTool"),
    });
  });

  // https://github.com/github/copilot-cli/issues/2893
  it('of eight, each with a slow guard, has eight real verdicts: the time of a guard begins when it is asked', async () => {
    const keys = Array.from({ length: 8 }, (_, at) => `k${at}`);
    const { work: tool, body } = bench();
    const { agent, registry } = kit([work(...keys), 'ok'], { tools: [tool] });
    const ends: ToolEnd[] = [];
    registry.registerVoid('toolEnd', (end) => void ends.push(end));
    registry.registerClaiming('toolPolicy', () => new Promise((resolve) => setTimeout(resolve, 40)), {
      id: 'slow',
      timeoutMs: 200,
    });
    const run = agent.run('go');
    while (keys.some((key) => body(key) === undefined)) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const key of keys) body(key).done();
    await run;
    expect(
      ends.flatMap(({ record }) => record.verdicts.map(({ by, kind, verdict }) => `${by.id} ${kind} ${verdict}`)),
    ).toEqual(keys.flatMap(() => ['open policy pass', 'slow policy pass']));
  });

  it('takes its budget before it starts: the calls beyond it are not started, and the run ends with its name', async () => {
    const { work: tool, started, body } = bench();
    const { agent } = kit([work('a', 'b', 'c'), 'never'], { tools: [tool], limits: { toolCalls: 2 } });
    const run = agent.run('go');
    await settle();
    expect(started).toEqual(['a', 'b']);
    body('a').done();
    body('b').done();
    const result = await run;
    expect(result).toMatchObject({ status: 'incomplete', limit: 'toolCalls' });
    expect(result.toolCalls.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'not-started']);
  });

  it('in which a guard ends the run lets the calls in front of it run, and none behind it', async () => {
    const { work: tool, started, body } = bench();
    const { agent, registry } = kit([work('a', 'b', 'c'), 'never'], { tools: [tool] });
    registry.registerClaiming('toolPolicy', ({ args }) =>
      (args as { key: string }).key === 'b' ? { deny: 'stop it all', halt: true } : undefined,
    );
    const run = agent.run('go');
    await settle();
    expect(started).toEqual(['a']);
    body('a').done();
    const result = await run;
    expect(result).toMatchObject({ status: 'vetoed' });
    expect(result.toolCalls.map(({ outcome }) => outcome)).toEqual(['ok', 'denied', 'not-started']);
  });

  it('that is aborted reaches every body, waits for them, and leaves each a result', async () => {
    const { work: tool, body } = bench();
    const abort = new AbortController();
    const { agent } = kit([work('a', 'b', 'c'), 'never'], { tools: [tool], maxConcurrentTools: 2 });
    const run = agent.run('go', { signal: abort.signal });
    await settle();
    abort.abort();
    expect([body('a').signal.aborted, body('b').signal.aborted]).toEqual([true, true]);
    body('a').fail(new Error('stopped'));
    body('b').done();
    const result = await run;
    expect(result.status).toBe('aborted');
    expect(result.toolCalls.map(({ outcome }) => outcome)).toEqual(['cancelled', 'ok', 'cancelled']);
  });

  it('is told in source order, each call with its start and its one end', async () => {
    const { work: tool, body } = bench();
    const { agent } = kit([work('a', 'b'), 'ok'], { tools: [tool] });
    const collected = collect(agent.stream('go'));
    await settle();
    body('b').done();
    body('a').done();
    const { events } = await collected;
    const told = events.flatMap((event) =>
      event.type === 'tool-call'
        ? [`call ${(event.args as { key: string }).key}`]
        : event.type === 'tool-end'
          ? [`end ${event.result.output}`]
          : [],
    );
    expect(told).toEqual(['call a', 'call b', 'end did a', 'end did b']);
  });
});
