// Owns the limits in a real loop: what is counted where, what is refused with which words, and what goes down.
import { definePlugin } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { bench, named, uses } from './kit.js';

describe('a limit', () => {
  it('of tokens holds for all sessions; the veto names it and what was spent', async () => {
    const { agent, model, faults } = await bench({ tokens: 100 }, { script: [uses(60), uses(60), 'never'] });
    expect((await agent.session('a').run('go')).status).toBe('done');
    expect((await agent.session('b').run('go')).status).toBe('done');
    const { status, reason } = await agent.session('c').run('go');
    expect(status).toBe('vetoed');
    expect(reason).toMatchObject({ by: 'budget/limits' });
    expect(reason!.text).toMatch(
      /^the budget 'tokens' is 100: 120 spent \(2 calls\), and this call takes about \d+ before its answer$/,
    );
    expect(model.calls).toHaveLength(2);
    expect(faults).toEqual([]);
  });

  it.each([false, true])(
    'per session holds for that one alone, whatever it is called; streaming: %s',
    async (streams) => {
      const { agent } = await bench({ perSession: { tokens: 50 } }, { script: [uses(60), uses(60), 'never'] });
      const run = async (id: string) => {
        const session = agent.session(id);
        if (!streams) return (await session.run('go')).status;
        let status = '';
        for await (const event of session.stream('go')) if (event.type === 'done') status = event.result.status;
        return status;
      };
      expect(await run('__proto__')).toBe('done');
      expect(await run('__proto__')).toBe('vetoed');
      expect(await run('constructor')).toBe('done');
    },
  );

  it('per day is new at midnight, UTC', async () => {
    let now = Date.UTC(2026, 0, 1, 23, 59);
    const { agent } = await bench(
      { perDay: { tokens: 50 } },
      { script: [uses(60), uses(60)] },
      { clock: { date: () => now } },
    );
    expect((await agent.run('go')).status).toBe('done');
    const { status, reason } = await agent.run('go');
    expect(status).toBe('vetoed');
    expect(reason!.text).toContain("'perDay.tokens' is 50: 60 spent");
    now += 60_000;
    expect((await agent.run('go')).status).toBe('done');
  });

  it('per class of jobs holds for runs that say that they are such', async () => {
    const { agent } = await bench({ perJob: { bulk: { tokens: 50 } } }, { script: [uses(60), uses(60), uses(60)] });
    expect((await agent.run('go', { job: { class: 'bulk' } })).status).toBe('done');
    expect((await agent.run('go', { job: { class: 'bulk' } })).status).toBe('vetoed');
    expect((await agent.run('go', { job: { class: 'toString' } })).status).toBe('done');
    expect((await agent.run('go')).status).toBe('done');
  });

  it('is not crossed by a request that is longer than what is left', async () => {
    const { agent, model } = await bench({ tokens: 100 });
    const { status, reason } = await agent.run('x'.repeat(1_000));
    expect(status).toBe('vetoed');
    expect(reason!.text).toMatch(/0 spent \(0 calls\), and this call takes about 254/);
    expect(model.calls).toHaveLength(0);
  });
});

describe('cost', () => {
  it('is by price, cached and reasoning tokens once and the cached at theirs', async () => {
    const price = { input: 10, output: 100, cacheRead: 1, cacheWrite: 20 };
    const usage = { input: 1_000_000, cacheRead: 600_000, cacheWrite: 300_000, output: 100_000, reasoning: 90_000 };
    const { agent } = await bench({ cost: 17, prices: { scripted: price } }, { script: [{ text: 'x', usage }] });
    await agent.run('go');
    const { reason } = await agent.run('go');
    // 100,000 fresh at 10, 600,000 at 1, 300,000 at 20, 100,000 at 100
    expect(reason!.text).toMatch(/^the budget 'cost' is 17: 17\.6 spent \(1 calls\)/);
  });

  it('that is unknown is not zero: a model without a price is not called, or its calls are said to be missing', async () => {
    const other = { other: { input: 1, output: 1 } };
    const closed = await bench({ cost: 1, prices: other });
    const { status, reason } = await closed.agent.run('go');
    expect(status).toBe('vetoed');
    expect(reason!.text).toBe(
      "the cost of the model 'scripted' is unknown, and 'cost' limits cost: give its price in prices",
    );
  });

  it('that is unknown and allowed is said to be missing from what was spent', async () => {
    const models = { free: named('free', ['x', 'never']), dear: named('dear', [uses(2), 'never']) };
    let next = 'free';
    const chooser = definePlugin({
      id: 'chooser',
      setup: ({ hooks }) => void hooks.registerModifying('beforeLLM', () => ({ model: next })),
    });
    const { agent } = await bench(
      { cost: 50, prices: { dear: { input: 1e6, output: 1e8 } }, unpriced: 'allow', answerTokens: 0 },
      {
        model: undefined as never,
        models,
        personality: {
          id: 'p',
          model: 'free',
          plugins: ['chooser', 'budget'],
        },
        before: [chooser],
      },
    );
    await agent.run('go');
    next = 'dear';
    await agent.run('go');
    const { reason } = await agent.run('go');
    expect(reason!.text).toMatch(/101 spent \(2 calls, 1 of unknown cost not counted\)/);
  });

  it('of a model that the gate chose behind the budget is unknown too, and then nothing more is spent', async () => {
    const models = { big: named('big', ['x', 'never']), small: named('small', ['x', 'never']) };
    const { agent } = await bench(
      { cost: 100, prices: { big: { input: 1, output: 1 } } },
      {
        model: undefined as never,
        script: undefined as never,
        models,
        personality: {
          id: 'p',
          model: 'big',
          plugins: ['budget'],
        },
        routes: {
          routes: {
            big: { tier: 'big' },
            small: { tier: 'small' },
          },
          rules: [
            {
              tier: 'big',
              for: [{ personality: 'nobody' }],
              otherwise: { downgrade: 'small' },
            },
          ],
        },
      },
    );
    expect((await agent.run('go')).status).toBe('done');
    const { status, reason } = await agent.run('go');
    expect(status).toBe('vetoed');
    expect(reason!.text).toBe("what was spent of 'cost' is unknown: 1 of 1 calls were of models without a price");
    expect(models.small.calls).toHaveLength(1);
  });
});

