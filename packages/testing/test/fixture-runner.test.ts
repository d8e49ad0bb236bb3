// The runner can fail: what it says of a wrong expectation, of a wrong loop, and of what is no fixture.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { chainHooks, memoryStore } from '@treblehook/agent';
import { describe, expect, it } from 'vitest';
import {
  agentEntry,
  runCase,
  runtimeEntry,
  type Entry,
  type Fixture,
  type FixtureCase,
  type Parts,
} from '../src/index.js';
import { files, fixtures, schema } from './fixtures.js';

const isFixture = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile<Fixture>(schema);
const named = { fixture: 'sample' };
const greeting = (expect: FixtureCase['steps'][number]['expect']): FixtureCase => ({
  name: 'the model greets',
  setup: { model: ['hello'], runtime: { hooks: { as: 'house', beforeLLM: {} } } },
  steps: [{ run: 'hi', expect: expect! }],
});
const faultsOf = async (one: FixtureCase, entry: Entry = agentEntry): Promise<readonly string[]> =>
  (await runCase(named, one, entry, 'run')).faults;

describe('a fixture', () => {
  it.each(fixtures)('$fixture is one by the schema, named as its file, with no law twice', (fixture) => {
    isFixture(fixture);
    expect(isFixture.errors).toBeNull();
    expect(files).toContain(`${fixture.fixture}.json`);
    const names = fixture.cases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('expects something at one step of each case at least', () => {
    const empty = fixtures.flatMap(({ cases }) =>
      cases.filter(({ steps }) => steps.every((step) => Object.keys(step.expect ?? {}).length === 0)),
    );
    expect(empty).toEqual([]);
  });

  it.each([
    ['a misspelt key of a step', { run: 'hi', expects: {} }],
    ['a step of two verbs', { run: 'hi', advance: 1 }],
    ['an unknown word', { run: 'hi', expect: { '/result': { $like: 'x' } } }],
    ['a pointer that is none', { run: 'hi', expect: { result: 1 } }],
  ])('is none with %s', (_, step) => {
    expect(isFixture({ ...named, about: '', cases: [{ name: 'x', steps: [step] }] })).toBe(false);
  });
});

describe('what is no case', () => {
  const one = greeting({});
  it.each<[string, readonly unknown[], string]>([
    ['a fixture without a name', [{}, one, agentEntry, 'run'], 'first argument'],
    ['no fixture', [undefined, one, agentEntry, 'run'], 'first argument'],
    ['a case without a name', [named, {}, agentEntry, 'run'], 'second argument'],
    ['a case without steps', [named, { name: 'x' }, agentEntry, 'run'], "'x' must have a list of steps"],
    ['no entry', [named, one, undefined, 'run'], 'third argument'],
    ['another way to run', [named, one, agentEntry, 'runs'], 'fourth argument'],
  ])('is refused by its kind: %s', async (_, args, what) => {
    const error: unknown = await runCase(...(args as Parameters<typeof runCase>)).catch((fault: unknown) => fault);
    expect(error).toMatchObject({ code: 'TH_OPTION_INVALID', message: expect.stringContaining(what) as string });
  });
});

describe('a wrong expectation', () => {
  it('is one line that names fixture, case, step, pointer, entry, and both values', async () => {
    expect(await faultsOf(greeting({ '/result/text': 'goodbye', '/result/status': 'done' }))).toEqual([
      `sample.json, 'the model greets', step 0, /result/text (createAgent, run): expected "goodbye", found "hello"`,
    ]);
  });

  it.each<[string, string, unknown]>([
    ['/result/nothing', '/result/nothing', 'x'],
    ['/result/status', '/result/status', { $absent: true }],
    ['/result/nothing', '/result/nothing', { $absent: false }],
    ['/wire/0/messages', '/wire/0/messages/0/text', [{ role: 'user', text: 'ho' }]],
    ['/wire/0/messages', '/wire/0/messages', []],
    ['/wire/0/messages/0', '/wire/0/messages/0', { role: 'user' }],
    ['/wire/0/messages/0', '/wire/0/messages/0', { role: 'user', text: 'hi', pinned: true }],
    ['/effects', '/effects', ['house.beforeLLM', 'house.beforeLLM']],
    ['/effects', '/effects', { $length: 2 }],
    ['/effects', '/effects', { $length: { $below: 1 } }],
    ['/result/turns', '/result/turns', { $below: 1 }],
    ['/result/turns', '/result/turns', { $atLeast: 2 }],
    ['/result/text', '/result/text', { $contains: 'x' }],
    ['/result/text', '/result/text', { $lacks: 'ell' }],
    ['/result/nothing', '/result/nothing', { $lacks: 'x' }],
    ['/wire/*/messages/*/role', '/wire/*/messages/*/role', { $contains: 'user' }],
    ['/wire/0/messages/*/role', '/wire/0/messages/*/role', { $every: 'system' }],
    ['/faults', '/faults', { $every: 'x' }],
    ['/result', '/result/status', { $has: { '/status': 'failed' } }],
    ['/metrics/house', '/metrics/house', []],
  ])('at %s fails', async (pointer, told, expected) => {
    const faults = await faultsOf(greeting({ [pointer]: expected as never }));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`, ${told} (createAgent`);
  });

  it.each([
    ['a word that is none', { run: 'hi', expect: { '/result': { $like: 'x' } } }, "unknown word '$like'"],
    ['a pointer that is none', { run: 'hi', expect: { result: 'x' } }, "does not begin with '/'"],
    ['an agent that is none', { run: 'hi', agent: 'nobody' }, "no agent 'nobody'"],
    ['an answer to nothing', { resume: { request: 0, ok: true } }, 'no request 0'],
  ])('of %s is a fault of the fixture, and rejects', async (_, step, what) => {
    await expect(runCase(named, { name: 'x', steps: [step as never] }, agentEntry, 'run')).rejects.toThrow(what);
  });

  it.each(['agent', 'runtime'] as const)(
    'leaves nothing open behind a step that throws: the %s is closed',
    async (of) => {
      const inner = of === 'agent' ? agentEntry : runtimeEntry;
      let closed = 0;
      const entry: Entry = {
        name: of,
        open(parts) {
          const { agent, close } = inner.open(parts);
          return { agent, close: () => (closed++, close()) };
        },
      };
      const steps: FixtureCase['steps'] = [{ run: 'hi' }, { run: 'hi', agent: 'nobody' }];
      await expect(runCase(named, { ...greeting({}), steps }, entry, 'run')).rejects.toThrow("'nobody'");
      expect(closed).toBe(1);
    },
  );
});

/** A loop that is wrong in one way. */
const wrong = (name: string, change: (parts: Parts) => Parts): Entry => ({
  name,
  open: (parts) => agentEntry.open(change(parts)),
});
const eachAgent = (parts: Parts, change: (agent: Parts['agents'][string]) => Parts['agents'][string]): Parts => ({
  ...parts,
  agents: Object.fromEntries(Object.entries(parts.agents).map(([name, agent]) => [name, change(agent)])),
});

const hookless = (parts: Parts): Parts =>
  eachAgent({ ...parts, runtime: {} }, (agent) => {
    const { hooks: none, ...rest } = agent;
    return none === undefined ? agent : rest;
  });

describe('a wrong loop', () => {
  it.each<[string, string, (parts: Parts) => Parts]>([
    ['two-levels', 'has no hooks of the runtime', (parts) => ({ ...parts, runtime: {} })],
    [
      'two-levels',
      'lets the runtime go before the definition',
      (parts) => eachAgent(parts, (agent) => ({ ...agent, ...parts.runtime })),
    ],
    [
      'two-levels',
      'composes both levels in place of replacing',
      (parts) =>
        eachAgent(parts, (agent) => {
          const hooks = chainHooks(parts.runtime.hooks, agent.hooks);
          return hooks === undefined ? agent : { ...agent, hooks };
        }),
    ],
    [
      'two-levels',
      'takes an empty object for nothing',
      (parts) =>
        eachAgent(parts, ({ hooks, ...agent }) =>
          hooks === undefined || Object.keys(hooks).length === 0 ? agent : { ...agent, hooks },
        ),
    ],
    [
      'two-levels',
      'replaces all fields with one',
      (parts) => eachAgent(parts, (agent) => ('hooks' in agent ? { onMetric: () => {}, ...agent } : agent)),
    ],
    [
      'guards',
      'runs tools without a guard',
      (parts) => eachAgent(parts, (agent) => ({ ...agent, unguarded: 'why not' })),
    ],
    ['guards', 'takes a question for a denial', (parts) => eachAgent(parts, (agent) => ({ ...agent, onAsk: 'deny' }))],
    ['suspension', 'forgets what waits when its process ends', (parts) => ({ ...parts, store: memoryStore() })],
    [
      'suspension',
      'says yes to every question',
      (parts) => ({ ...parts, answerer: { answer: ({ id }) => ({ id, ok: true }) } }),
    ],
    ['suspension', 'takes no notice of the time', (parts) => ({ ...parts, store: memoryStore({ now: () => 0 }) })],
    ['compaction', 'has no hooks at all', hookless],
    ['hook-chains', 'has no hooks at all', hookless],
  ])('does not pass %s when it %s', async (name, _, change) => {
    const fixture = fixtures.find((one) => one.fixture === name)!;
    const faults: string[] = [];
    for (const one of fixture.cases) {
      try {
        faults.push(...(await runCase(fixture, one, wrong('wrong', change), 'run')).faults);
      } catch (error) {
        faults.push(String(error)); // so wrong that a later step cannot be taken
      }
    }
    expect(faults.length).toBeGreaterThan(0);
  });
});
