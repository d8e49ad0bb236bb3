/** Laws of the purse: what calls cost, and what happens when it is empty. */
import { describe, expect, test } from 'vitest';
import { costOf, Purses } from '../src/cost.js';
import { routeGate } from '../src/index.js';
import { house, outcome, request, routes, usage, user } from './calls.js';

const none = { input: 0, output: 0 };
const million = 1_000_000;

describe('the cost of a call', () => {
  test('counts cached tokens once, at their own price', () => {
    const given = usage({ total: million, cacheRead: 600_000, cacheWrite: 100_000, noCache: 300_000 }, 200_000);
    expect(costOf(given, routes.big.price, none)).toEqual({ amount: 3 + 0.6 + 1.25 + 10, exact: true });
    const { noCache: _, ...without } = given.inputTokens;
    expect(
      costOf({ ...given, inputTokens: { ...without, noCache: undefined } }, routes.big.price, none).amount,
    ).toBeCloseTo(14.85);
  });

  test('an absent price is unknown, not zero: the sum is called inexact', () => {
    expect(costOf(usage({ total: million }, 5), undefined, none)).toEqual({ amount: 0, exact: false });
    expect(costOf(usage({ total: million }, 5), { input: 1 }, none)).toEqual({ amount: 1, exact: false });
    expect(costOf(usage({ total: million }, 0), { input: 1 }, none)).toEqual({ amount: 1, exact: true });
    expect(costOf(usage({ total: million, cacheRead: million }, 0), { input: 1, output: 1 }, none)).toEqual({
      amount: 1,
      exact: false,
    });
  });

  test('a count that is absent is guessed, not zero', () => {
    expect(costOf(undefined, routes.small.price, { input: million, output: million })).toEqual({
      amount: 3,
      exact: false,
    });
    expect(costOf(usage({ total: 0 }, undefined), routes.small.price, { input: 9, output: million })).toEqual({
      amount: 2,
      exact: false,
    });
  });
});

describe('the budget', () => {
  test('is counted per session from afterLLM, and an empty purse vetoes with both figures', async () => {
    const { fire, spend, decisions } = house({ routes, budget: { perSession: 5 } });
    expect(await fire(request())).toBeUndefined();
    await spend(outcome('big', usage({ total: 400_000 }, 20_000)));
    expect((await fire(request()))?.veto).toMatch(/the session has spent 5 of 5 and this call takes about 0\.00011$/);
    expect(await fire(request({ sessionId: 'another' }))).toBeUndefined();
    expect(decisions.map(({ spent }) => spent)).toEqual([0, 5, 0]);
  });

  test('looks at what the call in hand would take, the asked answer included', async () => {
    const { fire } = house({ routes, budget: { perSession: 0.011 } });
    const settings = { maxOutputTokens: 200 };
    expect(await fire(request())).toBeUndefined();
    expect(await fire(request({ settings }))).toBeUndefined();
    expect(await fire(request({ settings: { maxOutputTokens: 250 } }))).toHaveProperty('veto');
  });

  test('downgrades every route but the one that stays open beyond it', async () => {
    const { fire, spend, decisions } = house({ routes, budget: { perSession: 1, over: { downgrade: 'local' } } });
    await spend(outcome('big', usage({ total: million }, 0)));
    expect(await fire(request())).toEqual({ model: 'local' });
    expect(await fire(request({ model: 'small' }))).toEqual({ model: 'local' });
    expect(await fire(request({ model: 'local' }))).toBeUndefined();
    expect(decisions[0]!.reason).toMatch(
      /'big' is closed: the session has spent 10 of 1 .*'local' \(tier 'own'\) is open/,
    );
  });

  test('a downgrade that its own rule closes is a veto', async () => {
    const { fire, spend } = house({
      routes,
      budget: { perSession: 1, over: { downgrade: 'local' } },
      rules: [{ tier: 'own', for: [{ personality: 'owner' }] }],
    });
    await spend(outcome('big', usage({ total: million }, 0)));
    expect((await fire(request()))?.veto).toMatch(/'local' is closed: tier 'own' is for personality 'owner'/);
  });

  test('a provider that reports no usage does not make calls free', async () => {
    const { fire, spend } = house({ routes, budget: { perSession: 0.05 } });
    expect(await fire(request())).toBeUndefined();
    await spend(outcome('big', undefined));
    expect((await fire(request()))?.veto).toMatch(/has spent about 0\.0503 \(1 call estimated\) of 0\.05/);
  });

  test('a failed call without usage is counted as unknown, not as the price of an answer', async () => {
    const { fire, spend, decisions } = house({ routes, budget: { perSession: 5 } });
    const { response: _, ...failed } = outcome('big', undefined, { error: new Error('connection refused') });
    await spend(failed);
    await fire(request());
    expect(decisions[0]).toMatchObject({ spent: 0, inexact: 1 });
  });

  test('sessions that are remembered are bounded, and the busy one stays', () => {
    const purses = new Purses();
    purses.of('busy').spent = 7;
    for (let at = 0; at < 60_000; at++) {
      purses.of(`s-${at}`);
      if (at % 1_000 === 0) purses.of('busy');
    }
    expect(purses.size).toBe(50_000);
    expect(purses.of('busy').spent).toBe(7);
  });

  test('the plain pair keeps one purse of its own', () => {
    const gate = routeGate({ routes, budget: { perSession: 1 } });
    const e = { messages: [user('hi')], tools: [], model: 'big', turn: 0 };
    expect(gate.beforeLLM(e)).toEqual({ model: 'big' });
    gate.afterLLM({ model: 'big', usage: usage({ total: million }, 0) });
    expect(gate.beforeLLM(e)).toHaveProperty('veto');
    expect(routeGate({ routes, budget: { perSession: 1 } }).beforeLLM(e)).toEqual({ model: 'big' });
  });
});
