/** Laws of compaction in a real loop when something goes wrong, waits, or asks a model. */
import { describe, expect, test } from 'vitest';
import { createAgent, memoryStore, type AgentOptions } from '@treblehook/agent';
import { deferred, scriptedModel, type ScriptedStep } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import {
  agentHooks,
  defineTool,
  type AfterCompaction,
  type CallModel,
  type Message,
  type SideCallAnswer,
  type StandardSchema,
} from '@treblehook/types';
import { compactor, install, isSummary, type CompactionOptions } from '../src/index.js';
import { eightyOne, textOf, user } from './transcripts.js';

const anything: StandardSchema<unknown> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value ?? {} }) },
};
const seed = eightyOne().slice(1);
const look: ScriptedStep = { calls: [{ name: 'look' }] };

function loop(
  script: readonly ScriptedStep[],
  compaction: Partial<CompactionOptions> = {},
  more: Partial<AgentOptions> = {},
) {
  const registry = createHookRegistry(agentHooks);
  const told: AfterCompaction[] = [];
  registry.registerVoid('afterCompaction', (event) => void told.push(event));
  registry.registerClaiming('toolPolicy', () => undefined, { id: 'open' });
  install(registry, { maxTokens: 1_500, ...compaction });
  const ran: string[] = [];
  const tool = defineTool({
    name: 'look',
    description: 'Looks',
    input: anything,
    inputSchema: { type: 'object' },
    execute: () => (ran.push('look'), 'seen'),
  });
  const model = scriptedModel(script);
  const agent = createAgent({
    registry,
    model,
    personality: { id: 'p', system: 'You answer in one sentence.' },
    tools: [tool],
    ...more,
  });
  return { registry, told, model, agent, ran, outcomes: () => told.map(({ outcome }) => outcome) };
}

const ask = (text: string) => ({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] });
const said = (messages: readonly Message[]): readonly string[] => messages.map(textOf);
const ends = { status: 'failed', error: { cause: { code: 'TH_COMPACTION_STUCK' } } };

describe('an attempt that fails', () => {
  const faults: [string, Partial<CompactionOptions>, RegExp][] = [
    ['throws', { summarize: () => Promise.reject(new Error('no model')) }, /no model/],
    ['hangs', { summarize: () => new Promise(() => {}), timeoutMs: 5 }, /ran over its time of 5 ms/],
    ['gives nothing', { summarize: () => undefined as never }, /no text/],
    ['gives what is no text', { summarize: () => ({ text: 'short' }) as never }, /no text/],
    ['gives a blank', { summarize: () => '\n ' }, /blank/],
    ['gives more than it got', { summarize: (older) => 'x'.repeat(JSON.stringify(older).length) }, /no progress/],
    ['cannot flush', { flush: () => Promise.reject(new Error('disk full')) }, /disk full/],
    ['waits for a flush', { flush: () => new Promise(() => {}), timeoutMs: 5 }, /ran over its time/],
  ];
  test.each(faults)(
    'since it %s leaves the history whole; the second in a row ends the run',
    async (_, options, why) => {
      const { agent, told, model, ran } = loop([look, 'never'], options);
      const session = agent.session({ messages: seed });
      const result = await session.run('go');
      expect(result).toMatchObject(ends);
      expect(told).toMatchObject([
        { outcome: 'failed', reason: expect.stringMatching(why) },
        { outcome: 'failed', reason: expect.stringMatching(why) },
      ]);
      expect(model.calls).toHaveLength(1);
      expect(model.calls[0]!.prompt).toHaveLength(82); // as it was, the system text in front and the prompt behind
      expect(ran).toEqual(['look']);
      expect(said(session.messages().slice(0, 81))).toEqual([...said(seed), 'go']);
      await agent.close();
    },
  );

  test('counts for its run alone: the next run of the session begins anew', async () => {
    const { agent, outcomes } = loop(['one', 'two', 'three'], { summarize: () => '' });
    const session = agent.session({ messages: seed });
    for (const text of ['one', 'two', 'three']) expect(await session.run('go')).toMatchObject({ status: 'done', text });
    expect(outcomes()).toEqual(['failed', 'failed', 'failed']);
    await agent.close();
  });

  test('is not forgiven by a short request that a handler makes in between', async () => {
    const { agent, registry, outcomes } = loop([look, 'a title', 'never', 'never'], { summarize: () => '' });
    registry.registerVoid('toolEnd', async (_, { callModel }) => void (await callModel!(ask('title?'), 'title')));
    expect(await agent.session({ messages: seed }).run('go')).toMatchObject(ends);
    expect(outcomes()).toEqual(['failed', 'failed']);
    await agent.close();
  });

  test('of a long request that a handler makes ends no run', async () => {
    const long = { messages: [...seed.map(({ role, content }) => ({ role, content })), ...ask('title?').messages] };
    const { agent, registry, outcomes } = loop(['a title', 'a title', 'done'], { summarize: () => '' });
    registry.registerVoid('messageReceived', async (_, { callModel }) => {
      for (let at = 0; at < 2; at++) await callModel!(long, 'title');
    });
    expect(await agent.run('go')).toMatchObject({ status: 'done', text: 'done' });
    expect(outcomes()).toEqual(['failed', 'failed']);
    await agent.close();
  });
});

