/** Laws of the gate in a real turn: the model that was decided is the model on the wire. */
import { describe, expect, test } from 'vitest';
import { chainHooks, createAgent, type AgentOptions } from '@treblehook/agent';
import { scriptedModel } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks } from '@treblehook/types';
import { install, routeGate, type RouteDecision, type RouteGateOptions } from '../src/index.js';
import { routes, user } from './calls.js';

function house(gate: RouteGateOptions, more: Partial<AgentOptions> = {}) {
  const registry = createHookRegistry(agentHooks);
  const decisions: RouteDecision[] = [];
  install(registry, { onDecision: (decision) => void decisions.push(decision), ...gate });
  const models = {
    big: scriptedModel(['from big', 'from big', 'from big']),
    small: scriptedModel(['from small', 'from small', 'from small']),
  };
  const agent = createAgent({ registry, models, model: 'big', ...more });
  return { registry, agent, models, decisions };
}
const toSmall: RouteGateOptions = {
  routes,
  rules: [{ tier: 'frontier', justification: true, otherwise: { downgrade: 'small' } }],
};

describe('in a turn', () => {
  // https://github.com/openclaw/openclaw/issues/76248
  test('the model that the gate picks gets the request, and the result names it', async () => {
    const { agent, models, decisions } = house(toSmall);
    const result = await agent.run('hello');
    expect(result).toMatchObject({ status: 'done', text: 'from small', model: 'small' });
    expect([models.big.calls.length, models.small.calls.length]).toEqual([0, 1]);
    expect(decisions).toMatchObject([{ asked: 'big', model: 'small', action: 'move', turn: 0 }]);
    await agent.close();
  });

  test('a job that says why is let in', async () => {
    const { agent, models } = house(toSmall);
    expect(await agent.run('hello', { job: { class: 'audit', justification: 'the contract is due' } })).toMatchObject({
      model: 'big',
    });
    expect(models.small.calls).toHaveLength(0);
    await agent.close();
  });

  // https://github.com/openclaw/openclaw/issues/118946
  test('when the model that the gate picked fails, no other gets the request', async () => {
    const registry = createHookRegistry(agentHooks);
    install(registry, toSmall);
    const big = scriptedModel(['never']);
    const small = scriptedModel([new Error('out of order')]);
    const agent = createAgent({ registry, models: { big, small }, model: 'big' });
    const result = await agent.run('private');
    expect(result).toMatchObject({ status: 'failed', model: 'small' });
    expect(big.calls).toHaveLength(0);
    await agent.close();
  });

  test('a gate that crashes fails the run, and no model is called', async () => {
    const { agent, models } = house({
      ...toSmall,
      countTokens: () => {
        throw new Error('no tokenizer');
      },
    });
    const result = await agent.run('hello');
    expect(result.status).toBe('failed');
    expect([models.big.calls.length, models.small.calls.length]).toEqual([0, 0]);
    await agent.close();
  });

  test('a veto ends the run, names the gate and the reason', async () => {
    const { agent, models } = house({ routes: { small: { tier: 'cheap' } } });
    const result = await agent.run('hello');
    expect(result).toMatchObject({
      status: 'vetoed',
      reason: { by: 'route-gate', text: expect.stringMatching(/'big' has no route/) },
    });
    expect(models.big.calls).toHaveLength(0);
    await agent.close();
  });

  test('what the calls of a session cost closes its later calls', async () => {
    const { agent, decisions } = house({ routes, budget: { perSession: 0.0005, over: { downgrade: 'small' } } });
    const models: string[] = [];
    for (let run = 0; run < 4; run++) models.push((await agent.run('hi')).model);
    expect(models).toEqual(['big', 'small', 'small', 'small']);
    // 10 tokens in, 5 out: what the scripted model reports.
    expect(decisions.map(({ spent }) => spent.toFixed(6))).toEqual(['0.000000', '0.000350', '0.000370', '0.000390']);
    expect(decisions.at(-1)!.inexact).toBe(0);
    await agent.close();
  });
});

describe('in a chain of plain hooks', () => {
  const e = {
    messages: [user('hi')],
    tools: [],
    model: 'small',
    turn: 0,
    runId: 'r',
    signal: new AbortController().signal,
  };

  test('the gate at the end has the last word, also when it keeps the model', async () => {
    const chained = chainHooks(
      { beforeLLM: () => ({ messages: [user('longer')], model: 'big' }) },
      routeGate({ routes }),
    )!;
    expect(await chained.beforeLLM!(e)).toEqual({ messages: [user('longer')], model: 'small' });
  });

  test('it decides on the messages that the stages before it left', async () => {
    const chained = chainHooks({ beforeLLM: () => ({ messages: [user('x'.repeat(8_000))] }) }, routeGate({ routes }))!;
    expect(await chained.beforeLLM!(e)).toMatchObject({ veto: expect.stringMatching(/do not fit its window of 1000/) });
  });

  test('both of its callbacks are in the chain', async () => {
    const chained = chainHooks(routeGate({ routes, budget: { perSession: 0.00001 } }))!;
    expect(await chained.beforeLLM!(e)).toEqual({ model: 'small' });
    await chained.afterLLM!({
      ...e,
      response: { message: { role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(400) }] } },
    });
    expect(await chained.beforeLLM!(e)).toMatchObject({ veto: expect.stringMatching(/\(1 call estimated\)/) });
  });
});
