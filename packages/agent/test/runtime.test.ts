// The runtime: two levels of options, the inboxes, and a shutdown that loses nothing.
import { defineTool, type SessionStore } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createRuntime,
  memoryStore,
  type AgentDefinition,
  type Hooks,
  type Metric,
  type Runtime,
  type RuntimeOptions,
} from '../src/index.js';
import { deferred, manualClock, scriptedModel, type ScriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { call, calls, collect, echo, registryWithGuard, settle, textOf } from './kit.js';

type Extra = Omit<Partial<RuntimeOptions>, 'agents'>;
type Definitions = Readonly<Record<string, AgentDefinition & { readonly script?: readonly ScriptedStep[] }>>;

function runtimeOf(definitions: Definitions, options: Extra = {}) {
  const models: Record<string, ScriptedModel> = {};
  const agents: Record<string, AgentDefinition> = {};
  for (const [name, { script = ['done'], ...definition }] of Object.entries(definitions)) {
    models[name] = scriptedModel(script);
    agents[name] = { model: models[name], ...definition };
  }
  const registry = options.registry ?? registryWithGuard();
  return { registry, models, runtime: createRuntime({ ...options, agents, registry }) };
}

const prefix = (text: string): Hooks => ({
  beforeLLM: ({ messages }) => ({
    messages: messages.map((one) => (one.role === 'user' ? { ...one, content: [{ type: 'text', text }] } : one)),
  }),
});
const lastUser = (model: ScriptedModel): string => JSON.stringify(model.calls.at(-1)!.prompt);

describe('two levels', () => {
  it('gives the hooks and the sink of the runtime to each agent that brings none', async () => {
    const metrics: Metric[] = [];
    const { runtime, models } = runtimeOf(
      { one: {}, two: {} },
      { hooks: prefix('of the runtime'), onMetric: (metric) => metrics.push(metric) },
    );
    await runtime.agent('one').run('go');
    await runtime.agent('two').run('go');
    expect(lastUser(models['one']!)).toContain('of the runtime');
    expect(lastUser(models['two']!)).toContain('of the runtime');
    expect(metrics.filter(({ type }) => type === 'run').map(({ origin }) => origin.agentPath)).toEqual([
      ['one'],
      ['two'],
    ]);
  });

  it('replaces the hooks of the runtime by those of a definition, for that agent alone', async () => {
    const fires = { runtime: 0, definition: 0 };
    const counting = (key: keyof typeof fires): Hooks => ({ beforeLLM: () => void fires[key]++ });
    const { runtime } = runtimeOf(
      { own: { hooks: counting('definition') }, plain: {} },
      { hooks: counting('runtime') },
    );
    await runtime.agent('own').run('go');
    await runtime.agent('plain').run('go');
    expect(fires).toEqual({ runtime: 1, definition: 1 });
  });

  it('resolves hooks and sink independently; {} replaces, undefined inherits', async () => {
    const told: string[] = [];
    const asked: string[] = [];
    const { runtime } = runtimeOf(
      {
        sink: { onMetric: ({ type, origin }) => void told.push(`definition ${origin.agentPath[0]} ${type}`) },
        hooks: { hooks: { beforeLLM: () => void asked.push('definition') }, onMetric: undefined },
        empty: { hooks: {} },
        inherits: { hooks: undefined },
      },
      {
        hooks: { beforeLLM: () => void asked.push('runtime') },
        onMetric: ({ type, origin }) => void told.push(`runtime ${origin.agentPath[0]} ${type}`),
      },
    );
    for (const name of ['sink', 'hooks', 'empty', 'inherits']) await runtime.agent(name).run('go');
    expect(asked).toEqual(['runtime', 'definition', 'runtime']);
    expect(told.filter((one) => one.endsWith(' run'))).toEqual([
      'definition sink run',
      'runtime hooks run',
      'runtime empty run',
      'runtime inherits run',
    ]);
  });

  it('keeps a tracer of the registry firing for an agent that brings its own hooks', async () => {
    const seen: string[] = [];
    const made = runtimeOf({ own: { hooks: prefix('own') }, other: {} });
    made.registry.registerVoid('llmRequest', ({ origin }) => void seen.push(origin.agentPath.join('/')), {
      id: 'tracer',
    });
    await made.runtime.agent('own').run('go');
    await made.runtime.agent('other').run('go');
    expect(seen).toEqual(['own', 'other']);
  });

  it('gives an agent what the runtime says of models, limits and settings, unless it says otherwise', async () => {
    const shared = scriptedModel(['a', 'b', 'c']);
    const seen: unknown[] = [];
    const runtime = createRuntime({
      registry: registryWithGuard(),
      models: { shared: ({ fetch }) => (seen.push(fetch), shared) },
      model: 'shared',
      prices: { shared: { input: 1, output: 1 } },
      fetch: globalThis.fetch,
      settings: { temperature: 0.5 },
      limits: { steps: 7 },
      agents: {
        one: {},
        two: { settings: { temperature: 0 }, limits: { toolCalls: 1 } },
        three: { model: scriptedModel([]) },
      },
    });
    await runtime.agent('one').run('go');
    await runtime.agent('two').run('go');
    expect(shared.calls.map(({ temperature }) => temperature)).toEqual([0.5, 0]);
    const [one, two, three] = runtime.describe().agents;
    expect([one!.limits.steps, two!.limits.steps, two!.limits.toolCalls]).toEqual([7, 100, 1]);
    expect([one!.prices, three!.models.map(({ key }) => key)]).toEqual([
      { shared: { input: 1, output: 1 } },
      ['shared', 'scripted'],
    ]);
    expect(seen).toEqual([globalThis.fetch, globalThis.fetch, globalThis.fetch]);
  });

  it('says which agent an option was refused of, and where it belongs', () => {
    const make = (agents: unknown, more: object = {}): Runtime =>
      createRuntime({ registry: registryWithGuard(), agents, ...more } as unknown as RuntimeOptions);
    const model = scriptedModel([]);
    expect(() => make({})).toThrow(/at least one/);
    expect(() => make({ a: {} })).toThrow(/agents\.a: it has no model/);
    expect(() => make({ a: { model, tool: [] } })).toThrow(/agents\.a: 'tool' is no option of a definition.*tools/);
    expect(() => make({ a: { model, store: memoryStore() } })).toThrow(/agents\.a: 'store' is one for all agents/);
    expect(() => make({ a: { model } }, { tools: [] })).toThrow(/'tools' is an option of one agent/);
    expect(() => make({ a: { model } }, { inboxCap: -1 })).toThrow(/inboxCap must be a whole number/);
    expect(() => make({ a: { model } }, { inboxcap: 1 })).toThrow(/did you mean 'inboxCap'/);
    expect(() => make({ a: { model: () => Promise.resolve(model) } })).toThrow(/model gave a promise/);
    expect(() => make({ a: { model } }).agent('b')).toThrow(/'b' is no agent of the runtime/);
  });
});

/** A model that answers when it is told to. */
function held() {
  const waits = Array.from({ length: 8 }, () => deferred<void>());
  const script = waits.map((wait, at): ScriptedStep => ({ wait: wait.promise, text: `answer ${at}` }));
  return { script, release: (at: number) => waits[at]!.resolve() };
}

describe('the inbox', () => {
  it('lets in as many runs as there are turns; the others wait, in their order', async () => {
    const { script, release } = held();
    const { runtime, models } = runtimeOf({ busy: { script } }, { maxConcurrentTurns: 2 });
    const agent = runtime.agent('busy');
    const runs = ['a', 'b', 'c', 'd'].map((id) => agent.session(id).run('go'));
    await settle();
    expect(models['busy']!.calls).toHaveLength(2);
    expect(runtime.describe()).toMatchObject({ running: 2, waiting: { busy: 2 } });
    release(1);
    expect((await runs[1]!).sessionId).toBe('b');
    await settle();
    expect(models['busy']!.calls).toHaveLength(3);
    for (const at of [0, 2, 3]) release(at);
    expect((await Promise.all(runs)).map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done']);
    expect(runtime.describe()).toMatchObject({ running: 0, waiting: { busy: 0 } });
  });

  it('does not let one busy session take the turns of others', async () => {
    const { script, release } = held();
    const { runtime } = runtimeOf({ busy: { script } }, { maxConcurrentTurns: 2 });
    const agent = runtime.agent('busy');
    const first = agent.session('one').run('1');
    const second = agent.session('one').run('2');
    const other = agent.session('two').run('3');
    await settle();
    release(1); // the second call of the model is that of the other session
    expect((await other).text).toBe('answer 1');
    release(0);
    release(2);
    expect((await first).text).toBe('answer 0');
    expect((await second).messages.map(textOf)).toEqual(['1', 'answer 0', '2', 'answer 2']);
  });

  it('refuses what a full one cannot take, with a typed error, and loses nothing that it took', async () => {
    const { script, release } = held();
    const { runtime } = runtimeOf({ busy: { script }, idle: {} }, { maxConcurrentTurns: 1, inboxCap: 2 });
    const agent = runtime.agent('busy');
    const taken = [agent.session('a').run('1'), agent.session('b').run('2'), agent.session('c').run('3')];
    await settle();
    const refused = agent.session('d').run('4');
    await expect(refused).rejects.toMatchObject({ code: 'TH_INBOX_FULL', details: { agent: 'busy', cap: 2 } });
    const elsewhere = runtime.agent('idle').run('of another agent');
    for (const at of [0, 1, 2]) release(at);
    expect((await Promise.all(taken)).map(({ text }) => text)).toEqual(['answer 0', 'answer 1', 'answer 2']);
    expect((await elsewhere).status).toBe('done');
    expect(agent.session('d').messages()).toEqual([]);
  });

  it('takes a run that is aborted while it waits out of the line', async () => {
    const { script, release } = held();
    const { runtime, models } = runtimeOf({ busy: { script } }, { maxConcurrentTurns: 1 });
    const agent = runtime.agent('busy');
    const first = agent.session('a').run('1');
    const abort = new AbortController();
    const gone = agent.session('b').run('2', { signal: abort.signal });
    const third = agent.session('c').run('3');
    await settle();
    abort.abort();
    expect((await gone).status).toBe('aborted');
    release(0);
    release(1);
    expect([(await first).text, (await third).text]).toEqual(['answer 0', 'answer 1']);
    expect(models['busy']!.calls).toHaveLength(2);
  });

  it('ends the waiting of a body for its own session', async () => {
    const clock = manualClock();
    const self = defineTool({
      name: 'self',
      description: 'asks its own agent',
      input: z.object({}),
      execute: async (_, { origin }) => (await runtime.agent('loop').session(origin.sessionId).run('again')).text,
    });
    const { runtime }: { runtime: Runtime } = runtimeOf(
      { loop: { script: [call('self', {}), 'end'], tools: [self] } },
      { clock, inboxWaitMs: 500 },
    );
    const run = runtime.agent('loop').run('go');
    await settle();
    clock.advance(500);
    const { toolCalls, text } = await run;
    expect(text).toBe('end');
    expect(toolCalls[0]!.output).toMatch(/was not free within 500 ms: the run 'run_.*' holds it/);
  });
});

describe('closing', () => {
  it('forgets a session that nobody has named, and those of its tasks, where no store was given', async () => {
    const { runtime, models } = runtimeOf({
      lead: { script: [call('task', { agent: 'helper', prompt: 'x' }), 'one', 'two'], agents: ['helper'] },
      helper: { script: ['h'] },
    });
    const agent = runtime.agent('lead');
    const session = agent.session();
    await session.run('1');
    await session.close();
    expect((await agent.session(session.id).run('2')).messages.map(textOf)).toEqual(['2', 'two']);
    expect(models['lead']!.calls).toHaveLength(3);
  });

  it('of a session waits for its runs that stand in the inbox', async () => {
    const { script, release } = held();
    const { runtime, registry } = runtimeOf({ busy: { script } }, { maxConcurrentTurns: 1 });
    const told: string[] = [];
    for (const hook of ['sessionStart', 'sessionEnd', 'agentDone'] as const)
      registry.registerVoid(hook, ({ origin }: { origin: { sessionId: string } }) => {
        if (origin.sessionId === 's') told.push(hook);
      });
    const agent = runtime.agent('busy');
    const one = agent.session('other').run('1');
    const session = agent.session('s');
    const runs = [session.run('2'), session.run('3')];
    const closed = session.close().then(() => told.push('closed'));
    await settle();
    for (const at of [0, 1, 2]) release(at);
    await Promise.all([one, ...runs, closed]);
    expect(told).toEqual(['sessionStart', 'agentDone', 'agentDone', 'sessionEnd', 'closed']);
  });

  it('of an agent does too', async () => {
    const { script, release } = held();
    const { runtime } = runtimeOf({ busy: { script }, idle: {} }, { maxConcurrentTurns: 1 });
    const one = runtime.agent('busy').run('1');
    await settle();
    let isOver = false;
    const two = runtime
      .agent('idle')
      .run('2')
      .finally(() => (isOver = true));
    const closed = runtime
      .agent('idle')
      .close()
      .then(() => isOver);
    release(0);
    await Promise.all([one, two]);
    expect(await closed).toBe(true);
  });
});

describe('shutdown', () => {
  /** A tool of which the test knows when it runs, and says when it ends. */
  function slowTool(heeds = true) {
    const started = deferred<void>();
    const body = deferred<string>();
    const ran: string[] = [];
    const tool = defineTool({
      name: 'slow',
      description: 'waits',
      input: z.object({}),
      execute(_, { signal }) {
        ran.push('slow');
        started.resolve();
        if (heeds) signal.addEventListener('abort', () => body.reject(new Error('stopped')));
        return body.promise;
      },
    });
    return { tool, started: started.promise, body, ran };
  }
  const slowThenEcho: ScriptedStep = { calls: [{ name: 'slow' }, { name: 'echo', args: { text: 'hi' } }] };

  it('waits for what runs, closes every session, and lets nobody in any more', async () => {
    const { script, release } = held();
    const made = runtimeOf({ busy: { script } }, { maxConcurrentTurns: 1 });
    const ended: string[] = [];
    made.registry.registerVoid('sessionEnd', ({ origin }) => void ended.push(origin.sessionId));
    const agent = made.runtime.agent('busy');
    const first = agent.session('a').run('1');
    const waits = agent.session('b').run('2');
    await settle();
    const down = made.runtime.shutdown();
    await expect(waits).rejects.toMatchObject({ code: 'TH_DISPOSED' });
    await expect(agent.session('c').run('3')).rejects.toMatchObject({ code: 'TH_DISPOSED' });
    release(0);
    expect((await first).status).toBe('done');
    expect(await down).toEqual({ finished: 1, suspended: [], refused: 1, stuck: [] });
    expect(ended).toEqual(['a']);
    expect(await made.runtime.shutdown()).toBe(await down);
    expect(Object.getPrototypeOf(await down)).toBeNull(); // it goes through promises
  });

  it('suspends a run whose model does not answer in time; another runtime goes on with it', async () => {
    const store = memoryStore();
    const clock = manualClock();
    const { script } = held();
    const { tool, ran } = echo();
    const first = runtimeOf({ busy: { script: [call('echo'), ...script], tools: [tool] } }, { store, clock });
    const run = first.runtime.agent('busy').session('s').run('go');
    await settle();
    const down = first.runtime.shutdown({ graceMs: 50 });
    clock.advance(50);
    const result = await run;
    expect(result).toMatchObject({ status: 'pending', pending: [], turns: 2 });
    const told = { agent: 'busy', sessionId: 's', runId: result.runId };
    expect(await down).toEqual({ finished: 0, suspended: [told], refused: 0, stuck: [] });

    const second = runtimeOf({ busy: { script: ['the end'], tools: [tool] } }, { store });
    const resumed = await second.runtime.agent('busy').resume('s');
    expect(resumed).toMatchObject({ status: 'done', text: 'the end', runId: result.runId });
    expect(resumed.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(ran).toHaveLength(1);
  });

  it('cancels a body in hand and leaves the calls behind it open: they run in the next process, once', async () => {
    const store = memoryStore();
    const clock = manualClock();
    const slow = slowTool();
    const { tool, ran } = echo();
    const tools = [slow.tool, tool];
    const first = runtimeOf({ busy: { script: [slowThenEcho], tools } }, { store, clock });
    const run = first.runtime.agent('busy').session('s').run('go');
    await slow.started;
    const down = first.runtime.shutdown({ graceMs: 0 });
    clock.advance(0);
    expect(await run).toMatchObject({ status: 'pending', toolCalls: [{ name: 'slow', outcome: 'cancelled' }] });
    await down;
    expect(ran).toEqual([]);

    const second = runtimeOf({ busy: { script: ['the end'], tools } }, { store });
    const resumed = await second.runtime.agent('busy').resume('s');
    expect(resumed).toMatchObject({
      status: 'done',
      toolCalls: [
        { name: 'slow', outcome: 'cancelled' },
        { name: 'echo', outcome: 'ok' },
      ],
    });
    expect([slow.ran, ran]).toEqual([['slow'], [{ text: 'hi' }]]);
  });

  it('leaves open a call whose start is durable and whose body had not begun: it runs when the run goes on, once', async () => {
    const inner = memoryStore();
    const clock = manualClock();
    const { tool, ran } = echo();
    let down: Promise<unknown> | undefined;
    const store: SessionStore = {
      ...inner,
      append: async (lease, records) => {
        const head = await inner.append(lease, records);
        if (records[0]!.type === 'started' && down === undefined) {
          down = first.runtime.shutdown({ graceMs: 0 });
          clock.advance(0);
          await settle();
        }
        return head;
      },
    };
    const first = runtimeOf({ busy: { script: [call('echo')], tools: [tool] } }, { store, clock });
    const { status, toolCalls } = await first.runtime.agent('busy').session('s').run('go');
    await down;
    expect(status).toBe('pending');
    expect([toolCalls, ran.length]).toEqual([[], 0]);
    const second = runtimeOf({ busy: { script: ['the end'], tools: [tool] } }, { store: inner });
    const resumed = await second.runtime.agent('busy').resume('s');
    expect(resumed).toMatchObject({ status: 'done', toolCalls: [{ outcome: 'ok' }] });
    expect(ran).toHaveLength(1);
  });

  it('tells the truth of a body that ignores the abort', async () => {
    const store = memoryStore();
    const clock = manualClock();
    const slow = slowTool(false);
    const { runtime } = runtimeOf(
      { busy: { script: [slowThenEcho], tools: [slow.tool, echo().tool] } },
      { store, clock, graceMs: 100 },
    );
    const run = runtime.agent('busy').session('s').run('go');
    await slow.started;
    const down = runtime.shutdown({ graceMs: 0 });
    clock.advance(0);
    await settle();
    clock.advance(100);
    expect(await run).toMatchObject({ status: 'pending', toolCalls: [{ name: 'slow', outcome: 'outcome-unknown' }] });
    expect((await down).suspended).toHaveLength(1);
  });

  it('suspends a run whose answerer is still asked; the answer is taken in the next process', async () => {
    const store: SessionStore = memoryStore();
    const clock = manualClock();
    const { tool, ran } = echo();
    const make = (script: ScriptedStep[], answerer?: RuntimeOptions['answerer']) => {
      const made = runtimeOf({ busy: { script, tools: [tool] } }, { store, clock, ...(answerer && { answerer }) });
      made.registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?', rule: 'r' }), { id: 'asker' });
      return made.runtime.agent('busy');
    };
    const asked = deferred<void>();
    const made = runtimeOf(
      { busy: { script: [call('echo')], tools: [tool] } },
      { store, clock, answerer: { answer: () => (asked.resolve(), new Promise(() => {})) } },
    );
    made.registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?', rule: 'r' }), { id: 'asker' });
    const run = made.runtime.agent('busy').session('s').run('go');
    await asked.promise;
    const down = made.runtime.shutdown({ graceMs: 0 });
    clock.advance(0);
    const { status, pending } = await run;
    expect([status, pending?.length]).toEqual(['pending', 1]);
    await down;
    const resumed = await make(['the end']).resume('s', { id: pending![0]!.id, ok: true });
    expect(resumed).toMatchObject({ status: 'done', toolCalls: [{ outcome: 'ok' }] });
    expect(ran).toHaveLength(1);
  });

  it('asked again with less patience is over sooner', async () => {
    const clock = manualClock();
    const { script } = held();
    const { runtime } = runtimeOf({ busy: { script } }, { clock });
    const run = runtime.agent('busy').session('s').run('go');
    await settle();
    const first = runtime.shutdown({ graceMs: 60_000 });
    const second = runtime.shutdown({ graceMs: 10 });
    clock.advance(10);
    expect((await run).status).toBe('pending');
    expect(await second).toBe(await first);
  });

  it('names each request that a suspended run waits for', async () => {
    const clock = manualClock();
    const { tool } = echo();
    const slow = slowTool();
    const made = runtimeOf(
      {
        busy: {
          script: [{ calls: [{ name: 'echo', args: { text: 'hi' } }, { name: 'slow' }, { name: 'slow' }] }],
          tools: [
            { ...tool, concurrency: 'safe' },
            { ...slow.tool, concurrency: 'safe' },
          ],
          maxConcurrentTools: 1,
        },
      },
      { clock },
    );
    made.registry.registerClaiming('toolPolicy', ({ tool: { name } }) =>
      name === 'echo' ? { ask: 'may it?' } : undefined,
    );
    const run = made.runtime.agent('busy').session('s').run('go');
    await slow.started;
    const down = made.runtime.shutdown({ graceMs: 0 });
    clock.advance(0);
    expect(await run).toMatchObject({ status: 'pending', pending: [{ kind: 'approval' }] });
    await down;
  });

  it('streams the same', async () => {
    const clock = manualClock();
    const slow = slowTool();
    const { runtime } = runtimeOf({ busy: { script: [slowThenEcho], tools: [slow.tool, echo().tool] } }, { clock });
    const told = collect(runtime.agent('busy').session('s').stream('go'));
    await slow.started;
    const down = runtime.shutdown({ graceMs: 0 });
    clock.advance(0);
    const { events, result } = await told;
    expect(result.status).toBe('pending');
    expect(events.at(-1)).toMatchObject({ type: 'done', result: { status: 'pending' } });
    await down;
  });

  it('leaves no run open that has not stored its input: it was aborted', async () => {
    const clock = manualClock();
    const made = runtimeOf({ busy: {} }, { clock });
    const entered = deferred<void>();
    made.registry.registerModifying('beforeInput', () => (entered.resolve(), new Promise<undefined>(() => {})), {
      timeoutMs: 'caller',
    });
    const run = made.runtime.agent('busy').session('s').run('go');
    await entered.promise;
    const down = made.runtime.shutdown({ graceMs: 0 });
    clock.advance(0);
    expect((await run).status).toBe('aborted');
    expect((await down).suspended).toEqual([]);
  });
});

it('runs safe neighbours and groups as an agent of its own does', async () => {
  const { tool, ran } = echo();
  const { runtime } = runtimeOf({ one: { script: [calls('echo', 'echo'), 'end'], tools: [tool] } });
  expect((await runtime.agent('one').run('go')).text).toBe('end');
  expect(ran).toHaveLength(2);
});