describe('a request that a handler makes', () => {
  test('in front of the first step takes nothing from the prompt of its run', async () => {
    const steps = Array.from({ length: 12 }, () => look);
    const { agent, registry, model, outcomes } = loop(['a title', ...steps, 'done'], { maxTokens: 150, keepTail: 40 });
    registry.registerVoid(
      'messageReceived',
      async (_, { callModel }) => void (await callModel!(ask('title?'), 'title')),
    );
    registry.registerModifying(
      'beforeLLM',
      ({ messages, purpose, origin }) =>
        purpose === undefined && origin.turn % 4 === 3
          ? { messages: [...messages, user(`reminder ${origin.turn}`)] }
          : undefined,
      { id: 'reminder' },
    );
    expect(await agent.run('the real question')).toMatchObject({ status: 'done' });
    expect(outcomes()).toContain('done');
    for (const { prompt } of model.calls.slice(1)) {
      const prompts = prompt.filter(
        ({ role, content }) => role === 'user' && JSON.stringify(content).includes('"the real question"'),
      );
      expect(prompts).toHaveLength(1);
    }
    await agent.close();
  });
});

describe('a summariser that asks a model', () => {
  const byModel: CompactionOptions['summarize'] = async (older, { callModel }) => {
    const messages = [...older.map(({ role, content }) => ({ role, content })), ...ask('in short?').messages];
    return ((await (callModel as CallModel)({ messages }, 'summary')) as SideCallAnswer).text;
  };

  test('starts no compaction of its own, however long its request is; every other stage is asked about it', async () => {
    const seen: (readonly [string, number])[] = [];
    let asked = 0;
    const { agent, registry, model, outcomes } = loop(['it was all about q and a', 'fine'], {
      summarize: (older, context) => (asked++, byModel(older, context)),
    });
    registry.registerModifying(
      'beforeLLM',
      ({ messages, purpose = 'turn' }) => void seen.push([purpose, messages.length]),
      {
        id: 'route-gate',
      },
    );
    const result = await agent.session({ messages: seed }).run('and now?');
    expect(result).toMatchObject({ status: 'done', text: 'fine', turns: 1 });
    expect([asked, outcomes()]).toEqual([1, ['done']]);
    expect(seen.map(([purpose]) => purpose)).toEqual(['summary', 'turn']);
    expect(seen[0]![1]).toBeGreaterThan(60);
    expect(textOf(result.messages.find(isSummary))).toMatch(/\nit was all about q and a$/);
    expect(result.usage.inputTokens.total).toBe(20);
    expect(model.calls).toHaveLength(2);
    await agent.close();
  });

  test('that the gate forbids is a failed attempt, and the request goes on as it is', async () => {
    const { agent, registry, told } = loop(['fine'], { summarize: byModel });
    registry.registerModifying(
      'beforeLLM',
      ({ purpose }) => (purpose === 'summary' ? { veto: 'too dear' } : undefined),
      {
        id: 'route-gate',
      },
    );
    expect(await agent.session({ messages: seed }).run('and now?')).toMatchObject({ status: 'done', text: 'fine' });
    expect(told).toMatchObject([{ outcome: 'failed', reason: expect.stringMatching(/'route-gate' says: too dear/) }]);
    await agent.close();
  });
});

