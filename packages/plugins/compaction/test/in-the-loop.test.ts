/** Laws of compaction in a real turn: what goes on the wire, what stays, how a run ends. */
import { describe, expect, test } from 'vitest';
import { chainHooks, createAgent, offlineModel } from '@treblehook/agent';
import { scriptedModel, type ScriptedStep } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool, type AfterCompaction, type ModelPort, type StandardSchema } from '@treblehook/types';
import { compactor, install, isSummary, type CompactionOptions } from '../src/index.js';
import { eightyOne, textOf, user } from './transcripts.js';

const path: StandardSchema<{ path: string }> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as { path: string } }) },
};
const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const system = 'You answer in one sentence.';

function house(options: CompactionOptions, model: ModelPort) {
  const registry = createHookRegistry(agentHooks);
  const outcomes: AfterCompaction['outcome'][] = [];
  registry.registerVoid('afterCompaction', ({ outcome }) => void outcomes.push(outcome));
  registry.registerClaiming('toolPolicy', () => undefined, { id: 'open' });
  install(registry, options);
  const bodies: string[] = [];
  const agent = createAgent({
    registry,
    model,
    personality: { id: 'p', system },
    tools: [
      defineTool({
        name: 'read_file',
        description: 'Reads',
        input: path,
        inputSchema,
        execute: ({ path }) => (bodies.push(path), `${path} holds oil `.repeat(40)),
      }),
      defineTool({
        name: 'list_files',
        description: 'Lists',
        input: path,
        inputSchema,
        execute: () => Array.from({ length: 9 }, (_, at) => `oil-${at}.md`).join('\n'),
      }),
    ],
  });
  return { registry, outcomes, agent, bodies, session: agent.session({ messages: eightyOne().slice(1) }) };
}

describe('in a turn', () => {
  test('an oversize transcript leaves short: system first, summary behind it, the prompt last', async () => {
    const model = scriptedModel(['fine', 'fine again']);
    const { session, outcomes, agent } = house({ maxTokens: 1_500 }, model);
    expect((await session.run('and now?')).status).toBe('done');
    const { prompt } = model.calls[0]!;
    expect(prompt.length).toBeLessThan(20);
    expect(prompt[0]).toEqual({ role: 'system', content: system });
    expect(prompt[1]).toMatchObject({
      role: 'user',
      content: [{ text: expect.stringMatching(/^\[Summary of \d+ earlier/) }],
    });
    expect(prompt.at(-1)).toMatchObject({ role: 'user', content: [{ text: 'and now?' }] });
    expect((await session.run('once more')).status).toBe('done');
    expect(outcomes).toEqual(['done']);
    expect(session.messages().filter(isSummary)).toHaveLength(1);
    await agent.close();
  });

  // https://github.com/openclaw/openclaw/issues/66126
  test('a compaction in the middle of a turn repeats neither the prompt nor a call', async () => {
    const steps: ScriptedStep[] = Array.from({ length: 12 }, (_, at) => ({
      calls: [{ name: 'read_file', args: { path: `f${at}` } }],
    }));
    const model = scriptedModel([...steps, 'done']);
    const { session, outcomes, agent, bodies } = house({ maxTokens: 1_500 }, model);
    const result = await session.run('read them all');
    expect(result.status).toBe('done');
    expect(outcomes.length).toBeGreaterThan(1);
    expect(bodies).toEqual(Array.from({ length: 12 }, (_, at) => `f${at}`));
    for (const { prompt } of model.calls) {
      const texts = prompt
        .flatMap((message) => (message.role === 'user' ? message.content : []))
        .map((part) => (part.type === 'text' ? part.text : ''));
      expect(texts.filter((text) => text === 'read them all')).toHaveLength(1);
    }
    await agent.close();
  });

  test('the offline model comes to its answer through compactions, and no call is made twice', async () => {
    const { session, outcomes, agent, bodies } = house({ maxTokens: 1_200 }, offlineModel());
    const result = await session.run('where is oil?');
    expect(result.status).toBe('done');
    expect(outcomes.filter((outcome) => outcome === 'done').length).toBeGreaterThan(1);
    expect(new Set(bodies).size).toBe(bodies.length);
    expect(bodies.length).toBeGreaterThan(2);
    expect(result.text).toMatch(/^Offline model: [^\n]*\n/);
    expect(result.text).toMatch(/oil-\d\.md/);
    await agent.close();
  });

  // https://github.com/openclaw/openclaw/issues/10613
  test('a prompt that cannot be made to fit ends the run with an error after one call of the model', async () => {
    const model = scriptedModel(
      Array.from({ length: 50 }, () => ({ calls: [{ name: 'read_file', args: { path: 'f' } }] })),
    );
    const { agent, outcomes } = house({ maxTokens: 50 }, model);
    const result = await agent.session().run('p'.repeat(2_000));
    expect(result).toMatchObject({ status: 'failed', error: { cause: { code: 'TH_COMPACTION_STUCK' } } });
    expect(model.calls.length).toBeLessThanOrEqual(2);
    expect(outcomes).not.toContain('done');
    await agent.close();
  });

  test('a summariser that always throws stops the run on the second step, and the session keeps its messages', async () => {
    const model = scriptedModel([{ calls: [{ name: 'read_file', args: { path: 'f' } }] }, 'never']);
    const { session, agent, outcomes } = house(
      {
        maxTokens: 1_500,
        summarize: () => {
          throw new Error('no model');
        },
      },
      model,
    );
    const result = await session.run('go');
    expect(result).toMatchObject({ status: 'failed', error: { cause: { code: 'TH_COMPACTION_STUCK' } } });
    expect(outcomes).toEqual(['failed', 'failed']);
    expect(session.messages().filter(isSummary)).toHaveLength(0);
    expect(session.messages().length).toBeGreaterThanOrEqual(80);
    await agent.close();
  });
});

test('in a chain of plain hooks the cut sees what the stages before it left, and they see none of it', async () => {
  const seen: number[] = [];
  const chained = chainHooks(
    { beforeLLM: ({ messages }) => (seen.push(messages.length), { messages: [...messages, user('one more')] }) },
    { beforeLLM: compactor({ maxTokens: 1_000 }) },
    { beforeLLM: ({ messages }) => void seen.push(messages.length) },
  )!;
  const answer = await chained.beforeLLM!({
    messages: eightyOne(),
    tools: [],
    model: 'm',
    turn: 0,
    runId: 'r',
    signal: new AbortController().signal,
  });
  const messages = answer!.messages!;
  expect(seen[0]).toBe(81);
  expect(seen[1]).toBe(messages.length);
  expect(messages.length).toBeLessThan(20);
  expect(isSummary(messages[1]!)).toBe(true);
  expect(textOf(messages.at(-1))).toBe('one more');
});
