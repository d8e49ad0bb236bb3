/** The plugin: what the void points tell becomes spans. It amends nothing and answers nothing. */
import type { Tracer } from '@opentelemetry/api';
import { definePlugin, type Plugin, type PluginApi } from '@treblehook/types';
import { collectorTracer } from './collector.js';
import { collectorConfig, tracerConfig, type CollectorConfig, type TracerConfig } from './config.js';
import { RunSpans } from './run-spans.js';

export interface TracingOptions {
  /** Of a provider of your own, which you flush and shut down. Default: one that sends to the `endpoint` of the settings. */
  readonly tracer?: Tracer;
}

/** Spans by the GenAI conventions. With a `tracer` its only setting is `content`. */
export function tracing({ tracer }: TracingOptions = {}): Plugin {
  if (tracer !== undefined) {
    return definePlugin({
      id: 'tracing',
      config: tracerConfig,
      setup: (api) => observe(api, new RunSpans(tracer, api.config.content)),
    });
  }
  return definePlugin({
    id: 'tracing',
    config: collectorConfig,
    setup(api) {
      const { tracer: own, close } = collectorTracer(api.config, (what) => api.log.warn(what));
      api.onDispose(close); // called last: the spans have ended by then
      observe(api, new RunSpans(own, api.config.content));
    },
  });
}

function observe({ hooks, onDispose }: PluginApi<{}, CollectorConfig | TracerConfig>, spans: RunSpans): void {
  hooks.registerVoid('messageReceived', (told) => spans.input(told), { id: 'run' });
  hooks.registerVoid('llmRequest', (told) => spans.request(told), { id: 'request' });
  hooks.registerVoid('afterLLM', (told) => spans.answer(told), { id: 'answer' });
  hooks.registerVoid('subagentSpawned', (told) => spans.spawned(told), { id: 'task' });
  hooks.registerVoid('toolEnd', (told) => spans.toolEnd(told), { id: 'tool' });
  hooks.registerVoid('agentDone', (told) => spans.done(told), { id: 'done' });
  onDispose(() => spans.endAll());
}