describe('who is asked', () => {
  test('a veto leaves the request as it is in every step, and the gate has the last word', async () => {
    const { agent, registry, model, outcomes } = loop([look, look, 'never']);
    registry.registerModifying('beforeCompaction', () => ({ veto: 'an audit is open' }));
    registry.registerModifying('beforeLLM', ({ messages }) => (messages.length > 84 ? { veto: 'does not fit' } : {}), {
      id: 'route-gate',
    });
    expect(await agent.session({ messages: seed }).run('go')).toMatchObject({
      status: 'vetoed',
      reason: { text: 'does not fit', by: 'route-gate' },
    });
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([82, 84]);
    expect(outcomes()).toEqual(['vetoed', 'vetoed', 'vetoed']);
    await agent.close();
  });

  test('a summary of beforeCompaction is what the model reads, and the summariser is not asked', async () => {
    const { agent, registry, model } = loop(['fine'], { summarize: () => Promise.reject(new Error('never asked')) });
    registry.registerModifying('beforeCompaction', ({ dropping }) => ({ summary: `${dropping.length} by hand` }));
    expect(await agent.session({ messages: seed }).run('go')).toMatchObject({ status: 'done' });
    expect(JSON.stringify(model.calls[0]!.prompt[1])).toMatch(/\d+ by hand/);
    await agent.close();
  });

  test('a flush has ended before anything is dropped, summarised or sent, and it was given all that goes', async () => {
    const gate = deferred<void>();
    const begun = deferred<readonly Message[]>();
    let summarised = false;
    const { agent, model, told } = loop(['fine'], {
      flush: (dropping) => (begun.resolve(dropping), gate.promise),
      summarize: () => ((summarised = true), 'short'),
    });
    const session = agent.session({ messages: seed });
    const running = session.run('go');
    const dropping = await begun.promise;
    await new Promise((tick) => setImmediate(tick));
    expect([summarised, model.calls.length, session.messages().length]).toEqual([false, 0, 80]);
    gate.resolve();
    const { messages } = await running;
    const left = new Set(messages.map(({ id }) => id));
    expect(dropping.map(({ id }) => id)).toEqual(seed.map(({ id }) => id).filter((id) => !left.has(id)));
    expect(told[0]!.dropping).toHaveLength(dropping.length);
    await agent.close();
  });

  test('an abort while it flushes ends the run aborted and drops nothing', async () => {
    const abort = new AbortController();
    const { agent, model, told } = loop(['never'], {
      flush: () => (abort.abort(), new Promise(() => {})),
    });
    const session = agent.session({ messages: seed });
    expect(await session.run('go', { signal: abort.signal })).toMatchObject({ status: 'aborted' });
    expect([model.calls.length, told.length]).toEqual([0, 0]);
    expect(said(session.messages())).toEqual([...said(seed), 'go']);
    await agent.close();
  });
});

describe('a run that is compacted and then waits', () => {
  test('is stored as it was, and is compacted again when it goes on in another process', async () => {
    const store = memoryStore();
    const asks = { id: 'asker' };
    const one = loop([look], {}, { store });
    one.registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), asks);
    const session = one.agent.session({ id: 's', messages: seed });
    const waits = await session.run('go');
    expect(waits.status).toBe('pending');
    expect(one.outcomes()).toEqual(['done']);
    expect(one.model.calls[0]!.prompt.length).toBeLessThan(20);
    expect(said(session.messages())).toEqual(said(seed));

    const two = loop(['done'], {}, { store });
    two.registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), asks);
    const again = two.agent.session('s');
    await again.load();
    expect(said(again.messages())).toEqual(said(seed));
    const result = await again.resume({ id: waits.pending![0]!.id, ok: true });
    expect(result).toMatchObject({ status: 'done', text: 'done' });
    expect([one.ran, two.ran]).toEqual([[], ['look']]);
    expect(two.outcomes()).toEqual(['done']);
    const { prompt } = two.model.calls[0]!;
    expect(prompt.length).toBeLessThan(20);
    expect(prompt.map(({ role }) => role).slice(-3)).toEqual(['user', 'assistant', 'tool']);
    expect(again.messages().filter(isSummary)).toHaveLength(1);
    await one.agent.close();
    await two.agent.close();
  });
});

test('the plain callback, too, takes a call of a handler for another conversation than that of the run', async () => {
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming('toolPolicy', () => undefined, { id: 'open' });
  registry.registerVoid('messageReceived', async (_, { callModel }) => void (await callModel!(ask('title?'), 'title')));
  registry.registerVoid('toolEnd', async (_, { callModel }) => void (await callModel!(ask('how is it?'), 'judge')));
  const tools = [
    defineTool({
      name: 'look',
      description: 'Looks',
      input: anything,
      inputSchema: { type: 'object' },
      execute: () => 'x',
    }),
  ];
  const model = scriptedModel(['a title', look, 'well', 'never', 'never']);
  const hooks = { beforeLLM: compactor({ maxTokens: 1_500, summarize: () => '' }) };
  const agent = createAgent({ registry, model, tools, hooks });
  expect(await agent.session({ messages: seed }).run('go')).toMatchObject({
    status: 'failed',
    error: { code: 'TH_COMPACTION_STUCK' },
  });
  expect(model.calls).toHaveLength(3);
  await agent.close();
});
