import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { historyFault, pending, type AgentDone } from '@treblehook/types';
import { deferred, manualClock } from '../src/testing/index.js';
import { call, calls, collect, echo, kit, settle } from './kit.js';
import { failOnUnhandledRejections } from './rejections-watched.js';

import { tool } from './watched.js';
import { waiting } from './waiting.js';

failOnUnhandledRejections();

/** Settles at once, and calls `then` so many microtasks later. */
async function ticking(ticks: number, then: () => void): Promise<void> {
  void (async () => {
    for (let at = 0; at < ticks; at++) await Promise.resolve();
    then();
  })();
  await Promise.resolve();
}

describe('an aborted run', () => {
  // https://github.com/openai/openai-agents-js/issues/1521, https://github.com/vercel/ai/issues/8107
  it('in a tool that heeds the signal: the tool is told, what did not start is cancelled, the history is whole', async () => {
    const { agent, started, ends, done, ran, clock, model } = waiting(deferred(), true);
    const abort = new AbortController();
    const session = agent.session();
    const run = session.run('go', { signal: abort.signal });
    const signal = await started.promise;
    expect(signal.aborted).toBe(false);
    abort.abort(new Error('enough'));
    const result = await run;
    expect(signal.aborted).toBe(true);
    expect(result).toMatchObject({ status: 'aborted', text: '' });
    expect(ends.map(({ outcome, result: { output } }) => [outcome, output])).toEqual([
      ['cancelled', "'slow' was cancelled while it ran: enough"],
      ['cancelled', "cancelled: the run was aborted before 'echo' started"],
      ['cancelled', "cancelled: the run was aborted before 'slow' started"],
    ]);
    expect(ends[0]!.record.rawDigest).toBeDefined();
    expect(ends[1]!.record).toMatchObject({ digest: undefined, decision: undefined, verdicts: [] });
    expect(done).toMatchObject([{ status: 'aborted' }]);
    expect(historyFault(session.messages())).toBeUndefined();
    expect(session.messages().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect([ran.length, clock.pending(), model.calls.length]).toEqual([0, 0, 1]);
  });

  it.each(Array.from({ length: 60 }, (_, at) => at + 1))(
    '%i microtasks behind the finish of an answer: that call is told once all the same',
    async (ticks) => {
      const abort = new AbortController();
      const { agent, registry, model } = kit([() => ({ text: 'there', hold: ticking(ticks, () => abort.abort()) })]);
      const told: unknown[] = [];
      registry.registerVoid('afterLLM', (outcome) => void told.push(outcome));
      await agent.run('go', { signal: abort.signal });
      expect([model.calls.length, told.length]).toEqual([1, 1]);
    },
  );

  // https://github.com/vellum-ai/vellum-assistant/pull/42190
  it.each(['resolves', 'rejects'])(
    'in a tool that ignores the signal: it says that it may still be running; what %s later is dropped',
    async (how) => {
      const { agent, started, ends, clock, body } = waiting();
      const abort = new AbortController();
      const run = agent.run('go', { signal: abort.signal });
      await started.promise;
      abort.abort();
      await settle();
      expect(ends).toEqual([]);
      clock.advance(99);
      await settle();
      expect(ends).toEqual([]);
      clock.advance(1);
      const { status, toolCalls } = await run;
      expect(status).toBe('aborted');
      expect(ends[0]).toMatchObject({
        outcome: 'outcome-unknown',
        result: { isError: true, output: expect.stringMatching(/may still be running/) },
      });
      expect(ends[0]!.record).not.toHaveProperty('rawDigest');
      if (how === 'resolves') body.resolve('late secret');
      else body.reject(new Error('late'));
      await settle();
      expect(JSON.stringify([toolCalls, ends, agent.session().messages()])).not.toContain('late');
      expect(clock.pending()).toBe(0);
    },
  );

  it('uses the result of a body that ends within its grace, through afterTool', async () => {
    const { agent, registry, started, ends, clock, body } = waiting();
    registry.registerModifying('afterTool', ({ result }) => ({
      result: { ...result, output: result.output.toUpperCase() },
    }));
    const abort = new AbortController();
    const run = agent.run('go', { signal: abort.signal });
    await started.promise;
    abort.abort();
    body.resolve('in time');
    expect(await run).toMatchObject({ status: 'aborted' });
    expect(ends[0]).toMatchObject({ outcome: 'ok', result: { output: 'IN TIME' } });
    expect(clock.pending()).toBe(0);
  });

  it('behind a body that has run: its call is not told as one that never started', async () => {
    const abort = new AbortController();
    const { tool: once, ran } = echo();
    const afterTool = (): never => {
      abort.abort();
      throw new Error('hook');
    };
    const { agent } = kit([call('echo')], { tools: [once], hooks: { afterTool } });
    const { status, toolCalls } = await agent.run('go', { signal: abort.signal });
    expect([status, ran.length]).toEqual(['aborted', 1]);
    expect(toolCalls).toMatchObject([
      {
        outcome: 'error',
        output: "'echo' has run, and the run was aborted before its result was ready: it is withheld",
      },
    ]);
  });

  it('while its body waits for an answer: its call has begun, and is not over', async () => {
    const abort = new AbortController();
    const answerer = {
      answer: () => {
        abort.abort();
        return new Promise<never>(() => {});
      },
    };
    const asking = tool('asking', () => pending({ kind: 'choice', prompt: 'which?' }));
    const { agent } = kit([call('asking', {})], { tools: [asking], answerer });
    const { status, toolCalls } = await agent.run('go', { signal: abort.signal });
    expect(status).toBe('aborted');
    expect(toolCalls).toMatchObject([
      { outcome: 'cancelled', output: "cancelled: the run was aborted before 'asking' was over" },
    ]);
  });

  it('waits for no body that has ended before: no grace begins for it', async () => {
    const clock = manualClock();
    const abort = new AbortController();
    const slow = tool('slow', async () => 'done');
    const { agent } = kit([calls('slow', 'slow'), { hold: deferred().promise }], { tools: [slow], clock });
    const run = agent.run('go', { signal: abort.signal });
    await settle();
    abort.abort();
    expect((await run).toolCalls).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok' }]);
    expect(clock.pending()).toBe(0);
  });

  it('before it starts: nothing is stored, nothing is sent, and it is told', async () => {
    const { agent, model, done } = waiting();
    const session = agent.session();
    const result = await session.run('go', { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ status: 'aborted', turns: 0, messages: [] });
    expect(done).toMatchObject([{ status: 'aborted' }]);
    expect([session.messages(), model.calls]).toEqual([[], []]);
  });

  it('in a model that does not listen: the run ends at once, and the stream is closed when it speaks again', async () => {
    const gate = deferred();
    const abort = new AbortController();
    const { agent, registry, model } = kit([{ text: 'a', wait: gate.promise }]);
    const done: AgentDone[] = [];
    registry.registerVoid('agentDone', (end) => void done.push(end));
    const stream = agent.stream('go', { signal: abort.signal });
    const all = collect(stream);
    await settle();
    abort.abort();
    const { events, result } = await all;
    expect(result).toMatchObject({ status: 'aborted', usage: { inputTokens: { total: undefined } } });
    gate.resolve();
    await settle();
    expect(model.openStreams()).toBe(0);
    expect(events.map(({ type }) => type)).toEqual(['run-start', 'done']);
    expect(done).toHaveLength(1);
    expect(model.calls[0]!.abortSignal!.aborted).toBe(true);
  });

  it('in a model that has not even answered: its late stream is closed unread', async () => {
    const gate = deferred<string>();
    const abort = new AbortController();
    const { agent, model } = kit([() => gate.promise]);
    const run = agent.run('go', { signal: abort.signal });
    await settle();
    abort.abort();
    expect(await run).toMatchObject({ status: 'aborted' });
    gate.resolve('late');
    await settle();
    expect(model.openStreams()).toBe(0);
  });

  it.each([
    'beforePromptBuild',
    'beforeLLM',
    'llmRequest',
    'beforeTool',
    'toolPolicy',
    'afterLLM',
    'sessionStart',
  ] as const)('in a handler of %s: no later step starts, and it is told once', async (point) => {
    const { tool, ran } = echo();
    const abort = new AbortController();
    const { agent, registry, model } = kit([calls('echo', 'echo'), 'never'], { tools: [tool] });
    const done: AgentDone[] = [];
    registry.registerVoid('agentDone', (end) => void done.push(end));
    const hang = (): Promise<undefined> => {
      abort.abort();
      return new Promise(() => {});
    };
    if (point === 'toolPolicy') registry.registerClaiming(point, hang);
    else if (point === 'llmRequest' || point === 'afterLLM' || point === 'sessionStart')
      registry.registerVoid(point, hang);
    else registry.registerModifying(point, hang);
    const session = agent.session();
    const { status, toolCalls } = await session.run('go', { signal: abort.signal });
    expect(status).toBe('aborted');
    expect(ran).toEqual([]);
    expect(new Set(toolCalls.map(({ outcome }) => outcome)).size).toBeLessThanOrEqual(1);
    for (const { outcome } of toolCalls) expect(outcome).toBe('cancelled');
    expect(model.calls.length).toBe(['beforeTool', 'toolPolicy', 'afterLLM'].includes(point) ? 1 : 0);
    expect(historyFault(session.messages())).toBeUndefined();
    expect(done).toMatchObject([{ status: 'aborted' }]);
  });

  it('is observed: what closes a call and a run is fired without its signal', async () => {
    const { agent, registry, started, body } = waiting();
    const told: string[] = [];
    for (const point of ['toolEnd', 'agentDone'] as const) {
      registry.registerVoid(point, async () => {
        await settle();
        told.push(point);
      });
    }
    registry.registerModifying('afterTool', async () => {
      await settle();
      told.push('afterTool');
    });
    const abort = new AbortController();
    const run = agent.run('go', { signal: abort.signal });
    await started.promise;
    abort.abort();
    body.resolve('x');
    await run;
    expect(told).toEqual(['afterTool', 'toolEnd', 'toolEnd', 'toolEnd', 'agentDone']);
  });

  // https://github.com/QwenLM/qwen-code/pull/4366, https://github.com/MoonshotAI/kimi-code/pull/3241
  it('and two hundred that were not leave no listener on the signal of their caller', async () => {
    const { signal } = new AbortController();
    const { tool } = echo();
    const { agent } = kit(
      Array.from({ length: 400 }, (_, at) => (at % 2 === 0 ? call('echo') : 'x')),
      { tools: [tool] },
    );
    for (let at = 0; at < 200; at++) {
      await agent.run('go', { signal });
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    }
    const { registry: bare } = kit([]);
    const refused = kit([], { registry: bare, personality: { id: 'p' } });
    await expect(refused.agent.run('', { signal })).rejects.toMatchObject({ code: 'TH_OPTION_INVALID' });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('keeps one listener on the signal of its caller, however many steps it has', async () => {
    const { signal } = new AbortController();
    const seen = new Set<number>();
    const { tool } = echo();
    const { agent, registry } = kit([...Array.from({ length: 60 }, () => call('echo')), 'x'], { tools: [tool] });
    registry.registerVoid('toolEnd', () => void seen.add(getEventListeners(signal, 'abort').length));
    await agent.run('go', { signal });
    expect([...seen]).toEqual([1]);
  });
});
