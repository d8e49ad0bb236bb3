/** Laws of the gate over many calls: nothing leads away from the model it decided on, and every call is paid for once. */
import { describe, expect, test } from 'vitest';
import { createAgent, memoryStore, type AgentOptions } from '@treblehook/agent';
import { scriptedModel, type ScriptedStep } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import {
  agentHooks,
  defineTool,
  estimateTokens,
  HookError,
  type SideCallAnswer,
  type StandardSchema,
} from '@treblehook/types';
import { install, type RouteDecision, type RouteGateOptions } from '../src/index.js';
import { routes } from './calls.js';

const anything: StandardSchema<unknown> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value ?? {} }) },
};
const look = defineTool({
  name: 'look',
  description: 'Looks',
  input: anything,
  inputSchema: { type: 'object' },
  execute: () => 'seen',
});
const looks: ScriptedStep = { calls: [{ name: 'look' }] };
const overloaded = new HookError('TH_MODEL_HTTP', { endpoint: 'x', status: 503, what: 'overloaded' });
const ask = (text: string) => ({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] });
const toSmall: Partial<RouteGateOptions> = {
  rules: [{ tier: 'frontier', justification: true, otherwise: { downgrade: 'small' } }],
};

function house(
  script: { readonly big?: readonly ScriptedStep[]; readonly small?: readonly ScriptedStep[] },
  gate: Partial<RouteGateOptions> = {},
  more: Partial<AgentOptions> = {},
) {
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming('toolPolicy', () => undefined, { id: 'open' });
  const decisions: RouteDecision[] = [];
  install(registry, { routes, onDecision: (decision) => void decisions.push(decision), ...gate });
  const sent: string[] = [];
  registry.registerVoid('llmRequest', ({ model, attempt }) => void sent.push(`${model} ${attempt}`));
  const models = { big: scriptedModel(script.big ?? []), small: scriptedModel(script.small ?? []) };
  const agent = createAgent({
    registry,
    models,
    model: 'big',
    tools: [look],
    retry: { baseMs: 0, maxDelayMs: 0 },
    ...more,
  });
  const calls = () => [models.big.calls.length, models.small.calls.length];
  return { registry, agent, models, decisions, sent, calls };
}
const spentOf = (decisions: readonly RouteDecision[]): readonly string[] =>
  decisions.map(({ spent }) => spent.toFixed(6));
/** Of 10 tokens in and 5 out: what the scripted model reports. */
const bigCall = (10 * 10 + 5 * 50) / 1_000_000;
const smallCall = (10 * 1 + 5 * 2) / 1_000_000;

