/** Laws of the decision: who may use what, what fits, what is said. */
import { describe, expect, test } from 'vitest';
import { HookError } from '@treblehook/types';
import { routeGate, type RouteGateOptions, type TierRule } from '../src/index.js';
import { house, request, routes, user } from './calls.js';

describe('a route', () => {
  test('that is open is kept: nothing is amended, and the trace says why', async () => {
    const { fire, decisions } = house({ routes });
    expect(await fire(request())).toBeUndefined();
    expect(decisions).toEqual([
      {
        runId: 'run',
        sessionId: 'session',
        turn: 0,
        asked: 'big',
        action: 'keep',
        model: 'big',
        reason: "'big' (tier 'frontier') is open: about 11 tokens of 1000",
        tokens: 11,
        spent: 0,
        inexact: 0,
      },
    ]);
  });

  test('that the table lacks is vetoed, never guessed, a default route or not', async () => {
    for (const more of [{}, { default: 'small' }]) {
      const { fire } = house({ routes, ...more });
      const models = ['bif', 'constructor', '__proto__', 'toString'];
      for (const model of models) {
        const answer = await fire(request({ model, models: [...models, 'small'] }));
        expect(answer?.veto).toMatch(
          new RegExp(`^route gate: '${model}' has no route: .*'big', 'small', 'local', 'long'`),
        );
        expect(answer?.model).toBeUndefined();
      }
    }
    expect((await house({ routes }).fire(request({ model: 'bif', models: ['bif'] })))?.veto).toMatch(
      /did you mean 'big'\?/,
    );
  });

  test('that the agent lacks stops the call instead of letting it through', async () => {
    const { fire } = house({
      routes,
      rules: [{ tier: 'frontier', for: [{ job: 'audit' }], otherwise: { downgrade: 'small' } }],
    });
    const error = await fire(request({ models: ['big', 'smal'] })).catch((thrown: unknown) => thrown);
    expect((error as HookError).cause).toMatchObject({
      code: 'TH_ROUTE_UNKNOWN',
      message:
        "the route gate sends a request to 'small', which the agent lacks: give the agent that model; it has 'big', 'smal' (did you mean 'smal'?)",
    });
  });
});

describe('a rule', () => {
  const rules: RouteGateOptions['rules'] = [
    { tier: 'frontier', for: [{ personality: 'review*' }, { job: 'audit-*', personality: 'clerk' }] },
  ];
  const open: [string, string | undefined][] = [
    ['reviewer', undefined],
    ['reviewer', 'chat'],
    ['clerk', 'audit-2026'],
  ];
  const closed: [string, string | undefined][] = [
    ['clerk', undefined],
    ['clerk', 'chat'],
    ['intern', 'audit-2026'],
    ['a-reviewer', undefined],
  ];
  const asked = (personality: string, job: string | undefined) =>
    request({ personality, ...(job === undefined ? {} : { job: { class: job } }) });

  for (const [personality, job] of open) {
    test(`lets in ${personality} with job ${job}`, async () => {
      expect(await house({ routes, rules }).fire(asked(personality, job))).toBeUndefined();
    });
  }
  for (const [personality, job] of closed) {
    test(`turns away ${personality} with job ${job}, and says whom the tier is for`, async () => {
      const answer = await house({ routes, rules }).fire(asked(personality, job));
      expect(answer?.veto).toMatch(
        /tier 'frontier' is for personality 'review\*' or personality 'clerk' with job 'audit-\*'; this is personality '/,
      );
    });
  }

  test('sends where it says, else to the default route, else vetoes', async () => {
    const only = { tier: 'frontier', for: [{ job: 'audit' }] };
    expect(
      await house({ routes, rules: [{ ...only, otherwise: { downgrade: 'small' } }], default: 'local' }).fire(
        request(),
      ),
    ).toEqual({ model: 'small' });
    expect(await house({ routes, rules: [only], default: 'local' }).fire(request())).toEqual({ model: 'local' });
    expect(
      await house({ routes, rules: [{ ...only, otherwise: 'veto' }], default: 'local' }).fire(request()),
    ).toHaveProperty('veto');
    expect(await house({ routes, rules: [only] }).fire(request())).toHaveProperty('veto');
  });

  test('of one tier does not loosen another: each must be satisfied, in whatever order they stand', async () => {
    const both: NonNullable<RouteGateOptions['rules']> = [
      { tier: 'frontier', for: [{ personality: '*' }] },
      { tier: 'frontier', justification: 10 },
    ];
    for (const rules of [both, both.toReversed()]) {
      const { fire } = house({ routes, rules });
      expect((await fire(request()))?.veto).toMatch(
        /needs a justification of at least 10 characters; the job gives none/,
      );
      expect((await fire(request({ job: { class: 'j', justification: '  short     ' } })))?.veto).toMatch(
        /the job gives 5/,
      );
      expect(await fire(request({ job: { class: 'j', justification: 'the contract is due' } }))).toBeUndefined();
    }
  });

  test('a blank justification is none', async () => {
    const { fire } = house({ routes, rules: [{ tier: 'frontier', justification: true }] });
    expect(await fire(request({ job: { class: 'j', justification: ' \n ' } }))).toHaveProperty('veto');
    expect(await fire(request({ job: { class: 'j', justification: 'x' } }))).toBeUndefined();
  });

  test('holds for the route that a request is moved to, and two that send to one another veto', async () => {
    const { fire, decisions } = house({
      routes,
      rules: [
        { tier: 'frontier', for: [{ job: 'audit' }], otherwise: { downgrade: 'small' } },
        { tier: 'cheap', for: [{ job: 'chat' }], otherwise: { downgrade: 'big' } },
      ],
    });
    expect((await fire(request()))?.veto).toMatch(
      /'big' is closed: .*; 'small' is closed: .*; 'big', where it would go, is closed too$/,
    );
    expect(await fire(request({ job: { class: 'chat' } }))).toEqual({ model: 'small' });
    expect(decisions.map(({ action }) => action)).toEqual(['veto', 'move']);
    expect(decisions[1]).toMatchObject({ asked: 'big', model: 'small' });
    expect(decisions[1]!.reason).toMatch(/^'big' is closed: .*; 'small' \(tier 'cheap'\) is open: /);
  });
});

