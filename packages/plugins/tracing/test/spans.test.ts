// Owns the spans of runs as a collector gets them: which there are, whose child each is, and what they say.
import { testHost, type TestHostOptions } from '@treblehook/testing';
import { defineTool, pending } from '@treblehook/types';
import { context, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import plugin from '../src/index.js';
import { collector, type Collector, type ReceivedSpan } from './collector-server.js';

let sink: Collector;
beforeEach(async () => {
  sink = await collector();
});
afterEach(() => sink.close());

const tool = (name: string, execute: () => unknown = () => `${name} says`) =>
  defineTool({ name, description: name, concurrency: 'safe', input: z.object({}), execute: execute as () => string });
const host = (options: TestHostOptions, config: object = {}) =>
  testHost({
    policy: { rules: [], unlisted: 'silent' },
    ...options,
    plugins: [{ plugin, config: { endpoint: sink.url, ...config } }],
  });
const named = (name: string): ReceivedSpan => {
  const found = sink.spans.filter((span) => span.name === name);
  expect(found, name).toHaveLength(1);
  return found[0]!;
};
const many = (name: string): readonly ReceivedSpan[] => sink.spans.filter((span) => span.name === name);

describe('a run', () => {
  it.each([false, true])(
    'is a span with its model calls and its parallel tools below it; streaming: %s',
    async (streams) => {
      const { agent, close, faults } = await host({
        script: [
          {
            calls: [
              { name: 'a', args: {} },
              { name: 'b', args: {} },
            ],
            usage: { input: 30, output: 7, cacheRead: 20, cacheWrite: 4, reasoning: 2 },
          },
          'said',
        ],
        tools: [tool('a'), tool('b', () => Promise.reject(new Error('secret words')))],
      });
      const session = agent.session('s');
      if (streams) for await (const _ of session.stream('my input'));
      else await session.run('my input');
      await close();
      expect(faults).toEqual([]);
      const run = named('invoke_agent agent');
      const chats = many('chat scripted');
      expect(sink.spans).toHaveLength(5);
      expect(run.parentSpanId).toBeUndefined();
      for (const span of sink.spans) {
        expect(span.traceId).toBe(run.traceId);
        if (span !== run) expect(span.parentSpanId).toBe(run.spanId);
        expect(span.endMs).toBeGreaterThanOrEqual(span.startMs);
      }
      expect(chats[0]!.attributes).toEqual({
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'scripted',
        'gen_ai.conversation.id': 's',
        'gen_ai.agent.name': 'agent',
        'gen_ai.usage.input_tokens': 30,
        'gen_ai.usage.output_tokens': 7,
        'gen_ai.usage.cache_read.input_tokens': 20,
        'gen_ai.usage.cache_creation.input_tokens': 4,
        'gen_ai.usage.reasoning.output_tokens': 2,
        'gen_ai.response.finish_reasons': ['tool-calls'],
        'treblehook.turn': 0,
        'treblehook.attempts': 1,
      });
      expect(run.attributes).toMatchObject({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.usage.input_tokens': 40,
        'treblehook.run.status': 'done',
        'treblehook.run.tool_calls': 2,
      });
      expect(named('execute_tool a')).toMatchObject({
        isError: false,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'a',
          'treblehook.tool.outcome': 'ok',
        },
      });
      expect(named('execute_tool b')).toMatchObject({ isError: true, attributes: { 'error.type': 'error' } });
      const ids = [named('execute_tool a'), named('execute_tool b')].map(
        ({ attributes }) => attributes['gen_ai.tool.call.id'],
      );
      expect(new Set(ids).size).toBe(2);
      expect(JSON.stringify(sink.requests)).not.toMatch(/my input|said|says|secret words/);
      expect(sink.resource()).toMatchObject({ 'service.name': 'treblehook' });
    },
  );

  it('that goes on behind an answer is a trace of its own, linked with the one that waited', async () => {
    let isAnswered = false;
    const { agent, close } = await host({
      script: [{ calls: [{ name: 'ask', args: {} }] }, 'done'],
      tools: [tool('ask', () => (isAnswered ? 'yes' : pending({ kind: 'choice', prompt: 'which?' })))],
    });
    const session = agent.session('s');
    const first = await session.run('go');
    expect(first.status).toBe('pending');
    isAnswered = true;
    const [request] = first.pending!;
    expect((await session.resume({ id: request!.id, ok: true })).status).toBe('done');
    await close();
    const [waited, wentOn] = many('invoke_agent agent');
    expect(waited!.attributes['treblehook.run.status']).toBe('pending');
    expect(wentOn!.links).toEqual([waited!.spanId]);
    expect(wentOn!.attributes['treblehook.run.id']).toBe(waited!.attributes['treblehook.run.id']);
    const asks = many('execute_tool ask');
    expect(asks.map(({ parentSpanId }) => parentSpanId)).toEqual([waited!.spanId, wentOn!.spanId]);
    expect(asks.map(({ isError }) => isError)).toEqual([false, false]);
  });

  it('that fails says how, without its words; what is tried again is one span with an event', async () => {
    const down = Object.assign(new Error('secret words'), { statusCode: 503 });
    const { agent, close } = await host({
      script: [down, 'said', new TypeError('secret words')],
      retry: { attempts: 2, baseMs: 1 },
    });
    expect((await agent.run('one')).status).toBe('done');
    expect((await agent.run('two')).status).toBe('failed');
    await close();
    const [again, failed] = many('chat scripted');
    expect(again).toMatchObject({ isError: false, events: ['retry'], attributes: { 'treblehook.attempts': 2 } });
    expect(failed).toMatchObject({ isError: true, attributes: { 'error.type': 'TypeError' } });
    expect(many('invoke_agent agent')[1]).toMatchObject({ isError: true, attributes: { 'error.type': 'TypeError' } });
    expect(JSON.stringify(sink.requests)).not.toContain('secret words');
  });

  it('that is aborted ends all its spans', async () => {
    const abort = new AbortController();
    const { agent, close } = await host({
      script: [{ wait: new Promise(() => {}) }],
    });
    const run = agent.run('go', { signal: abort.signal });
    await new Promise((resolve) => setImmediate(resolve));
    abort.abort(new Error('secret words'));
    expect((await run).status).toBe('aborted');
    await close();
    expect(sink.spans.map(({ name }) => name).sort()).toEqual(['chat scripted', 'invoke_agent agent']);
    expect(named('invoke_agent agent')).toMatchObject({ isError: true, attributes: { 'error.type': 'aborted' } });
    expect(JSON.stringify(sink.requests)).not.toContain('secret words');
  });

  it('beside another one, of sessions and tools with names of Object.prototype, is another trace', async () => {
    const { agent, close, faults } = await host({
      script: [
        { calls: [{ name: 'constructor', args: {} }] },
        { calls: [{ name: 'constructor', args: {} }] },
        'x',
        'y',
      ],
      tools: [tool('constructor')],
    });
    await Promise.all(['__proto__', 'toString'].map((id) => agent.session(id).run('go')));
    await close();
    expect(faults).toEqual([]);
    const runs = many('invoke_agent agent');
    expect(new Set(runs.map(({ traceId }) => traceId)).size).toBe(2);
    for (const run of runs) {
      const own = sink.spans.filter(({ parentSpanId }) => parentSpanId === run.spanId);
      expect(own.map(({ name }) => name).sort()).toEqual([
        'chat scripted',
        'chat scripted',
        'execute_tool constructor',
      ]);
      for (const one of own) {
        expect(one.attributes['gen_ai.conversation.id']).toBe(run.attributes['gen_ai.conversation.id']);
      }
    }
  });
});