describe('the model that was decided on', () => {
  // https://github.com/openclaw/openclaw/issues/118946
  test('is the one of each retry, and the gate is asked once a call', async () => {
    const { agent, sent, calls, decisions } = house(
      { small: [overloaded, overloaded, looks, overloaded, 'done'] },
      toSmall,
    );
    expect(await agent.run('private')).toMatchObject({ status: 'done', model: 'small' });
    expect(sent).toEqual(['small 1', 'small 2', 'small 3', 'small 1', 'small 2']);
    expect(calls()).toEqual([0, 5]);
    expect(decisions.map(({ asked, model }) => [asked, model])).toEqual([
      ['big', 'small'],
      ['big', 'small'],
    ]);
    await agent.close();
  });

  test('is no other when all its attempts have failed: another route is another request, and is asked about', async () => {
    const { agent, registry, calls, decisions } = house(
      { small: [overloaded, 'from small'], big: ['never'] },
      toSmall,
      { retry: { attempts: 1 } },
    );
    let wanted = 'big';
    registry.forPlugin('fallback').registerModifying('beforeLLM', () => ({ model: wanted }), { id: 'route' });
    const again = createAgent({
      registry,
      models: { big: scriptedModel(['never']), small: scriptedModel(['never']) },
      model: 'small',
      personality: { id: 'p', plugins: ['fallback'] },
    });
    expect(await agent.run('private')).toMatchObject({ status: 'failed', error: overloaded });
    expect(calls()).toEqual([0, 1]);
    wanted = 'big';
    expect(await again.run('private')).toMatchObject({ model: 'small', status: 'done' });
    expect(decisions.at(-1)).toMatchObject({ asked: 'big', model: 'small', action: 'move' });
    await agent.close();
    await again.close();
  });

  // https://github.com/openclaw/openclaw/issues/76248
  test('is changed by no stage behind the gate, in no step', async () => {
    const { agent, registry, calls } = house({ small: [looks, 'done'] }, toSmall);
    const refused: unknown[] = [];
    registry.events.on('amendmentRefused', ({ by, key, code }) => refused.push([by.id, key, code]));
    registry.registerModifying('beforeLLM', () => ({ model: 'big' }), { id: 'redact' });
    registry.registerModifying('beforeLLM', () => ({ model: 'big' }), { id: 'prompt-cache' });
    expect(await agent.run('private')).toMatchObject({ status: 'done', model: 'small' });
    expect(calls()).toEqual([0, 2]);
    const both = [
      ['redact', 'model', 'TH_KEY_LOCKED'],
      ['prompt-cache', 'model', 'TH_KEY_LOCKED'],
    ];
    expect(refused).toEqual([...both, ...both]);
    await agent.close();
  });

  test('is decided anew for a call that a handler makes, whichever it asks for', async () => {
    const { agent, registry, calls } = house({ small: ['a title', 'done'] }, toSmall);
    let answer: SideCallAnswer | undefined;
    registry.registerVoid('messageReceived', async (_, { callModel }) => {
      answer = (await callModel!({ ...ask('title?'), model: 'big' }, 'title')) as SideCallAnswer;
    });
    await agent.run('private');
    expect(answer).toMatchObject({ text: 'a title', model: 'small' });
    expect(calls()).toEqual([0, 2]);
    await agent.close();
  });
});

describe('what a session has spent', () => {
  const budget = { perSession: 1 };

  test('has each call in it once: answers, calls of handlers, attempts that failed and were counted', async () => {
    const refused: ScriptedStep = {
      text: '',
      finish: { unified: 'error', raw: 'x' },
      usage: { input: 1_000, output: 100 },
    };
    const { agent, registry, decisions } = house({ big: ['a title', refused, looks, new Error('no')] }, { budget });
    let asked = false;
    registry.registerVoid('messageReceived', async (_, { callModel }) => {
      if (!asked) await callModel!(ask('title?'), 'title');
      asked = true;
    });
    expect(await agent.run('one')).toMatchObject({ status: 'failed' });
    await agent.run('two');
    const lost = (1_000 * 10 + 100 * 50) / 1_000_000;
    expect(spentOf(decisions)).toEqual(
      [0, bigCall, 2 * bigCall + lost, 2 * bigCall + lost].map((spent) => spent.toFixed(6)),
    );
    expect(decisions.at(-1)!.inexact).toBe(1); // the call that failed without a word about what it used
    await agent.close();
  });

  test('is its own, and goes on where the session does: in later runs, and when a run is resumed', async () => {
    const { agent, registry, decisions } = house(
      { big: [looks, 'other', 'done', 'later'] },
      { budget },
      { store: memoryStore() },
    );
    registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'asker' });
    const waits = await agent.session('s').run('go');
    expect(waits.status).toBe('pending');
    await agent.session('other').run('go');
    await agent.resume('s', { id: waits.pending![0]!.id, ok: true });
    await agent.session('s').run('later');
    expect(decisions.map(({ sessionId }) => sessionId)).toEqual(['s', 'other', 's', 's']);
    expect(spentOf(decisions)).toEqual([0, 0, bigCall, 2 * bigCall].map((spent) => spent.toFixed(6)));
    await agent.close();
  });

  test('of a call that nobody counts is guessed from its own request, whatever a handler asks meanwhile', async () => {
    const none = {
      inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    };
    const finish = { type: 'finish', usage: none, finishReason: { unified: 'stop', raw: 'stop' } } as const;
    const silent: ScriptedStep = { text: 'x', parts: [finish], finish: null };
    const { agent, registry, decisions } = house({ big: [silent, silent, 'later'] }, { budget });
    let asked = false;
    registry.registerVoid('llmRequest', async ({ purpose }, { callModel }) => {
      if (purpose !== undefined || asked) return;
      asked = true;
      await callModel!(ask('q'), 'side');
    });
    await agent.run('a long question '.repeat(200));
    await agent.run('later');
    const [turn, side, later] = decisions;
    expect(turn!.tokens).toBeGreaterThan(20 * side!.tokens);
    const answer = estimateTokens([{ role: 'assistant', content: [{ type: 'text', text: 'x' }] }]);
    const guessed = ((turn!.tokens + side!.tokens) * 10 + 2 * answer * 50) / 1_000_000;
    expect(later!.spent).toBeCloseTo(guessed, 9);
    expect(later!.inexact).toBe(2);
    await agent.close();
  });

  test('beyond the budget leads to the downgrade in the middle of a run, for handlers too', async () => {
    const dear: ScriptedStep = { ...(looks as object), usage: { input: 1_000, output: 100 } }; // 0.015
    const { agent, registry, sent, decisions } = house(
      { big: [dear, dear], small: ['a title', 'done'] },
      { budget: { perSession: 0.030_01, over: { downgrade: 'small' } } },
    );
    registry.registerVoid('toolEnd', async ({ origin }, { callModel }) => {
      if (origin.turn === 1) await callModel!(ask('title?'), 'title');
    });
    expect(await agent.run('go')).toMatchObject({ status: 'done', model: 'small', turns: 3 });
    expect(sent).toEqual(['big 1', 'big 1', 'small 1', 'small 1']);
    expect(decisions.at(-1)!.spent).toBeCloseTo(0.03 + smallCall, 9);
    await agent.close();
  });

  test('beyond the budget ends the run before the call, in every later run too', async () => {
    const { agent, calls } = house({ big: [looks, 'never', 'never'] }, { budget: { perSession: 1.1 * bigCall } });
    const session = agent.session();
    for (let at = 0; at < 3; at++) {
      expect(await session.run('go')).toMatchObject({
        status: 'vetoed',
        reason: { by: 'route-gate', text: expect.stringMatching(/the session has spent/) },
      });
    }
    expect(calls()).toEqual([1, 0]);
    expect(await agent.session('another').run('go')).toMatchObject({ status: 'done' });
    await agent.close();
  });
});