describe('the window', () => {
  const filling = (tokens: number) => [user('x'.repeat((tokens - 4) * 4))];

  test('takes a request that fills it and vetoes one token more, naming both figures', async () => {
    const { fire } = house({ routes });
    expect(await fire(request({ messages: filling(1_000) }))).toBeUndefined();
    expect((await fire(request({ messages: filling(1_001) })))?.veto).toBe(
      "route gate: 'big' is closed: about 1001 tokens do not fit its window of 1000",
    );
  });

  test('counts tools, injected messages and the room that the answer asks for', async () => {
    const { fire } = house({ routes });
    const messages = filling(990);
    expect(await fire(request({ messages }))).toBeUndefined();
    const tools = [{ name: 'read_file', description: 'Reads a file', inputSchema: { type: 'object' } }];
    expect(await fire(request({ messages, tools, toolSet: ['read_file'] }))).toHaveProperty('veto');
    expect(await fire(request({ messages, inject: [user('today is a Monday in November')] }))).toHaveProperty('veto');
    expect((await fire(request({ messages, settings: { maxOutputTokens: 100 } })))?.veto).toMatch(
      /and up to 100 of answer/,
    );
  });

  test('moves a long request to the route that the table says, if that one fits', async () => {
    const { fire } = house({ routes, tooLong: { use: 'long' } });
    expect(await fire(request({ messages: filling(5_000) }))).toEqual({ model: 'long' });
    expect((await fire(request({ messages: filling(200_000) })))?.veto).toMatch(/'big' is closed.*'long' is closed/);
  });

  test('that is not known refuses nothing, and says so', async () => {
    const { fire, decisions } = house({ routes: { big: { tier: 'frontier' } } });
    expect(await fire(request({ messages: filling(1_000_000) }))).toBeUndefined();
    expect(decisions[0]!.reason).toMatch(/its window is not known/);
  });
});