describe('settings', () => {
  it('content: texts are in the spans, in the form of the conventions, and no bytes', async () => {
    const { agent, close, registry } = await host(
      {
        script: [{ calls: [{ name: 'a', args: {} }] }, 'said'],
        tools: [tool('a')],
        personality: { id: 'p', system: 'sys', plugins: ['tracing'] },
      },
      { content: true },
    );
    registry.registerModifying('beforeLLM', () => ({
      inject: [{ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: 'SECRETBYTES' }] }],
    }));
    await agent.run('my input');
    await close();
    const [first, second] = many('chat scripted');
    expect(JSON.parse(first!.attributes['gen_ai.input.messages'] as string)).toEqual([
      { role: 'system', parts: [{ type: 'text', content: 'sys' }] },
      { role: 'user', parts: [{ type: 'text', content: 'my input' }] },
      { role: 'user', parts: [{ type: 'blob', mime_type: 'image/png' }] },
    ]);
    expect(JSON.parse(second!.attributes['gen_ai.output.messages'] as string)).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'said' }], finish_reason: 'stop' },
    ]);
    expect(named('execute_tool a').attributes['gen_ai.tool.call.result']).toBe('a says');
    expect(JSON.stringify(sink.requests)).not.toContain('SECRETBYTES');
  });

  it('content of any length is cut', async () => {
    const { agent, close } = await host({ script: ['said', 'again'] }, { content: true });
    const session = agent.session('s');
    await session.run('x'.repeat(50_000));
    await session.run('y'.repeat(30_000));
    await close();
    const [, second] = many('chat scripted');
    expect(second!.attributes).toMatchObject({ 'treblehook.content.omitted': 1 });
    expect(Math.max(...sink.requests.map(({ text }) => text.length))).toBeLessThan(400_000);
  });

  it('headers and the name of the service go with each request; a share of none sends nothing', async () => {
    const { agent, close } = await host({}, { headers: { 'x-key': 'k1' }, serviceName: 'mine' });
    await agent.run('go');
    await close();
    expect(sink.requests[0]!.headers['x-key']).toBe('k1');
    expect(sink.resource()).toMatchObject({ 'service.name': 'mine' });
    const before = sink.requests.length;
    const none = await host({}, { sampleRatio: 0 });
    await none.agent.run('go');
    await none.close();
    expect(sink.requests).toHaveLength(before);
  });

  it('nothing is registered globally', async () => {
    const { agent, close } = await host({});
    await agent.run('go');
    expect(trace.getTracer('x').startSpan('y').isRecording()).toBe(false);
    expect(
      context.with(trace.setSpan(context.active(), trace.wrapSpanContext({} as never)), () => trace.getActiveSpan()),
    ).toBeUndefined();
    await close();
  });
});