describe('a gate that crashes', () => {
  test('in the middle of a run lets nothing more through, not for handlers either', async () => {
    let works = true;
    const { agent, registry, calls } = house(
      { big: [looks, 'never', 'never'] },
      {
        countTokens: (messages, tools) => {
          if (!works) throw new Error('no tokenizer');
          return estimateTokens(messages, tools);
        },
      },
    );
    const faults: unknown[] = [];
    registry.registerVoid('toolEnd', async (_, { callModel }) => {
      works = false;
      await callModel!(ask('title?'), 'title').catch((error: unknown) => faults.push(error));
    });
    expect(await agent.run('go')).toMatchObject({ status: 'failed', error: { code: 'TH_HANDLER_FAILED' } });
    expect(faults).toMatchObject([{ code: 'TH_HANDLER_FAILED', handlerId: 'route-gate' }]);
    expect(calls()).toEqual([1, 0]);
    await agent.close();
  });
});

test('a session of 2,500 turns is counted message by message, not turn by turn', async () => {
  let counted = 0;
  const { agent, decisions } = house(
    { big: Array.from({ length: 2_500 }, (_, at) => `answer ${at}`) },
    {
      routes: { big: { tier: 'frontier' } },
      countTokens: (messages, tools) => ((counted += messages.length), estimateTokens(messages, tools)),
    },
  );
  const session = agent.session();
  for (let at = 0; at < 2_500; at++) await session.run(`question ${at}`);
  expect(session.messages()).toHaveLength(5_000);
  expect(counted).toBeLessThanOrEqual(5_000);
  const last = estimateTokens(session.messages().slice(0, -1));
  expect(decisions.at(-1)!.tokens).toBe(
    last + estimateTokens([], [{ name: 'look', description: 'Looks', inputSchema: { type: 'object' } }]),
  );
  await agent.close();
});
