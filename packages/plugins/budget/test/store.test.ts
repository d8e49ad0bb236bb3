// Owns what becomes of a budget over time: kept, read again, and closed or open when its store fails.
import { deferred } from '@treblehook/agent/testing';
import { testHost } from '@treblehook/testing';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import type { BudgetState, BudgetStore } from '../src/index.js';
import { budget } from '../src/index.js';
import { bench, uses } from './kit.js';

/** A store in memory, in JSON as a file would be. */
function memory(text?: string): BudgetStore & { text: string | undefined } {
  return {
    text,
    load() {
      return this.text === undefined ? undefined : (JSON.parse(this.text) as BudgetState);
    },
    save(state) {
      this.text = JSON.stringify(state);
    },
  };
}

describe('a store', () => {
  it('keeps what was spent for the next process', async () => {
    const store = memory();
    const first = await bench({ tokens: 100, perSession: { tokens: 1_000 } }, { script: [uses(120)] }, { store });
    await first.agent.session('__proto__').run('go');
    await first.close();
    expect(JSON.parse(store.text!)).toEqual({
      version: 1,
      accounts: [
        { of: 'all', tokens: 120, cost: 0, calls: 1, estimated: 0, unpriced: 1 },
        { of: 'session:__proto__', tokens: 120, cost: 0, calls: 1, estimated: 0, unpriced: 1 },
      ],
    });
    const second = await bench({ tokens: 100 }, {}, { store });
    expect((await second.agent.run('go')).reason!.text).toContain('120 spent (1 calls)');
  });

  it.each<[string, BudgetStore, RegExp]>([
    ['cannot be read', { load: () => Promise.reject(new Error('disk')), save: () => {} }, /cannot be read: disk/],
    [
      'cannot be written',
      { load: () => undefined, save: () => Promise.reject(new Error('full')) },
      /cannot be written: full/,
    ],
    ['throws', { load: () => undefined, save: () => { throw new Error('full'); } }, /cannot be written: full/], // prettier-ignore
    [
      'gives something else',
      memory('{"version":1,"accounts":[{"of":"all","tokens":-5}]}'),
      /'tokens' is no number from 0 up/,
    ],
    ['is of another version', memory('{"version":2}'), /version is not 1/],
    ['gives a text', { load: () => 'what' as never, save: () => {} }, /write a map/],
  ])('that %s closes the budget, and by setting opens it', async (_, store, words) => {
    const options = { script: ['x', 'y', 'z'] };
    const closed = await bench({ tokens: 1_000_000 }, options, { store });
    await closed.agent.run('go');
    const { status, reason } = await closed.agent.run('go');
    expect(status).toBe('vetoed');
    expect(reason!.text).toMatch(words);
    expect(closed.logged[0]).toMatch(words);
    const open = await bench({ tokens: 1_000_000, onStoreFault: 'open' }, options, { store });
    await open.agent.run('go');
    expect((await open.agent.run('go')).status).toBe('done');
    expect(open.logged).toHaveLength(1);
  });

  it('that comes back opens the budget again', async () => {
    const store = { ...memory(), save: (): void => { throw new Error('full'); } }; // prettier-ignore
    const { agent } = await bench({ tokens: 1_000_000 }, { script: ['x', 'y', 'z'] }, { store });
    await agent.run('go');
    expect((await agent.run('go')).status).toBe('vetoed');
    store.save = () => {};
    expect((await agent.run('go')).status).toBe('done');
  });

  it('that never answers lets nothing through', async () => {
    const { agent, model } = await bench(
      { tokens: 1_000 },
      { budgets: { 'beforeLLM/budget/limits': 30 } },
      { store: { load: () => new Promise(() => {}), save: () => {} } },
    );
    expect((await agent.run('go')).status).toBe('failed');
    expect(model.calls).toHaveLength(0);
  });

  it('is written once at a time, and the last state last', async () => {
    const first = deferred();
    const saved: number[] = [];
    let inHand = 0;
    const store: BudgetStore = {
      load: () => undefined,
      async save({ accounts }) {
        expect(++inHand).toBe(1);
        if (saved.length === 0) await first.promise;
        saved.push(accounts[0]!.tokens);
        inHand--;
      },
    };
    const { agent, close } = await bench(
      { tokens: 1_000_000, onStoreFault: 'open' },
      { script: [uses(10), uses(10), uses(10)] },
      { store },
    );
    for (let n = 0; n < 3; n++) await agent.run('go');
    first.resolve();
    await close();
    expect(saved.at(-1)).toBe(30);
    expect(saved.length).toBeLessThanOrEqual(2);
  });
});

it('a budget without a store begins anew when it is replaced; one with a store does not', async () => {
  const config = { tokens: 100 };
  const lost = await bench(config, { script: [uses(120), 'x'] });
  await lost.agent.run('go');
  await lost.reload({ plugin: budget(), config });
  expect((await lost.agent.run('go')).status).toBe('done');
  const store = memory();
  const kept = await bench(config, { script: [uses(120), 'x'] }, { store });
  await kept.agent.run('go');
  await kept.reload({ plugin: budget({ store }), config });
  expect((await kept.agent.run('go')).status).toBe('vetoed');
});

describe('config', () => {
  it.each<[unknown, RegExp]>([
    [undefined, /limits nothing: give tokens, cost, perSession/],
    [{ perSession: {} }, /'perSession' limits nothing/],
    [{ tokens: -1 }, /'tokens' must be a number of tokens/],
    [{ tokens: '100' }, /'tokens' must be a number/],
    [{ cost: 1 }, /'prices' is missing/],
    [{ cost: Number.NaN, prices: {} }, /'cost' must be a number/],
    [{ cost: 1, prices: { m: { input: 1 } } }, /'output' is missing in 'prices.m'/],
    [{ tokens: 1, perDy: {} }, /did you mean 'perDay'/],
    [{ tokens: 1, warnAt: 80 }, /above 0 and at most 1/],
    [{ tokens: 1, downgrade: { at: 0.5 } }, /'model' is missing/],
    [{ tokens: 1, unpriced: 'deny' }, /'unpriced' is veto or allow/],
  ])('%j is refused', async (config, words) => {
    await expect(bench(config)).rejects.toThrow(words);
  });
});

it('what it registers is what its manifest declares, and each of its settings is read', async () => {
  const { hooks, tools, config } = manifest.treblehook;
  const limit = { tokens: 1, cost: 1 };
  const every = {
    ...limit,
    perSession: limit,
    perDay: limit,
    perJob: { bulk: limit },
    prices: { m: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 } },
    warnAt: 1,
    downgrade: { model: 'm', at: 1 },
    unpriced: 'allow',
    onStoreFault: 'open',
    answerTokens: 0,
  };
  const { failed } = await testHost({ plugins: [{ plugin: budget(), config: every, declared: { hooks, tools } }] });
  expect(failed).toEqual([]);
  expect(Object.keys(config.properties)).toEqual(Object.keys(every));
});
