/** Laws of the seat: the gate has the last word about the model, and no fault of it opens a route. */
import { describe, expect, test, vi } from 'vitest';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks } from '@treblehook/types';
import { install, routeGate } from '../src/index.js';
import { house, request, routes, user } from './calls.js';

const toSmall = { routes, rules: [{ tier: 'frontier', for: [{ job: 'audit' }], otherwise: { downgrade: 'small' } }] };

describe('the seat', () => {
  // https://github.com/openclaw/openclaw/issues/76248
  test('a stage before the gate is overruled, and a stage behind it cannot change the model', async () => {
    const { registry, fire, decisions } = house(toSmall);
    const refused: unknown[] = [];
    registry.events.on('amendmentRefused', ({ by, key, code }) => refused.push([by.id, key, code]));
    registry.forPlugin('early').registerModifying('beforeLLM', () => ({ model: 'big' }), { id: 'x' });
    registry.registerModifying('beforeLLM', () => ({ model: 'big', settings: { seed: 7 } }), { id: 'redact' });
    expect(registry.plan('beforeLLM').map(({ id }) => id)).toEqual(['early/x', 'route-gate', 'redact']);
    expect(await fire(request({ model: 'local' }))).toEqual({ model: 'small', settings: { seed: 7 } });
    expect(refused).toEqual([['redact', 'model', 'TH_KEY_LOCKED']]);
    expect(decisions[0]).toMatchObject({ asked: 'big', model: 'small' });
  });

  test('the model stays locked when the gate keeps it', async () => {
    const { registry, fire } = house({ routes });
    registry.events.on('amendmentRefused', () => {});
    registry.registerModifying('beforeLLM', () => ({ model: 'big' }), { id: 'redact' });
    expect(await fire(request({ model: 'small' }))).toBeUndefined();
  });

  test('no allowlist silences it', () => {
    const { registry } = house({ routes });
    expect(registry.plan('beforeLLM', [])).toMatchObject([
      { id: 'route-gate', silenced: false, locks: ['model'], onError: 'abort' },
    ]);
    expect(registry.hasHandlers('afterLLM', [])).toBe(true);
  });

  test('a plugin cannot take its id', () => {
    const registry = createHookRegistry(agentHooks);
    expect(() => registry.forPlugin('route-gate')).toThrow(expect.objectContaining({ code: 'TH_ID_TAKEN' }));
  });
});

describe('a crash', () => {
  // https://github.com/openclaw/openclaw/issues/118946
  for (const [what, countTokens] of [
    [
      'throws',
      () => {
        throw new Error('no tokenizer');
      },
    ],
    ['gives no number', () => Number.NaN],
    ['gives text', () => '7' as unknown as number],
    ['gives less than nothing', () => -1],
  ] as [string, () => number][]) {
    test(`of a counter that ${what} lets no call through`, async () => {
      const { fire } = house({ routes, countTokens });
      await expect(fire(request())).rejects.toMatchObject({ code: 'TH_HANDLER_FAILED', handlerId: 'route-gate' });
      const gate = routeGate({ routes, countTokens });
      expect(() => gate.beforeLLM({ messages: [user('x')], tools: [], model: 'big', turn: 0 })).toThrow();
    });
  }

  test('of a listener changes no decision and is reported', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { fire } = house({
      ...toSmall,
      onDecision: () => {
        throw new Error('sink is full');
      },
    });
    expect(await fire(request())).toEqual({ model: 'small' });
    expect(warned).toHaveBeenCalledWith(expect.stringContaining('sink is full'), expect.anything());
    warned.mockRestore();
  });
});

describe('installing', () => {
  test('uninstalling leaves both points as they were, twice is as once', () => {
    const { registry, uninstall } = house({ routes });
    uninstall();
    uninstall();
    expect(registry.plan('beforeLLM')).toEqual([]);
    expect(registry.plan('afterLLM')).toEqual([]);
  });

  test('a second gate is refused and leaves the first whole', async () => {
    const { registry, fire } = house(toSmall);
    expect(() => install(registry, { routes })).toThrow(expect.objectContaining({ code: 'TH_ID_TAKEN' }));
    expect(registry.plan('afterLLM')).toHaveLength(1);
    expect(await fire(request())).toEqual({ model: 'small' });
  });

  test('one that cannot have both seats takes none', () => {
    const registry = createHookRegistry(agentHooks);
    registry.registerVoid('afterLLM', () => {}, { id: 'route-gate' });
    expect(() => install(registry, { routes })).toThrow(expect.objectContaining({ code: 'TH_ID_TAKEN' }));
    expect(registry.plan('beforeLLM')).toEqual([]);
  });
});

test('the plain pair decides as the tenant does', async () => {
  const rules = [{ tier: 'frontier', for: [{ personality: 'reviewer' }], otherwise: { downgrade: 'small' } as const }];
  for (const personality of ['reviewer', 'intern']) {
    const plain = routeGate({ routes, rules }, { personality });
    const { messages, tools, model } = request();
    const viaTenant = await house({ routes, rules }).fire(request({ personality }));
    expect(plain.beforeLLM({ messages, tools, model, turn: 0 })).toEqual(viaTenant ?? { model });
  }
  expect(routeGate({ routes, rules }).beforeLLM({ messages: [], tools: [], model: 'big', turn: 0 })).toEqual({
    model: 'small',
  });
});