describe('the table', () => {
  const wrong: [string, unknown, string, RegExp][] = [
    ['no options', undefined, 'TH_OPTION_INVALID', /must be an object/],
    ['no routes', {}, 'TH_OPTION_INVALID', /routes must be/],
    ['an empty table', { routes: {} }, 'TH_OPTION_INVALID', /routes is empty/],
    ['a misspelt option', { routes, rulez: [] }, 'TH_OPTION_INVALID', /'rulez'.*did you mean 'rules'/],
    [
      'a misspelt price',
      { routes: { a: { tier: 't', price: { inptt: 1 } } } },
      'TH_OPTION_INVALID',
      /routes\['a'\]\.price has 'inptt'.*did you mean 'input'/,
    ],
    [
      'a negative price',
      { routes: { a: { tier: 't', price: { output: -1 } } } },
      'TH_OPTION_INVALID',
      /routes\['a'\]\.price\.output is -1; it must be a number from 0/,
    ],
    [
      'a price of NaN',
      { routes: { a: { tier: 't', price: { output: Number.NaN } } } },
      'TH_OPTION_INVALID',
      /price\.output/,
    ],
    [
      'a price in words',
      { routes: { a: { tier: 't', price: { output: '5' } } } },
      'TH_OPTION_INVALID',
      /price\.output/,
    ],
    ['a window of nothing', { routes: { a: { tier: 't', contextWindow: 0 } } }, 'TH_OPTION_INVALID', /contextWindow/],
    ['a route without a tier', { routes: { a: {} } }, 'TH_OPTION_INVALID', /tier must be a word/],
    ['an unknown default', { routes, default: 'smal' }, 'TH_ROUTE_UNKNOWN', /'smal' in default.*did you mean 'small'/],
    [
      'an unknown tier',
      { routes, rules: [{ tier: 'fronteir' }] },
      'TH_ROUTE_UNKNOWN',
      /tier 'fronteir' in rules\[0\].*did you mean 'frontier'/,
    ],
    [
      'an unknown route in a rule',
      { routes, rules: [{ tier: 'cheap', otherwise: { downgrade: 'loca' } }] },
      'TH_ROUTE_UNKNOWN',
      /'loca' in rules\[0\]\.otherwise\.downgrade.*did you mean 'local'/,
    ],
    [
      'an answer that is neither',
      { routes, rules: [{ tier: 'cheap', otherwise: 'vteo' }] },
      'TH_OPTION_INVALID',
      /must be 'veto' or \{ downgrade/,
    ],
    ['an unknown route for long requests', { routes, tooLong: { use: 'x' } }, 'TH_ROUTE_UNKNOWN', /tooLong\.use/],
    ['a rule for nobody', { routes, rules: [{ tier: 'cheap', for: [] }] }, 'TH_OPTION_INVALID', /for is empty/],
    [
      'a rule for somebody unnamed',
      { routes, rules: [{ tier: 'cheap', for: [{}] }] },
      'TH_OPTION_INVALID',
      /name a personality or a job/,
    ],
    [
      'a rule for a misspelt kind',
      { routes, rules: [{ tier: 'cheap', for: [{ personalty: 'a' }] }] },
      'TH_OPTION_INVALID',
      /did you mean 'personality'/,
    ],
    [
      'a justification of zero',
      { routes, rules: [{ tier: 'cheap', justification: 0 }] },
      'TH_OPTION_INVALID',
      /justification/,
    ],
    ['a negative budget', { routes, budget: { perSession: -1 } }, 'TH_OPTION_INVALID', /perSession/],
    [
      'a budget over routes without prices',
      { routes: { a: { tier: 't', price: { input: 1 } } }, budget: { perSession: 1 } },
      'TH_OPTION_INVALID',
      /routes\['a'\]\.price\.output.*write 0 if it is free/,
    ],
    [
      'a downgrade to nowhere',
      { routes, budget: { perSession: 1, over: { downgrade: 'x' } } },
      'TH_ROUTE_UNKNOWN',
      /budget\.over\.downgrade/,
    ],
    [
      'a counter that is no function',
      { routes, countTokens: 4 },
      'TH_OPTION_INVALID',
      /countTokens must be a function/,
    ],
  ];
  for (const [what, options, code, message] of wrong) {
    test(`${what} is refused at once, by both doors, with the mend`, () => {
      const thrown = expect.objectContaining({ code, message: expect.stringMatching(message) });
      expect(() => routeGate(options as RouteGateOptions)).toThrow(thrown);
      const { registry, uninstall } = house({ routes });
      uninstall();
      expect(() => house(options as RouteGateOptions)).toThrow(HookError);
      expect(registry.plan('beforeLLM')).toEqual([]);
    });
  }

  test('is copied: what the caller changes later has no effect', async () => {
    const mine = { big: { tier: 'frontier', contextWindow: 10 } };
    const rules: { tier: string; for?: { job: string }[] }[] = [];
    const gate = routeGate({ routes: mine, rules });
    mine.big.contextWindow = 1_000_000;
    rules.push({ tier: 'frontier', for: [{ job: 'nobody' }] });
    expect(gate.beforeLLM({ messages: [user('x'.repeat(100))], tools: [], model: 'big', turn: 0 })?.veto).toMatch(
      /window of 10$/,
    );
  });
});

describe('what hangs on Object.prototype', () => {
  const everyone: Record<string, unknown> = Object.prototype as never;
  const hung: [string, unknown][] = [
    ['for', [{ personality: '*' }]],
    ['justification', 'because'],
    ['job', { class: 'any', justification: 'because' }],
    ['otherwise', { downgrade: 'big' }],
    ['default', 'big'],
    ['price', { input: 0, output: 0 }],
    ['contextWindow', 1],
    ['personality', '*'],
    ['downgrade', 'big'],
  ];
  const rules: TierRule[] = [
    { tier: 'frontier', justification: true, otherwise: { downgrade: 'small' } },
    { tier: 'frontier', for: [{ job: 'deep' }], otherwise: { downgrade: 'small' } },
  ];
  test.each(hung)('%s, opens no route and closes none, before the gate is made or after', async (key, value) => {
    const hang = async (then: () => unknown) => {
      Object.defineProperty(everyone, key, { value, configurable: true });
      try {
        return await then();
      } finally {
        delete everyone[key];
      }
    };
    const open = { cheap: { tier: 'cheap' } };
    for (const [early, rule] of [true, false].flatMap((one) => rules.map((rule) => [one, rule] as const))) {
      let gate: ReturnType<typeof routeGate> | undefined;
      const make = () =>
        void (gate = routeGate(
          { routes: { big: routes.big, small: routes.small, ...open }, rules: [rule] },
          { job: { class: 'x' } },
        ));
      await (early ? hang(make) : make());
      const ask = (model: string, length = 1) =>
        gate!.beforeLLM({ messages: [user('x'.repeat(length))], tools: [], model, turn: 0 });
      const check = () => {
        expect(ask('big')).toEqual({ model: 'small' });
        expect(ask('cheap', 9_000)).toEqual({ model: 'cheap' });
      };
      await (early ? check() : hang(check));
    }
  });
});
