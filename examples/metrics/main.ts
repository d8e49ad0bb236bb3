/** A metric sink: what each model call, tool call and run took; a handler calls a model, a tool another tool; a limit of cost ends the run. */
import type { Metric } from '@treblehook/agent';
import { createHost } from '@treblehook/host';
import { scriptedModel } from '@treblehook/testing';
import { defineTool, type SideCallAnswer } from '@treblehook/types';
import { z } from 'zod';

const weather = defineTool({
  name: 'weather',
  description: 'The weather of a town.',
  input: z.object({ town: z.string() }),
  concurrency: 'safe',
  execute: ({ town }) => `${town}: rain`,
});
const trip = defineTool({
  name: 'trip',
  description: 'The weather at both ends of a trip.',
  input: z.object({ from: z.string(), to: z.string() }),
  concurrency: 'safe',
  async execute({ from, to }, ctx) {
    // Each of the two is rewritten, sealed and guarded as a call of the model would be.
    const ends = [await ctx.callTool('weather', { town: from }), await ctx.callTool('weather', { town: to })];
    return ends.map(({ output }) => output).join('; ');
  },
});

const usage = { input: 20_000, cacheRead: 15_000, output: 400 };
const title = { text: 'A wet trip', usage: { input: 1_000, output: 100 } };
const asks = { calls: [{ name: 'trip', args: { from: 'Kiel', to: 'Bonn' } }], usage };
const model = scriptedModel([title, asks, asks], { modelId: 'big' });

const metrics: Metric[] = [];
const host = await createHost({
  model,
  tools: [weather, trip],
  onMetric: (metric) => void metrics.push(metric),
  prices: { big: { input: 3, output: 15, cacheRead: 0.3 } }, // of a million tokens
  limits: { cost: 0.05 },
});
host.registry.registerModifying(
  'beforeLLM',
  async ({ origin, messages }, ctx) => {
    if (origin.turn > 0) return;
    const { text } = (await ctx.callModel!({ messages }, 'title')) as SideCallAnswer;
    console.log(`title: ${text}`);
  },
  { id: 'titles', timeoutMs: 30_000 },
);
await host.agent.run('How is the weather on the way from Kiel to Bonn?');
await host.close();

const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(4)) : value);
for (const { ms: _, origin, ...metric } of metrics) {
  const { callId: _id, record: _evidence, ...told } = { callId: '', record: undefined, ...metric }; // both differ from run to run
  if (metric.type !== 'hook') console.log(`turn ${origin.turn}: ${JSON.stringify(told, rounded)}`);
}
const hooks = metrics.flatMap((one) => (one.type === 'hook' ? [one.hook] : []));
console.log(`fires with handlers: ${[...new Set(hooks)].join(', ')}`);