describe('what is not reported', () => {
  it('is estimated, and the veto says so', async () => {
    const { agent } = await bench({ tokens: 60 }, { script: [{ text: 'x'.repeat(300), usage: {} }, 'never'] });
    const broken = await bench(
      { tokens: 60 },
      {
        script: [
          {
            text: 'x'.repeat(300),
            finish: null,
            parts: [
              {
                type: 'finish',
                finishReason: { unified: 'stop', raw: 'stop' },
                usage: {
                  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
                  outputTokens: { total: Number.NaN, text: undefined, reasoning: undefined },
                },
              },
            ],
          },
        ],
      },
    );
    await agent.run('go');
    await broken.agent.run('go');
    expect((await broken.agent.run('go')).reason!.text).toMatch(/ 84 spent \(1 calls, 1 of them estimated\)/);
  });

  it('and what is reported as less than nothing gives nothing back', async () => {
    const usage = { input: -1_000_000, output: -1_000_000 };
    const { agent } = await bench({ tokens: 100 }, { script: [uses(80), { text: 'x', usage }, uses(80), 'never'] });
    for (let n = 0; n < 3; n++) await agent.run('go');
    expect((await agent.run('go')).status).toBe('vetoed');
  });

  it('of a failed call is nothing; of one that was aborted its request is', async () => {
    const failed = await bench({ tokens: 30 }, { script: [new Error('down'), new Error('down'), 'x'] });
    for (const status of ['failed', 'failed', 'done']) expect((await failed.agent.run('go')).status).toBe(status);
    const aborted = await bench(
      { tokens: 30 },
      { script: Array.from({ length: 9 }, () => ({ wait: new Promise(() => {}) })) },
    );
    const statuses: string[] = [];
    for (let n = 0; n < 8; n++) {
      const abort = new AbortController();
      const run = aborted.agent.run('go', { signal: abort.signal });
      await new Promise((resolve) => setImmediate(resolve));
      abort.abort();
      statuses.push((await run).status);
    }
    expect(statuses.slice(0, 2)).toEqual(['aborted', 'aborted']);
    expect(statuses.at(-1)).toBe('vetoed');
  });
});

describe('a soft limit', () => {
  it('warns once, then goes down to another model, then vetoes', async () => {
    const models = { big: named('big', [uses(60), 'never']), small: named('small', [uses(30), uses(30), 'never']) };
    const { agent, logged } = await bench(
      { perSession: { tokens: 118 }, warnAt: 0.5, downgrade: { model: 'small', at: 0.5 }, answerTokens: 0 },
      {
        model: undefined as never,
        models,
        personality: {
          id: 'p',
          model: 'big',
          plugins: ['budget'],
        },
      },
    );
    const session = agent.session('s');
    const statuses: string[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await session.run('go')).status);
    expect(statuses).toEqual(['done', 'done', 'done', 'vetoed']);
    expect([models.big.calls.length, models.small.calls.length]).toEqual([1, 2]);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/^warn: the budget 'perSession.tokens' is at \d\d % of 118 \(session:s\)$/);
  });

  it('to a model that the agent lacks changes nothing, and is told once with the nearest name', async () => {
    const { agent, logged } = await bench(
      { tokens: 1_000_000, downgrade: { model: 'scriptd', at: 0.1 } },
      { script: ['x', 'y'] },
    );
    await agent.run('go');
    expect((await agent.run('go')).status).toBe('done');
    expect(logged).toEqual(["warn: downgrade.model 'scriptd' is no model of the agent: did you mean 'scripted'?"]);
  });
});
