// Owns the spans of tasks, of an embedder's own tracer, and of model calls that handlers make.
import { createRuntime } from '@treblehook/agent';
import { deferred, scriptedModel, type ScriptedStep } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { testHost } from '@treblehook/testing';
import { agentHooks, defineTool, pending, type Plugin } from '@treblehook/types';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-node';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { tracing } from '../src/index.js';

function recorder() {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return {
    tracer: provider.getTracer('mine'),
    spans: () => exporter.getFinishedSpans(),
    one: (name: string): ReadableSpan => {
      const found = exporter.getFinishedSpans().filter((span) => span.name === name);
      expect(found, name).toHaveLength(1);
      return found[0]!;
    },
  };
}

const id = (span: ReadableSpan): string => span.spanContext().spanId;
const parent = (span: ReadableSpan): string | undefined => span.parentSpanContext?.spanId;

/** A runtime, the plugin set up on its registry by hand. */
function runtimeWith(
  plugin: Plugin,
  scripts: Readonly<Record<string, readonly ScriptedStep[]>>,
  tools: readonly never[] = [],
  onDispose: (dispose: () => void) => void = () => {},
) {
  const registry = createHookRegistry(agentHooks);
  void plugin.setup({ hooks: registry.forPlugin(plugin.id), config: { content: false }, onDispose } as never);
  const personality = { id: 'p', plugins: [plugin.id] };
  const agents = Object.fromEntries(
    Object.entries(scripts).map(([name, script]) => [
      name,
      {
        model: scriptedModel(script, { modelId: name }),
        personality,
        tools,
        unguarded: 'a test',
        ...(name === 'lead' && { agents: ['helper'] }),
      },
    ]),
  );
  return createRuntime({ registry, agents });
}

const task = (n: number): ScriptedStep => ({
  calls: Array.from({ length: n }, (_, at) => ({ name: 'task', args: { agent: 'helper', prompt: `part ${at}` } })),
});

it('what a child does stands below its task, of several at once each below its own', async () => {
  const { tracer, spans, one } = recorder();
  const runtime = runtimeWith(tracing({ tracer }), { lead: [task(2), 'end'], helper: ['one', 'two'] });
  expect((await runtime.agent('lead').run('go')).status).toBe('done');
  const lead = one('invoke_agent lead');
  const tasks = spans().filter(({ name }) => name === 'execute_tool task');
  const children = spans().filter(({ name }) => name === 'invoke_agent helper');
  expect(tasks.map(parent)).toEqual([id(lead), id(lead)]);
  expect(new Set(children.map(parent))).toEqual(new Set(tasks.map(id)));
  for (const child of children) {
    const inside = spans().filter((span) => parent(span) === id(child));
    expect(inside.map(({ name }) => name)).toEqual(['chat helper']);
    expect(child.attributes['treblehook.agent.path']).toEqual(['lead', 'helper']);
  }
  expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
});

it('a child that waited and goes on is linked with itself, in the trace of the run that goes on', async () => {
  const { tracer, spans } = recorder();
  let isAnswered = false;
  const ask = defineTool({
    name: 'ask',
    description: 'asks',
    input: z.object({}),
    execute: () => (isAnswered ? 'yes' : pending({ kind: 'choice', prompt: 'which?' })),
  });
  const runtime = runtimeWith(
    tracing({ tracer }),
    { lead: [task(1), 'end'], helper: [{ calls: [{ name: 'ask', args: {} }] }, 'done'] },
    [ask as never],
  );
  const session = runtime.agent('lead').session('s');
  const first = await session.run('go');
  expect(first.status).toBe('pending');
  isAnswered = true;
  expect((await session.resume({ id: first.pending![0]!.id, ok: true })).status).toBe('done');
  const [leadWaited, leadWentOn] = spans().filter(({ name }) => name === 'invoke_agent lead');
  const [waited, wentOn] = spans().filter(({ name }) => name === 'invoke_agent helper');
  expect(wentOn!.links.map(({ context }) => context.spanId)).toEqual([id(waited!)]);
  expect(leadWentOn!.links.map(({ context }) => context.spanId)).toEqual([id(leadWaited!)]);
  expect(wentOn!.spanContext().traceId).toBe(leadWentOn!.spanContext().traceId);
  const above = spans().find((span) => id(span) === parent(wentOn!))!;
  expect(above.spanContext().traceId).toBe(leadWentOn!.spanContext().traceId);
});

it('a model call of a handler is a span with its purpose, beside that of the turn', async () => {
  const { tracer, spans } = recorder();
  const { agent, registry, close } = await testHost({ script: ['short', 'said'], plugins: [tracing({ tracer })] });
  registry.registerModifying('beforeLLM', async (_, { callModel }) => {
    await callModel!({ messages: [{ role: 'user', content: [{ type: 'text', text: 'in short?' }] }] }, 'summary');
  });
  await agent.run('go');
  await close();
  const chats = spans().filter(({ name }) => name === 'chat scripted');
  expect(chats.map(({ attributes }) => attributes['treblehook.purpose'])).toEqual(['summary', undefined]);
});

it('a tracer that throws harms no run', async () => {
  const tracer = {
    startSpan: () => {
      throw new Error('bad tracer');
    },
  } as never;
  const { agent, faults } = await testHost({ plugins: [tracing({ tracer })] });
  expect((await agent.run('go')).status).toBe('done');
  expect(new Set(faults.map(({ id: by }) => by.replace(/\/.*/, '')))).toEqual(new Set(['tracing']));
});

it('what is open when the plugin goes ends with it, and what comes late opens nothing', async () => {
  const { tracer, spans } = recorder();
  let dispose = (): void => {};
  const goOn = deferred();
  const began = deferred();
  const wait = (): ScriptedStep => {
    began.resolve();
    return { wait: goOn.promise, text: 'late' };
  };
  const runtime = runtimeWith(tracing({ tracer }), { lead: [wait], helper: [] }, [], (end) => (dispose = end));
  const run = runtime.agent('lead').run('go');
  await began.promise;
  dispose();
  expect(spans().map(({ name }) => name)).toEqual(['chat lead', 'invoke_agent lead']);
  expect(spans()[0]!.attributes['error.type']).toBe('unfinished');
  goOn.resolve();
  await run;
  expect(spans().map(({ name }) => name)).toEqual(['chat lead', 'invoke_agent lead', 'chat lead']);
});
