// Unset is byte-identical: without hooks, tenants and plugins, what goes on the wire, the session and the results are those
// that were recorded in `conformance/recordings`. `npm test -- test/recordings -u` records anew, and nothing else does.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  createAgent,
  createRuntime,
  memoryStore,
  type Agent,
  type AgentOptions,
  type RunResult,
} from '@treblehook/agent';
import { manualClock } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { resolveModel } from '@treblehook/providers';
import { agentHooks, defineTool, type AgentHooks, type HookRegistry, type StandardSchema } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { anthropicWire, openaiWire, type Script } from '../packages/providers/test/wire/index.js';
import { root } from '../scripts/workspace.mjs';

const dialects = { 'openai-compatible': openaiWire, anthropic: anthropicWire } as const;
type Dialect = keyof typeof dialects;

const script: Script = [
  { text: ['I look ', 'it up.'], calls: [{ id: 'call_1', name: 'get_weather', args: { town: 'Chennai' } }] },
  { text: ['It ', 'rains.'] },
  { text: 'It rains tomorrow, too.', usage: { input: 40, output: 7, cacheRead: 20 } },
];
const town: StandardSchema<unknown, { readonly town: string }> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as { town: string } }) },
};
const getWeather = defineTool({
  name: 'get_weather',
  description: 'The weather of a town.',
  input: town,
  inputSchema: { type: 'object', properties: { town: { type: 'string' } }, required: ['town'] },
  execute: ({ town: name }) => `${name}: rain`,
});

type Way = readonly [name: string, make: (options: AgentOptions) => Agent, drive: 'run' | 'stream'];
const direct = (options: AgentOptions): Agent => createAgent(options);
const viaRuntime = ({ tools, personality, unguarded, ...shared }: AgentOptions): Agent => {
  const definition = { tools: tools!, personality: personality!, unguarded: unguarded! };
  return createRuntime({ ...shared, agents: { agent: definition } }).agent('agent');
};
const ways: readonly Way[] = [
  ['createAgent, run', direct, 'run'],
  ['createAgent, stream', direct, 'stream'],
  ['createRuntime, run', viaRuntime, 'run'],
  ['createRuntime, stream', viaRuntime, 'stream'],
];

/** Two turns, the first with a tool call. */
async function recorded(
  dialect: Dialect,
  [, make, drive]: Way,
  registry: HookRegistry<AgentHooks> = createHookRegistry(agentHooks),
): Promise<string> {
  const wire = await dialects[dialect](script);
  let ids = 0;
  const store = memoryStore({ now: () => 0 });
  const agent = make({
    registry,
    model: await resolveModel(`${dialect}:model-1@${wire.url}`, { apiKey: 'key' }),
    personality: { id: 'weather', system: 'You answer in one sentence.' },
    tools: [getWeather],
    unguarded: 'its only tool reads',
    settings: { temperature: 0.2, maxOutputTokens: 200, stop: ['END'], toolChoice: 'auto' },
    store,
    clock: manualClock(),
    ids: (kind) => `${kind}_${ids++}`,
  });
  const session = agent.session('session');
  const results: RunResult[] = [];
  for (const input of ['What is the weather of Chennai?', 'And tomorrow?']) {
    results.push(drive === 'run' ? await session.run(input) : await drained(session.stream(input)));
  }
  const messages = session.messages();
  await agent.close();
  await wire.close();
  const bodies = wire.requests.map(({ text }) => text);
  return `${JSON.stringify({ bodies, results, messages, log: await store.read('session') }, null, 2)}\n`;
}

async function drained(stream: AsyncGenerator<unknown, RunResult>): Promise<RunResult> {
  for (;;) {
    const next = await stream.next();
    if (next.done === true) return next.value;
  }
}

/** Somebody listens everywhere and changes nothing. A guard is not there: what it says is evidence, and stands in the log. */
function listening(): HookRegistry<AgentHooks> {
  const registry = createHookRegistry(agentHooks);
  for (const [name, { model }] of Object.entries(agentHooks)) {
    if (model === 'void') registry.registerVoid(name as never, () => {});
    else if (model === 'modifying') registry.registerModifying(name as never, (() => ({})) as never);
  }
  return registry;
}

describe.each(Object.keys(dialects) as Dialect[])('%s', (dialect) => {
  const file = join(root, 'conformance/recordings', `${dialect}.json`);

  it('has a recording', () => {
    expect(existsSync(file), `${file} is not there: npm test -- test/recordings -u makes it`).toBe(true);
  });

  it.each(ways)('%s: bodies, results, messages and log are the recorded bytes', async (...way) => {
    await expect(await recorded(dialect, way)).toMatchFileSnapshot(file);
  });

  it('is the same when handlers listen at every point and say nothing', async () => {
    expect(await recorded(dialect, ways[0]!, listening())).toBe(await recorded(dialect, ways[0]!));
  });

  it('holds nothing of the machine, the day or the server', async () => {
    const text = await recorded(dialect, ways[1]!);
    expect(text).not.toMatch(/127\.0\.0\.1|localhost|\/home\/|\/tmp\/|:\d{4,5}\b|20[2-9]\d-|"at": [1-9]|"ms": [1-9]/);
  });
});
