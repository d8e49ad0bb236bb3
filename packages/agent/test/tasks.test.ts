// Tasks: an agent runs another one, under no more rights than its own; what the child waits for is answered there.
import {
  defineTool,
  isHeld,
  pending,
  type AgentHooks,
  type HookEvents,
  type HookRegistry,
  type Lease,
  type Request,
  type SessionRecord,
  type SessionStore,
  type SubagentSpawned,
  type Tool,
} from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createRuntime,
  memoryStore,
  type AgentDefinition,
  type Metric,
  type RunResult,
  type Runtime,
  type RuntimeOptions,
} from '../src/index.js';
import { deferred, manualClock, scriptedModel, type ScriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { call, calls, collect, echo, registryWithGuard, settle, textOf } from './kit.js';

type Extra = Omit<Partial<RuntimeOptions>, 'agents'>;
type Definition = AgentDefinition & { readonly script?: readonly ScriptedStep[] };

function runtimeOf(definitions: Readonly<Record<string, Definition>>, options: Extra = {}) {
  const models: Record<string, ScriptedModel> = {};
  const agents: Record<string, AgentDefinition> = {};
  for (const [name, { script = ['done'], ...definition }] of Object.entries(definitions)) {
    models[name] = scriptedModel(script, { modelId: name });
    agents[name] = { model: models[name], ...definition };
  }
  const registry = options.registry ?? registryWithGuard();
  const runtime: Runtime = createRuntime({ ...options, agents, registry });
  return { registry, models, runtime };
}

const task = (agent: string, prompt = 'do it'): { readonly name: string; readonly args: unknown } => ({
  name: 'task',
  args: { agent, prompt },
});
const tasking = (agent: string, prompt?: string): ScriptedStep => calls(task(agent, prompt));
const only = ({ pending }: RunResult): Request => {
  expect(pending).toHaveLength(1);
  return pending![0]!;
};
const firesOf = (registry: HookRegistry<AgentHooks>): HookEvents['fired'][] => {
  const fired: HookEvents['fired'][] = [];
  registry.events.on('fired', (event) => fired.push(event));
  return fired;
};

it('a child in a store that nobody else can have renews no lease, as its parent renews none', async () => {
  const clock = manualClock();
  const timers: number[] = [];
  const look = defineTool({
    name: 'look',
    description: 'counts the timers',
    input: z.object({}),
    execute: () => `${timers.push(clock.pending())}`,
  });
  const definitions = {
    lead: { script: [calls({ name: 'look', args: {} }, task('helper')), 'done'], tools: [look], agents: ['helper'] },
    helper: { script: [calls({ name: 'look', args: {} }), 'done'], tools: [look] },
  };
  expect((await runtimeOf(definitions, { clock }).runtime.agent('lead').run('go')).status).toBe('done');
  expect(timers).toEqual([0, 0]);
  await runtimeOf(definitions, { clock, store: memoryStore() }).runtime.agent('lead').run('go');
  expect(timers.slice(2)).toEqual([1, 2]);
});

describe('a task', () => {
  it('is the run of another agent, in a session of its own, and its text is the result', async () => {
    const { runtime, models, registry } = runtimeOf({
      lead: { script: [tasking('helper', 'count the files'), 'end'], agents: ['helper'] },
      helper: {
        script: ['there are 3'],
        description: 'counts things',
        personality: { id: 'counter', system: 'Count.' },
      },
    });
    const fired = firesOf(registry);
    const result = await runtime.agent('lead').session('s').run('go');
    const [made] = result.toolCalls;
    expect(made).toMatchObject({ name: 'task', output: 'there are 3', isError: false, outcome: 'ok' });
    expect(models['lead']!.calls[0]!.tools).toMatchObject([
      { name: 'task', description: expect.stringContaining('- helper: counts things') as string },
    ]);
    expect(JSON.stringify(models['helper']!.calls[0]!.prompt)).toContain('count the files');
    const { childSessionId } = fired.find(({ hook }) => hook === 'subagentSpawned')!.payload as SubagentSpawned;
    expect(childSessionId).toMatch(new RegExp(`^s/${made!.id}\\.[0-9a-f]{16}$`));
    const ofChild = fired.filter(
      ({ payload }) => (payload as { origin: { agentPath: string[] } }).origin.agentPath.length > 1,
    );
    expect(
      new Set(
        ofChild.map(({ payload }) =>
          JSON.stringify((payload as { origin: object }).origin).replace(/.*(?="sessionId)/, ''),
        ),
      ),
    ).toEqual(
      new Set(
        [0].map(
          () =>
            `"sessionId":"${childSessionId}","agentPath":["lead","helper"],"personality":"counter","above":["default"],"turn":0}`,
        ),
      ),
    );
    expect(ofChild.map(({ hook }) => hook)).toContain('sessionEnd');
    const spawning = fired.find(({ hook }) => hook === 'subagentSpawning')!.payload;
    expect(spawning).toMatchObject({
      agent: 'helper',
      prompt: 'count the files',
      personality: 'counter',
      model: 'helper',
      budget: { steps: 100 },
    });
    expect(fired.find(({ hook }) => hook === 'subagentSpawned')!.payload).toMatchObject({
      agent: 'helper',
      childSessionId,
    });
    expect(fired.find(({ hook }) => hook === 'subagentEnded')!.payload).toMatchObject({
      childSessionId,
      status: 'done',
      result: {
        output: 'there are 3',
        isError: false,
        metadata: { agent: 'helper', sessionId: childSessionId, status: 'done' },
      },
    });
  });

  it('gives a result that inherits nothing: a name on `Object.prototype` is no field of it', async () => {
    const { registry, runtime } = runtimeOf({
      lead: { script: [tasking('helper'), 'end'], agents: ['helper'] },
      helper: {},
    });
    const heirs: unknown[] = [];
    registry.registerVoid('subagentEnded', ({ result }) => void heirs.push(Object.getPrototypeOf(result)));
    await runtime.agent('lead').run('go');
    expect(heirs).toEqual([null]);
  });

  it('is offered to those alone who have somebody to task, and refuses others', async () => {
    const { runtime, models } = runtimeOf({
      lead: {
        script: [tasking('stranger'), calls({ name: 'task', args: { agent: 'helper' } }), 'end'],
        agents: ['helper'],
      },
      helper: {},
      stranger: { script: [tasking('helper'), 'end'], unguarded: 'no tools' },
    });
    const { toolCalls } = await runtime.agent('lead').run('go');
    expect(toolCalls.map(({ output }) => output)).toEqual([
      expect.stringContaining('/agent: must be one of helper'),
      expect.stringContaining('/prompt: must be a text'),
    ]);
    expect((await runtime.agent('stranger').run('go')).toolCalls[0]!.output).toMatch(/unknown-tool/);
    expect(models['helper']!.calls).toEqual([]);
    expect(runtime.describe().agents.map(({ name, agents }) => [name, agents])).toEqual([
      ['lead', ['helper']],
      ['helper', []],
      ['stranger', []],
    ]);
  });

  it('is itself a guarded call: a denied one runs nobody', async () => {
    const { runtime, models, registry } = runtimeOf({
      lead: { script: [tasking('helper'), 'end'], agents: ['helper'] },
      helper: {},
    });
    registry.registerClaiming('toolPolicy', ({ tool }) => (tool.name === 'task' ? { deny: 'work alone' } : undefined));
    const { toolCalls } = await runtime.agent('lead').run('go');
    expect(toolCalls[0]).toMatchObject({ outcome: 'denied' });
    expect(models['helper']!.calls).toEqual([]);
  });

  it.each([
    [{ script: [new Error('no model')] }, /the agent 'helper' failed: no model/],
    [{ script: [call('echo'), 'never'], limits: { steps: 1 } }, /did not finish \(limit 'steps'\)/],
    [{ script: [{ text: 'half an ans', finish: 'length' as const }] }, /limit 'output'.*Its last words:\nhalf an ans/s],
  ])('that does not end well is an error result that says how', async (helper: Definition, what) => {
    const { runtime } = runtimeOf({
      lead: { script: [tasking('helper'), 'end'], agents: ['helper'], tools: [echo().tool] },
      helper: { tools: [echo().tool], ...helper },
    });
    const result = await runtime.agent('lead').run('go');
    expect(result.toolCalls[0]).toMatchObject({ isError: true, output: expect.stringMatching(what) as string });
    expect(result).toMatchObject({ status: 'done', text: 'end' });
  });

  it('takes no place in the pool, and neighbours work side by side', async () => {
    const both = deferred<void>();
    let inside = 0;
    const meet = defineTool({
      name: 'meet',
      description: 'waits for the other one',
      input: z.object({}),
      async execute() {
        if (++inside === 2) both.resolve();
        await both.promise;
        return 'met';
      },
    });
    const { runtime } = runtimeOf({
      lead: {
        script: [calls(task('one'), task('two')), 'end'],
        agents: ['one', 'two'],
        tools: [meet],
        maxConcurrentTools: 1,
      },
      one: { script: [call('meet', {}), 'one'], tools: [meet] },
      two: { script: [call('meet', {}), 'two'], tools: [meet] },
    });
    const { toolCalls } = await runtime.agent('lead').run('go');
    expect(toolCalls.map(({ output }) => output)).toEqual(['one', 'two']);
  });

  it('has the hooks and the sink of its own definition, else those of the runtime', async () => {
    const asked: string[] = [];
    const metrics: Metric[] = [];
    const { runtime } = runtimeOf(
      {
        lead: { script: [calls(task('own'), task('plain')), 'end'], agents: ['own', 'plain'] },
        own: { hooks: { beforeLLM: () => void asked.push('own') } },
        plain: {},
      },
      { hooks: { beforeLLM: () => void asked.push('runtime') }, onMetric: (metric) => metrics.push(metric) },
    );
    await runtime.agent('lead').run('go');
    expect(asked.toSorted()).toEqual(['own', 'runtime', 'runtime', 'runtime']);
    expect(
      metrics
        .filter(({ type }) => type === 'run')
        .map(({ origin }) => origin.agentPath.join('/'))
        .toSorted(),
    ).toEqual(['lead', 'lead/own', 'lead/plain']);
  });

  it('tells its events inside those of its parent', async () => {
    const { runtime } = runtimeOf({
      lead: { script: [tasking('helper'), 'end'], agents: ['helper'] },
      helper: { script: ['child says'] },
    });
    const { events } = await collect(runtime.agent('lead').stream('go'));
    const inner = events.flatMap((event) => (event.type === 'subagent' ? [event] : []));
    expect(inner.map(({ event }) => event.type)).toEqual(['run-start', 'text-delta', 'answer', 'done']);
    expect(inner[0]).toMatchObject({ agentPath: ['lead', 'helper'], turn: 0 });
  });

  it('refuses a tool of its name, an agent that is none, and depths that are no numbers', () => {
    const tool: Tool = { ...echo().tool, name: 'task' };
    const make =
      (definitions: Readonly<Record<string, Definition>>, more: object = {}) =>
      () =>
        runtimeOf(definitions, more);
    expect(make({ lead: { agents: ['helper'], tools: [tool] }, helper: {} })).toThrow(/has a tool of this name/);
    expect(make({ lead: { agents: ['helpr'] }, helper: {} })).toThrow(
      /agents\.lead: agents names 'helpr'.*did you mean 'helper'/,
    );
    // its own name is no mend, and one letter is no guess
    expect(make({ leads: { agents: ['lead'] } })).toThrow(/agents\.leads: .*'lead', which is none: there is none$/);
    expect(make({ a: { agents: ['b'] }, c: {} })).toThrow(/'b', which is none: there is c$/);
    expect(make({ lead: {} }, { maxDepth: -1 })).toThrow(/maxDepth must be/);
  });
});

describe('rights', () => {
  const named = (name: string) => echo(name).tool;

  it('are the intersection: tools of both, plugins of both', async () => {
    const { runtime, models, registry } = runtimeOf({
      lead: {
        script: [tasking('helper'), 'end'],
        agents: ['helper'],
        tools: [named('both'), named('leads')],
        personality: { id: 'l', plugins: ['p', 'q'] },
      },
      helper: {
        script: ['ok'],
        tools: [named('both'), named('helpers')],
        personality: { id: 'h', plugins: ['q', 'r'] },
      },
    });
    const asked: string[] = [];
    for (const plugin of ['p', 'q', 'r']) {
      registry
        .forPlugin(plugin)
        .registerModifying('beforeLLM', ({ origin }) => void asked.push(`${origin.agentPath.at(-1)} ${plugin}`));
    }
    await runtime.agent('lead').run('go');
    expect(models['helper']!.calls[0]!.tools!.map(({ name }) => name)).toEqual(['both']);
    expect(asked.filter((one) => one.startsWith('helper'))).toEqual(['helper q']);
  });

  it('do not grow by a tool of the same name that is another one', async () => {
    const other = { ...named('both'), description: 'another' };
    const { runtime, models } = runtimeOf({
      lead: { script: [tasking('helper'), 'end'], agents: ['helper'], tools: [named('both')] },
      helper: { script: [call('both'), 'ok'], tools: [other] },
    });
    await runtime.agent('lead').run('go');
    expect(models['helper']!.calls[0]!.tools).toBeUndefined();
  });

  it('are under the guards of both: the parent’s plugin denies in the child, the child’s own does too', async () => {
    const { tool, ran } = echo();
    const { runtime, registry } = runtimeOf({
      lead: {
        script: [tasking('helper'), 'end'],
        agents: ['helper'],
        tools: [tool],
        personality: { id: 'l', plugins: ['parent'] },
      },
      helper: {
        script: [
          calls(
            { name: 'echo', args: { text: 'a' } },
            { name: 'echo', args: { text: 'b' } },
            { name: 'echo', args: { text: 'c' } },
          ),
          'ok',
        ],
        tools: [tool],
        personality: { id: 'h', plugins: ['child'] },
      },
    });
    const deny = (plugin: string, text: string): void => {
      registry
        .forPlugin(plugin)
        .registerClaiming('toolPolicy', ({ args }) =>
          (args as { text?: string }).text === text ? { deny: plugin } : undefined,
        );
    };
    deny('parent', 'a');
    deny('child', 'b');
    deny('stranger', 'c');
    await runtime.agent('lead').run('go');
    expect(ran).toEqual([{ text: 'c' }]);
  });

  it('cannot be had by resuming the session of a child without its parent', async () => {
    const store = memoryStore();
    const { tool, ran } = echo();
    const { runtime, registry } = runtimeOf(
      {
        lead: { script: [tasking('helper'), 'end'], agents: ['helper'], tools: [tool] },
        helper: { script: [call('echo'), 'ok'], tools: [tool] },
      },
      { store },
    );
    registry.registerClaiming(
      'toolPolicy',
      ({ tool: { name } }) => (name === 'echo' ? { ask: 'may it?', rule: 'r' } : undefined),
      { id: 'asker' },
    );
    const result = await runtime.agent('lead').session('s').run('go');
    const { id } = only(result);
    const child = (await store.list()).find(({ parent }) => parent === 's')!.sessionId;
    const { code } = { code: 'TH_NOTHING_OPEN' };
    await expect(runtime.agent('helper').resume(child, { id, ok: true })).rejects.toMatchObject({
      code,
      message: expect.stringContaining("resume the session 's'") as string,
    });
    await expect(runtime.agent('helper').resume(child)).rejects.toMatchObject({ code });
    await expect(runtime.agent('helper').session(child).run('more')).rejects.toMatchObject({ code });
    expect(ran).toEqual([]);
  });
});

describe('the session of a child', () => {
  it('that somebody else has begun is not taken for it', async () => {
    const store = memoryStore();
    const { tool, ran } = echo();
    const make = (lead: readonly ScriptedStep[]) => {
      const made = runtimeOf(
        {
          lead: { script: lead, agents: ['helper'], tools: [tool] },
          helper: { script: ['forged', 'never'], tools: [tool] },
        },
        { store },
      );
      made.registry.registerClaiming(
        'toolPolicy',
        ({ tool: { name } }) => (name === 'task' ? { ask: 'may it?' } : undefined),
        {
          id: 'asker',
        },
      );
      return made;
    };
    const first = make([tasking('helper')]);
    const waits = await first.runtime.agent('lead').session('s').run('go');
    const [asked] = (await store.read('s')).flatMap(({ record }) => (record.type === 'request' ? record : []));
    const { callId, sealed } = asked!;
    const child = `s/${callId}.${sealed.digest.slice(0, 16)}`;
    const { runtime } = make(['end']);
    expect((await runtime.agent('helper').session(child).run('mine')).text).toBe('forged');
    const result = await runtime.agent('lead').resume('s', { id: only(waits).id, ok: true });
    expect(result.toolCalls[0]).toMatchObject({
      isError: true,
      output: expect.stringContaining("somebody else's") as string,
    });
    expect(ran).toEqual([]);
  });
});

describe('a task that is taken up', () => {
  /** The helper has a tool that waits for an answer. */
  const waiting = (
    store: SessionStore,
    lead: readonly ScriptedStep[],
    helper: readonly ScriptedStep[],
    more: Partial<AgentDefinition> = {},
  ) => {
    const wait = defineTool({
      name: 'wait',
      description: 'waits',
      input: z.object({}),
      execute: (_, { answer }) => (answer === undefined ? pending({ kind: 'input', prompt: 'which?' }) : 'answered'),
    });
    return runtimeOf(
      { lead: { script: lead, agents: ['helper'], tools: [wait], ...more }, helper: { script: helper, tools: [wait] } },
      { store },
    );
  };

  it('with other arguments is another child: nobody answers for what another one has done', async () => {
    const log = recorded();
    const make = (store: SessionStore, lead: readonly ScriptedStep[], more: AgentDefinition = {}) =>
      runtimeOf(
        {
          lead: { script: lead, agents: ['helper', 'other'], ...more },
          helper: { script: ['helper said'] },
          other: { script: ['other said'] },
        },
        { store },
      );
    await make(log.store, [tasking('helper'), 'end'])
      .runtime.agent('lead')
      .session('s')
      .run('go');
    const at = log.steps.findIndex(([id, records]) => id !== 's' && records.some(({ type }) => type === 'settled'));
    const changed = { args: { agent: 'other', prompt: 'new' } };
    const { runtime, models } = make(await log.after(at + 1), ['end'], {
      around: { toolCall: (_, core) => core(changed) },
    });
    const result = await runtime.agent('lead').resume('s');
    expect(result.toolCalls[0]).toMatchObject({ args: { agent: 'other' }, output: 'other said' });
    expect([models['other']!.calls.length, models['helper']!.calls.length]).toEqual([1, 0]);
  });

  it.each([
    ['each time', (n: number) => `p${n}`],
    ['once, and is left alone then', (n: number) => (n === 2 ? 'changed' : undefined)],
    ['there and back', (n: number) => (n % 2 === 0 ? 'even' : 'do it')],
  ])('with arguments that its wrapper changes %s has a child for each', async (_, promptOf) => {
    const store = memoryStore();
    let lives = 0;
    const make = (lead: readonly ScriptedStep[], helper: readonly ScriptedStep[]) =>
      waiting(store, lead, helper, {
        around: {
          toolCall({ name, args }, core) {
            const prompt = name === 'task' ? promptOf(lives) : undefined;
            return prompt === undefined ? core() : core({ args: { ...(args as object), prompt } });
          },
        },
      });
    const live = async (go: (made: ReturnType<typeof make>) => Promise<RunResult>): Promise<RunResult> => {
      lives++;
      return go(make(lives === 1 ? [tasking('helper')] : ['end'], lives === 4 ? ['done'] : [call('wait', {})]));
    };
    let result = await live(({ runtime }) => runtime.agent('lead').session('s').run('go'));
    for (const at of [2, 3, 4]) {
      expect([at, result.status]).toEqual([at, 'pending']);
      const { id } = only(result);
      result = await live(({ runtime }) => runtime.agent('lead').resume('s', { id, ok: true }));
      if (result.status === 'done') break;
    }
    expect(result.toolCalls.map(({ output }) => output).join()).not.toContain("somebody else's");
  });

  it('with arguments that the answer has edited is another child', async () => {
    const store = memoryStore();
    const waits = await waiting(store, [tasking('helper')], [call('wait', {})])
      .runtime.agent('lead')
      .session('s')
      .run('go');
    const guarded = (lead: readonly ScriptedStep[], helper: readonly ScriptedStep[]) => {
      const made = waiting(store, lead, helper);
      made.registry.registerClaiming(
        'toolPolicy',
        ({ tool }) => (tool.name === 'task' ? { ask: 'sure?', rule: 'r' } : undefined),
        { id: 'asker' },
      );
      return made;
    };
    const asks = await guarded([], [])
      .runtime.agent('lead')
      .resume('s', { id: only(waits).id, ok: true });
    const { runtime, models } = guarded(['end'], ['said anew']);
    const data = { args: { agent: 'helper', prompt: 'edited' } };
    const result = await runtime.agent('lead').resume('s', { id: only(asks).id, ok: true, data });
    expect(result).toMatchObject({ status: 'done', toolCalls: [{ args: data.args, output: 'said anew' }] });
    expect(JSON.stringify(models['helper']!.calls[0]!.prompt)).toContain('edited');
  });

  it('is refused when its log speaks of another call than the one that is sealed', async () => {
    const log = recorded();
    const make = (store: SessionStore) =>
      runtimeOf(
        { lead: { script: [tasking('helper'), 'end'], agents: ['helper'] }, helper: { script: ['h'] } },
        { store },
      );
    await make(log.store).runtime.agent('lead').session('s').run('go');
    const at = log.steps.findIndex(([id, records]) => id !== 's' && records.some(({ type }) => type === 'settled'));
    log.steps.splice(
      0,
      log.steps.length,
      ...log.steps
        .slice(0, at + 1)
        .map(([id, records]): (typeof log.steps)[number] => [
          id,
          records.map((one) =>
            one.type === 'opened' && one.parent !== undefined
              ? { ...one, parent: { ...one.parent, digest: 'another' } }
              : one,
          ),
        ]),
    );
    const resumed = runtimeOf(
      { lead: { script: ['end'], agents: ['helper'] }, helper: { script: [] } },
      { store: await log.after(at + 1) },
    );
    const { toolCalls } = await resumed.runtime.agent('lead').resume('s');
    expect(toolCalls[0]).toMatchObject({ isError: true, output: expect.stringContaining("somebody else's") as string });
  });

  it('goes on with a model of its agent when the one that it had is gone', async () => {
    const store = memoryStore();
    const { tool, ran } = echo();
    const make = (helper: Definition, lead: readonly ScriptedStep[]) => {
      const made = runtimeOf(
        { lead: { script: lead, agents: ['helper'], tools: [tool] }, helper: { tools: [tool], ...helper } },
        { store },
      );
      made.registry.registerClaiming(
        'toolPolicy',
        ({ tool: { name } }) => (name === 'echo' ? { ask: 'may it?' } : undefined),
        {
          id: 'asker',
        },
      );
      return made.runtime.agent('lead');
    };
    const waits = await make({ script: [call('echo')] }, [tasking('helper')])
      .session('s')
      .run('go');
    const renewed = scriptedModel(['h'], { modelId: 'renewed' });
    const result = await make({ model: renewed }, ['end']).resume('s', { id: only(waits).id, ok: true });
    expect(result.toolCalls[0]).toMatchObject({ outcome: 'ok', output: 'h' });
    expect(ran).toHaveLength(1);
  });
});

describe('limits', () => {
  it('hold over parent and children together: tool calls', async () => {
    const { tool, ran } = echo();
    const { runtime } = runtimeOf({
      lead: {
        script: [tasking('helper'), call('echo'), 'end'],
        agents: ['helper'],
        tools: [tool],
        limits: { toolCalls: 4 },
      },
      helper: { script: [calls('echo', 'echo'), calls('echo', 'echo'), 'ok'], tools: [tool] },
    });
    const result = await runtime.agent('lead').run('go');
    expect(ran).toHaveLength(3); // one of the four was the task
    expect(result).toMatchObject({ status: 'incomplete', limit: 'toolCalls' });
    expect(result.toolCalls[0]!.output).toMatch(/did not finish \(limit 'toolCalls'\)/);
  });

  it('hold over parallel children together: tokens, looked at before each call', async () => {
    const { tool } = echo();
    const script: ScriptedStep[] = Array.from({ length: 9 }, () => call('echo'));
    const { runtime, models } = runtimeOf({
      lead: {
        script: [calls(task('one'), task('two')), 'end'],
        agents: ['one', 'two'],
        tools: [tool],
        limits: { tokens: 75 },
      },
      one: { script, tools: [tool] },
      two: { script, tools: [tool] },
    });
    const result = await runtime.agent('lead').run('go');
    // 15 tokens a call: five reach the limit, and a sixth may be under way beside the fifth
    const count = models['lead']!.calls.length + models['one']!.calls.length + models['two']!.calls.length;
    expect(count).toBeGreaterThanOrEqual(5);
    expect(count).toBeLessThanOrEqual(6);
    expect(result).toMatchObject({ status: 'incomplete', limit: 'tokens' });
  });

  it('of cost hold by the prices of each', async () => {
    const { tool } = echo();
    const prices = { input: 100_000, output: 0 };
    const { runtime } = runtimeOf({
      lead: {
        script: [tasking('helper'), 'end'],
        agents: ['helper'],
        tools: [tool],
        prices: { lead: prices },
        limits: { cost: 3 },
      },
      helper: { script: Array.from({ length: 9 }, () => call('echo')), tools: [tool], prices: { helper: prices } },
    });
    const metrics: Metric[] = [];
    void metrics;
    const result = await runtime.agent('lead').run('go');
    expect(result).toMatchObject({ status: 'incomplete', limit: 'cost' });
    expect(result.toolCalls[0]!.output).toMatch(/limit 'cost'/);
  });

  it('of the child are its own too, and a stage may narrow them, never widen', async () => {
    const { tool } = echo();
    const made = () =>
      runtimeOf({
        lead: { script: [tasking('helper'), 'end'], agents: ['helper'], tools: [tool], limits: { toolCalls: 9 } },
        helper: { script: Array.from({ length: 9 }, () => call('echo')), tools: [tool], limits: { steps: 3 } },
      });
    const plain = made();
    const fired = firesOf(plain.registry);
    await plain.runtime.agent('lead').run('go');
    expect(plain.models['helper']!.calls).toHaveLength(3);
    expect(fired.find(({ hook }) => hook === 'subagentSpawning')!.payload).toMatchObject({
      budget: { steps: 3, toolCalls: 8 },
    });

    const narrow = made();
    narrow.registry.registerModifying('subagentSpawning', () => ({ budget: { steps: 1 } }));
    await narrow.runtime.agent('lead').run('go');
    expect(narrow.models['helper']!.calls).toHaveLength(1);

    const wide = made();
    const refused: string[] = [];
    wide.registry.events.on('amendmentRefused', ({ error }) => refused.push(error.message));
    wide.registry.registerModifying('subagentSpawning', () => ({ budget: { steps: 5 } }), { id: 'wide' });
    await wide.runtime.agent('lead').run('go');
    expect(refused).toEqual([expect.stringContaining('budget.steps is 5, wider than the 3 that there is')]);
    expect(wide.models['helper']!.calls).toHaveLength(3);
  });

  it('of depth and number are error results: the run goes on', async () => {
    const { runtime, models } = runtimeOf(
      {
        a: { script: [calls(task('b'), task('c'), task('c')), 'end a'], agents: ['b', 'c'] },
        b: { script: [tasking('a'), 'end b'], agents: ['a'] },
        c: { script: ['end c'] },
      },
      { maxDepth: 1, maxChildren: 2 },
    );
    const { toolCalls, text } = await runtime.agent('a').run('go');
    expect(text).toBe('end a');
    expect(toolCalls.map(({ output, isError }) => [output, isError])).toEqual([
      ['end b', false],
      ['end c', false],
      ['the task was not given: a run may give 2 tasks', true],
    ]);
    expect(models['b']!.calls[0]!.tools).toBeUndefined(); // it is as deep as it may be
  });
});

it('no task at all is given where maxDepth is 0', async () => {
  const { runtime, models } = runtimeOf(
    { lead: { script: [tasking('helper'), 'end'], agents: ['helper'] }, helper: {} },
    { maxDepth: 0 },
  );
  const { toolCalls } = await runtime.agent('lead').run('go');
  expect(toolCalls[0]!.output).toBe('the task was not given: agents may task one another 0 levels deep');
  expect(models['helper']!.calls).toEqual([]);
});

describe('a stage of subagentSpawning', () => {
  const made = () =>
    runtimeOf({
      lead: { script: [calls(task('helper'), task('other')), 'end'], agents: ['helper', 'other'] },
      helper: { script: ['ok'], models: { spare: scriptedModel(['spare ok'], { modelId: 'spare' }) } },
      other: {},
    });

  it('rewrites what the child is told', async () => {
    const { runtime, models, registry } = made();
    registry.registerModifying('subagentSpawning', ({ prompt, agent }) =>
      agent === 'helper' ? { prompt: `${prompt}, and be brief` } : undefined,
    );
    await runtime.agent('lead').run('go');
    expect(JSON.stringify(models['helper']!.calls[0]!.prompt)).toContain('do it, and be brief');
  });

  it('vetoes a task; its sibling is given', async () => {
    const { runtime, models, registry } = made();
    registry.registerModifying(
      'subagentSpawning',
      ({ agent }) => (agent === 'helper' ? { veto: 'not now' } : undefined),
      { id: 'gate' },
    );
    const { toolCalls } = await runtime.agent('lead').run('go');
    expect(toolCalls.map(({ output }) => output)).toEqual(["refused by 'gate': not now", 'done']);
    expect(models['helper']!.calls).toEqual([]);
  });

  it('that fails and says abort refuses that task by its name, without its words', async () => {
    const { runtime, models, registry } = made();
    registry.registerModifying(
      'subagentSpawning',
      ({ agent }) => {
        if (agent === 'helper') throw new Error('a secret');
      },
      { id: 'broken', onError: 'abort' },
    );
    const records: unknown[] = [];
    registry.registerVoid('toolEnd', ({ record: { by, reason } }) => void records.push({ by, reason }));
    const result = await runtime.agent('lead').run('go');
    expect(result.toolCalls[0]!.output).toBe("the hook 'broken' failed on subagentSpawning: the task was not given");
    expect(records[0]).toEqual({ by: 'broken', reason: expect.stringContaining('a secret') });
    expect(result.toolCalls[1]!.outcome).toBe('ok');
    expect(models['helper']!.calls).toEqual([]);
  });

  it('chooses the model when it is the host’s, and never when it is a plugin’s', async () => {
    const { runtime, models, registry } = made();
    registry.registerModifying('subagentSpawning', ({ agent }) =>
      agent === 'helper' ? { model: 'spare' } : undefined,
    );
    expect((await runtime.agent('lead').run('go')).toolCalls[0]!.output).toBe('spare ok');
    expect(models['helper']!.calls).toEqual([]);
  });
});

describe('the personality of a child', () => {
  const made = (store?: SessionStore, script: readonly ScriptedStep[] = ['ok']) => {
    const { tool, ran } = echo();
    const other = echo('other').tool;
    return {
      ...runtimeOf(
        {
          lead: {
            script: [tasking('helper'), 'end'],
            agents: ['helper'],
            tools: [tool, other],
            personality: { id: 'l', plugins: ['p', 'q'] },
          },
          helper: {
            script,
            tools: [tool, other],
            personality: { id: 'calm', system: 'Calm.', plugins: ['p'], tools: ['other'] },
            personalities: [{ id: 'bold', system: 'Bold.', plugins: ['q', 'r'], tools: ['echo'] }],
          },
        },
        store && { store },
      ),
      ran,
    };
  };
  const choose = (registry: HookRegistry<AgentHooks>, personality: string) =>
    registry.registerModifying('subagentSpawning', () => ({ personality }));

  it('is chosen by the host: system text, tools and plugins are that one’s, within its parent’s', async () => {
    const { runtime, models, registry } = made();
    choose(registry, 'bold');
    const seen: string[] = [];
    for (const plugin of ['p', 'q', 'r']) {
      registry.forPlugin(plugin).registerModifying('beforeLLM', ({ origin }) => {
        if (origin.agentPath.length > 1) seen.push(`${plugin} ${origin.personality}`);
      });
    }
    await runtime.agent('lead').run('go');
    const [wire] = models['helper']!.calls;
    expect(wire!.prompt[0]!.content).toBe('Bold.');
    expect(wire!.tools!.map(({ name }) => name)).toEqual(['echo']);
    expect(seen).toEqual(['q bold']);
  });

  it('that it may not be is an error result that says which it may be; a plugin’s choice counts for nothing', async () => {
    const { runtime, models, registry } = made();
    const off = choose(registry, 'root');
    const { status, toolCalls } = await runtime.agent('lead').run('go');
    expect(status).toBe('done');
    expect(toolCalls[0]).toMatchObject({
      isError: true,
      output: expect.stringMatching(/'root'.*'helper'.*calm, bold/),
    });
    expect(models['helper']!.calls).toEqual([]);
    off();
    const plugged = made();
    plugged.registry.forPlugin('p').registerModifying('subagentSpawning', () => ({ personality: 'bold' }));
    await plugged.runtime.agent('lead').run('go');
    expect(plugged.models['helper']!.calls[0]!.prompt[0]!.content).toBe('Calm.');
  });

  it('stays when the child is gone on with in another process', async () => {
    const store = memoryStore();
    const ask = (registry: HookRegistry<AgentHooks>): void => {
      registry.registerClaiming(
        'toolPolicy',
        ({ tool: { name } }) => (name === 'echo' ? { ask: 'may it?', rule: 'r' } : undefined),
        { id: 'asker' },
      );
    };
    const first = made(store, [call('echo')]);
    ask(first.registry);
    choose(first.registry, 'bold');
    const { id } = only(await first.runtime.agent('lead').session('s').run('go'));
    const second = made(store, ['ok']);
    ask(second.registry);
    await second.runtime.agent('lead').resume('s', { id, ok: true });
    expect(second.models['helper']!.calls[0]!.prompt[0]!.content).toBe('Bold.');
    expect(second.ran).toHaveLength(1);
  });

  it('follows a switch of its parent: no plugin and no tool that the parent is without now', async () => {
    const { tool } = echo();
    const { runtime, models } = runtimeOf({
      lead: {
        script: [tasking('helper'), 'end'],
        agents: ['helper'],
        tools: [tool, echo('other').tool],
        personality: { id: 'wide' },
        personalities: [{ id: 'narrow', tools: ['task', 'other'] }],
      },
      helper: { tools: [tool, echo('other').tool] },
    });
    const session = runtime.agent('lead').session('s');
    expect(await session.switchPersonality('narrow')).toMatchObject({ tools: ['other', 'task'] });
    await session.run('go');
    expect(models['helper']!.calls[0]!.tools!.map(({ name }) => name)).toEqual(['other']);
  });
});

describe('what a child waits for', () => {
  function asking(
    store: SessionStore,
    scripts: Readonly<Record<string, readonly ScriptedStep[]>>,
    answerer?: RuntimeOptions['answerer'],
  ) {
    const { tool, ran } = echo();
    const tools = [tool];
    const made = runtimeOf(
      {
        lead: { script: scripts['lead'] ?? [], agents: ['middle', 'helper', 'other'], tools },
        middle: { script: scripts['middle'] ?? [], agents: ['helper'], tools },
        helper: { script: scripts['helper'] ?? [], tools },
        other: { script: scripts['other'] ?? [], tools },
      },
      { store, ...(answerer && { answerer }) },
    );
    made.registry.registerClaiming(
      'toolPolicy',
      ({ tool: { name } }) => (name === 'echo' ? { ask: 'may it?', rule: 'r' } : undefined),
      { id: 'asker' },
    );
    return { ...made, ran, lead: made.runtime.agent('lead') };
  }

  it('is put to the answerer with its path', async () => {
    const asked: Request[] = [];
    const { lead, ran } = asking(
      memoryStore(),
      { lead: [tasking('middle'), 'end'], middle: [tasking('helper'), 'm'], helper: [call('echo'), 'h'] },
      { answer: (request) => (asked.push(request), { id: request.id, ok: true }) },
    );
    expect((await lead.run('go')).text).toBe('end');
    expect(asked).toMatchObject([{ kind: 'approval', path: ['lead', 'middle', 'helper'] }]);
    expect(ran).toHaveLength(1);
  });

  it.each([
    [true, 'said hi', 1],
    [false, 'refused: no reason was given', 0],
  ])('surfaces with its path, and an answer of %s in another process goes there', async (ok, output, runs) => {
    const store = memoryStore();
    const first = asking(store, {
      lead: [tasking('middle'), 'never'],
      middle: [tasking('helper'), 'never'],
      helper: [call('echo')],
    });
    const waits = await first.lead.session('s').run('go');
    expect(waits.status).toBe('pending');
    const request = only(waits);
    expect(request).toMatchObject({
      kind: 'approval',
      path: ['lead', 'middle', 'helper'],
      data: { args: { text: 'hi' } },
    });
    expect(first.ran).toEqual([]);

    const second = asking(store, { lead: ['end'], middle: ['m'], helper: ['h'] });
    const fired = firesOf(second.registry);
    const session = second.lead.session('s');
    await session.load();
    expect(session.requests()).toEqual([request]);
    const result = await session.resume({ id: request.id, ok });
    expect(result).toMatchObject({
      status: 'done',
      text: 'end',
      toolCalls: [{ name: 'task', output: 'm', outcome: 'ok' }],
    });
    const inner = fired.find(
      ({ hook, payload }) => hook === 'toolEnd' && (payload as { name: string }).name === 'echo',
    )!;
    expect(inner.payload).toMatchObject({ result: { output } });
    expect(second.ran).toHaveLength(runs);
    expect(fired.filter(({ hook }) => hook === 'subagentSpawned')).toEqual([]);
    expect(
      fired.filter(({ hook }) => hook === 'subagentEnded').map(({ payload }) => (payload as { agent: string }).agent),
    ).toEqual(['helper', 'middle']);
    await expect(session.resume({ id: request.id, ok })).rejects.toMatchObject({ code: 'TH_ANSWER_REFUSED' });
  });

  it('of two children is answered one by one; nothing that completed runs again', async () => {
    const store = memoryStore();
    const lead = [calls(task('helper'), task('other'))];
    const first = asking(store, { lead, helper: [call('echo')], other: [call('echo')] });
    const waits = await first.lead.session('s').run('go');
    expect(waits.pending).toHaveLength(2);
    const [a, b] = waits.pending!;

    const second = asking(store, { helper: ['h'], other: ['never'] });
    const still = await second.lead.resume('s', { id: a!.id, ok: true });
    expect(still).toMatchObject({ status: 'pending', toolCalls: [{ output: 'h' }] });
    expect(only(still).id).toBe(b!.id);

    const third = asking(store, { lead: ['end'], other: ['o'] });
    const result = await third.lead.resume('s', { id: b!.id, ok: true });
    expect(result.toolCalls.map(({ output }) => output)).toEqual(['h', 'o']);
    expect([second.ran.length, third.ran.length]).toEqual([1, 1]);
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  it('is refused there when a body has called the task, which cannot wait; the child ends and is told', async () => {
    const store = memoryStore();
    const { tool, ran } = echo();
    const work = echo('work');
    const wrap = defineTool({
      name: 'wrap',
      description: 'wraps',
      input: z.object({}),
      execute: async (_, { callTool }) => (await callTool('task', { agent: 'helper', prompt: 'p' })).output,
    });
    const tools = [tool, work.tool, wrap];
    const made = runtimeOf(
      {
        lead: { script: [call('wrap', {}), 'end'], agents: ['helper'], tools },
        helper: { script: [call('work'), call('echo'), call('echo', { text: 'b' }), 'h'], tools },
      },
      { store },
    );
    made.registry.registerClaiming(
      'toolPolicy',
      ({ tool: { name } }) => (name === 'echo' ? { ask: 'may it?' } : undefined),
      {
        id: 'asker',
      },
    );
    const fired = firesOf(made.registry);
    const result = await made.runtime.agent('lead').session('s').run('go');
    expect(result).toMatchObject({ status: 'done', text: 'end' });
    expect(result.toolCalls.map(({ name, outcome, output }) => [name, outcome, output])).toEqual([
      ['task', 'ok', 'h'],
      ['wrap', 'ok', 'h'],
    ]);
    expect([work.ran.length, ran.length]).toEqual([1, 0]);
    expect(fired.filter(({ hook }) => hook === 'subagentEnded')).toHaveLength(1);
    expect((await store.list()).map(({ pending: open }) => open)).toEqual([0, 0]);
  });

  it('and has expired is a no to the child, which goes on', async () => {
    const clock = manualClock();
    const store = memoryStore({ now: () => clock.date() });
    const waits = defineTool({
      name: 'waits',
      description: 'waits',
      input: z.object({}),
      execute: (_, { answer }) =>
        answer === undefined ? pending({ kind: 'choice', prompt: 'which?', expiresAt: 100 }) : `ok is ${answer.ok}`,
    });
    const make = (lead: readonly ScriptedStep[], helper: readonly ScriptedStep[]) =>
      runtimeOf(
        { lead: { script: lead, agents: ['helper'], tools: [waits] }, helper: { script: helper, tools: [waits] } },
        { store, clock },
      );
    const first = await make([tasking('helper')], [call('waits', {})])
      .runtime.agent('lead')
      .session('s')
      .run('go');
    expect(first.status).toBe('pending');
    clock.advance(200);
    const second = make(['end'], ['h']);
    const result = await second.runtime.agent('lead').resume('s');
    expect(result.toolCalls).toMatchObject([{ name: 'task', output: 'h', outcome: 'ok' }]);
    expect(JSON.stringify(second.models['helper']!.calls[0]!.prompt)).toContain('ok is false');
  });

  it('more than ten times is answered each time', async () => {
    const store = memoryStore();
    const helper = [...Array.from({ length: 12 }, (_, at) => call('echo', { text: `${at}` })), 'h'];
    let result = await asking(store, { lead: [tasking('helper')], helper: helper.slice(0, 1) })
      .lead.session('s')
      .run('go');
    for (let at = 1; at <= 12; at++) {
      expect(result.status).toBe('pending');
      const next = asking(store, { lead: ['end'], helper: helper.slice(at, at + 1) });
      result = await next.lead.resume('s', { id: only(result).id, ok: true });
    }
    expect(result).toMatchObject({ status: 'done', text: 'end' });
  });

  it('counts what it used before it waited, once', async () => {
    const store = memoryStore();
    const limited = (script: Readonly<Record<string, readonly ScriptedStep[]>>) => {
      const { tool } = echo();
      const made = runtimeOf(
        {
          lead: { script: script['lead'] ?? [], agents: ['helper'], tools: [tool], limits: { toolCalls: 4 } },
          helper: { script: script['helper'] ?? [], tools: [tool] },
        },
        { store },
      );
      made.registry.registerClaiming(
        'toolPolicy',
        ({ args }) => ((args as { text?: string }).text === 'ask' ? { ask: 'may it?', rule: 'r' } : undefined),
        { id: 'asker' },
      );
      return made.runtime.agent('lead');
    };
    const waits = await limited({ lead: [tasking('helper')], helper: [call('echo'), call('echo', { text: 'ask' })] })
      .session('s')
      .run('go');
    const result = await limited({ lead: [calls('echo', 'echo')], helper: ['h'] }).resume('s', {
      id: only(waits).id,
      ok: true,
    });
    expect(result.toolCalls.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'not-started']);
  });
});

describe('a further attempt of a task', () => {
  const again = (change?: { readonly args: { readonly agent: string; readonly prompt: string } }): AgentDefinition => ({
    around: {
      async toolCall(_, core) {
        const first = await core();
        return first.outcome === 'error' ? core(change) : first;
      },
    },
  });

  it('is another child', async () => {
    const { runtime, models } = runtimeOf({
      lead: { script: [tasking('helper'), 'end'], agents: ['helper'], ...again() },
      helper: { script: [new Error('down'), 'up'], retry: { attempts: 1 } },
    });
    const { toolCalls } = await runtime.agent('lead').run('go');
    expect(models['helper']!.calls).toHaveLength(2);
    expect(toolCalls[0]).toMatchObject({ output: 'up' });
  });

  it('may be given to another agent', async () => {
    const { runtime, models } = runtimeOf({
      lead: {
        script: [tasking('helper'), 'end'],
        agents: ['helper', 'other'],
        ...again({ args: { agent: 'other', prompt: 'you do it' } }),
      },
      helper: { script: [new Error('down')], retry: { attempts: 1 } },
      other: { script: ['other did it'] },
    });
    const { toolCalls } = await runtime.agent('lead').run('go');
    expect(models['other']!.calls).toHaveLength(1);
    expect(toolCalls[0]).toMatchObject({ output: 'other did it' });
  });
});

describe('the terms of a task', () => {
  it('hold behind a resume, in a process whose stages say nothing of them', async () => {
    const store = memoryStore();
    const make = (spare: readonly ScriptedStep[], lead: readonly ScriptedStep[]) => {
      const { tool, ran } = echo();
      const spareModel = scriptedModel(spare, { modelId: 'spare' });
      const made = runtimeOf(
        {
          lead: { script: lead, agents: ['helper'], tools: [tool] },
          helper: { script: [], tools: [tool], models: { spare: spareModel } },
        },
        { store },
      );
      made.registry.registerClaiming(
        'toolPolicy',
        ({ args }) => ((args as { text?: string }).text === 'ask' ? { ask: 'may it?', rule: 'r' } : undefined),
        { id: 'asker' },
      );
      return { ...made, ran, spareModel };
    };
    const first = make([call('echo', { text: 'ask' })], [tasking('helper')]);
    first.registry.registerModifying('subagentSpawning', () => ({ model: 'spare', budget: { toolCalls: 1 } }));
    const waits = await first.runtime.agent('lead').session('s').run('go');
    const second = make([call('echo'), 'never'], ['end']);
    const result = await second.runtime.agent('lead').resume('s', { id: only(waits).id, ok: true });
    expect(second.models['helper']!.calls).toEqual([]);
    expect(second.spareModel.calls).toHaveLength(1);
    expect(second.ran).toEqual([{ text: 'ask' }]);
    expect(result.toolCalls[0]!.output).toMatch(/limit 'toolCalls'/);
  });

  it('count the tasks that a run gave before it was resumed', async () => {
    const store = memoryStore();
    const make = (lead: readonly ScriptedStep[]) => {
      const { tool } = echo();
      const made = runtimeOf(
        { lead: { script: lead, agents: ['helper'], tools: [tool] }, helper: { script: ['h'] } },
        { store, maxChildren: 1 },
      );
      made.registry.registerClaiming('toolPolicy', ({ tool: { name } }) =>
        name === 'echo' ? { ask: 'may it?', rule: 'r' } : undefined,
      );
      return made.runtime.agent('lead');
    };
    const waits = await make([tasking('helper'), call('echo')])
      .session('s')
      .run('go');
    const result = await make([tasking('helper'), 'end']).resume('s', { id: only(waits).id, ok: true });
    expect(result.toolCalls.at(-1)!.output).toBe('the task was not given: a run may give 1 tasks');
  });
});

describe('an abort', () => {
  it('reaches the child, its body and its model; each tells how it ended', async () => {
    const started = deferred<AbortSignal>();
    const slow = defineTool({
      name: 'slow',
      description: 'waits',
      input: z.object({}),
      execute: (_, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          started.resolve(signal);
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        }),
    });
    const { runtime, registry } = runtimeOf({
      lead: { script: [tasking('helper'), 'never'], agents: ['helper'], tools: [slow] },
      helper: { script: [call('slow', {}), 'never'], tools: [slow] },
    });
    const done: string[] = [];
    registry.registerVoid(
      'agentDone',
      ({ origin, status }) => void done.push(`${origin.agentPath.join('/')} ${status}`),
    );
    const abort = new AbortController();
    const run = runtime.agent('lead').run('go', { signal: abort.signal });
    await started.promise;
    abort.abort();
    const result = await run;
    expect(result.status).toBe('aborted');
    expect(result.toolCalls[0]!.output).toMatch(/the agent 'helper' was aborted/);
    expect(done).toEqual(['lead/helper aborted', 'lead aborted']);
  });

  it('waits for the child, whose body ignores it, and tells what is known', async () => {
    const clock = manualClock();
    const started = deferred<void>();
    const stuck = defineTool({
      name: 'stuck',
      description: 'never ends',
      input: z.object({}),
      execute: () => (started.resolve(), new Promise<string>(() => {})),
    });
    const { runtime, registry } = runtimeOf(
      {
        lead: { script: [tasking('helper')], agents: ['helper'], tools: [stuck] },
        helper: { script: [call('stuck', {})], tools: [stuck] },
      },
      { clock, graceMs: 100 },
    );
    const outcomes: string[] = [];
    registry.registerVoid('toolEnd', ({ name, outcome }) => void outcomes.push(`${name} ${outcome}`));
    const abort = new AbortController();
    const run = runtime.agent('lead').run('go', { signal: abort.signal });
    await started.promise;
    abort.abort();
    await settle();
    clock.advance(100);
    expect((await run).status).toBe('aborted');
    expect(outcomes).toEqual(['stuck outcome-unknown', 'task error']);
  });
});

/** A store that counts what it keeps, and can give what it had after any number of appends. */
function recorded() {
  const store = memoryStore();
  const steps: (readonly [string, readonly SessionRecord[]])[] = [];
  return {
    store: {
      ...store,
      append: (lease: Lease, records: readonly SessionRecord[]) => (
        steps.push([lease.sessionId, records]),
        store.append(lease, records)
      ),
    } as SessionStore,
    steps,
    /** The process has died behind the first `count` appends. */
    async after(count: number): Promise<SessionStore> {
      const copy = memoryStore();
      for (const [id, records] of steps.slice(0, count)) {
        const lease = await copy.acquire(id, 'copy', 1_000);
        if (isHeld(lease)) throw new Error('held');
        await copy.append(lease, records);
        await copy.release(lease);
      }
      return copy;
    },
  };
}

describe('a crash', () => {
  const lead: ScriptedStep[] = [calls(task('helper'), 'echo'), 'end'];
  const helper: ScriptedStep[] = [call('echo', { text: 'one' }), call('echo', { text: 'two' }), 'h'];
  /** Answers by what stands in the history, as a model would. */
  const byHistory = (script: readonly ScriptedStep[]): ScriptedStep[] =>
    Array.from(
      { length: 9 },
      () =>
        ({ prompt }) =>
          script[prompt.filter(({ role }) => role === 'assistant').length]!,
    );
  function made(store: SessionStore) {
    const { tool, ran } = echo();
    const { runtime, registry } = runtimeOf(
      {
        // a limit of tokens, so that they are counted
        lead: { script: byHistory(lead), agents: ['helper'], tools: [tool], limits: { tokens: 10_000 } },
        helper: { script: byHistory(helper), tools: [tool] },
      },
      { store },
    );
    return { agent: runtime.agent('lead'), ran, registry };
  }

  it('at any record of parent and child is gone on from: no body runs twice, nothing is lost', async () => {
    const log = recorded();
    const whole = made(log.store);
    const undisturbed = await whole.agent.session('s').run('go');
    expect(undisturbed).toMatchObject({ status: 'done', toolCalls: [{ output: 'h' }, { output: 'said hi' }] });
    expect(log.steps.length).toBeGreaterThan(15);
    for (let count = 2; count < log.steps.length; count++) {
      const store = await log.after(count);
      const before = log.steps.slice(0, count).flatMap(([, records]) => records);
      const { agent, ran } = made(store);
      const where = `behind append ${count}`;
      const result = await agent.resume('s').catch((error: unknown) => error as { code?: string });
      if ('code' in result) {
        expect(result.code, where).toBe('TH_NOTHING_OPEN');
        expect(
          before.some((one) => one.type === 'settled' && one.runId === undisturbed.runId),
          where,
        ).toBe(true);
        continue;
      }
      expect((result as RunResult).status, where).toBe('done');
      const started = before.flatMap((one) =>
        one.type === 'started' && one.sealed.tool.name === 'echo' ? [JSON.stringify(one.sealed.args)] : [],
      );
      for (const args of ran) expect(started, where).not.toContain(JSON.stringify(args));
      const calledAll = [...started, ...ran.map((args) => JSON.stringify(args))];
      const opened = await Promise.all((await store.list()).map(async ({ sessionId }) => store.read(sessionId)));
      const outcomes = opened
        .flat()
        .flatMap(({ record }) => (record.type === 'outcome' && record.name === 'echo' ? [record.outcome] : []));
      const hasChild = before.some((one) => one.type === 'started' && one.sealed.tool.name === 'task');
      expect(outcomes.length, where).toBe(hasChild ? 3 : 1);
      expect(outcomes.filter((one) => one === 'ok' || one === 'outcome-unknown').length, where).toBe(calledAll.length);
      expect((result as RunResult).toolCalls[0], where).toMatchObject(
        hasChild ? { name: 'task', outcome: 'ok', output: 'h' } : { name: 'task', outcome: 'not-started' },
      );
      expect((result as RunResult).messages.map(textOf).at(-1), where).toBe('end');
      const spents = (await store.read('s')).flatMap(({ record }) =>
        record.type === 'outcome' && record.name === 'task' ? [record.spent] : [],
      );
      // the calls of the child that have begun, and three answers of 15 tokens each
      const childs = (await store.list()).find(({ parent }) => parent === 's')?.sessionId;
      const began = (childs === undefined ? [] : await store.read(childs)).filter(
        ({ record }) => record.type === 'outcome' && record.outcome !== 'not-started',
      );
      expect(spents, where).toEqual([hasChild ? { calls: began.length, tokens: 45, cost: 0 } : undefined]);
    }
  });
});

describe('a shutdown', () => {
  it('gives a body that has called task a result, since it cannot wait', async () => {
    const clock = manualClock();
    const asked = deferred<void>();
    const given: unknown[] = [];
    const wrap = defineTool({
      name: 'wrap',
      description: 'wraps',
      input: z.object({}),
      async execute(_, { callTool }) {
        given.push(await callTool('task', { agent: 'helper', prompt: 'p' }));
        return 'wrapped';
      },
    });
    const { runtime } = runtimeOf(
      {
        lead: { script: [call('wrap', {}), 'never'], agents: ['helper'], tools: [wrap] },
        helper: { script: [() => (asked.resolve(), { wait: new Promise(() => {}) })] },
      },
      { clock },
    );
    const run = runtime.agent('lead').session('s').run('go');
    await asked.promise;
    const down = runtime.shutdown({ graceMs: 0 });
    clock.advance(0);
    await settle();
    clock.advance(5_000);
    await run;
    await down;
    expect(given).toMatchObject([{ isError: true, output: expect.stringContaining('suspended') as string }]);
  });

  it.each(['beforeInput', 'subagentSpawning'] as const)(
    'gives a task anew that had not begun: it stood at %s',
    async (hook) => {
      const clock = manualClock();
      const store = memoryStore();
      const make = (lead: readonly ScriptedStep[]) =>
        runtimeOf({ lead: { script: lead, agents: ['helper'] }, helper: { script: ['h'] } }, { clock, store });
      const first = make([tasking('helper')]);
      const entered = deferred<void>();
      const hang = ({ origin }: { readonly origin: { readonly agentPath: readonly string[] } }) => {
        if (hook === 'beforeInput' && origin.agentPath.length === 1) return undefined;
        entered.resolve();
        return new Promise<undefined>(() => {});
      };
      first.registry.registerModifying(hook, hang, { timeoutMs: 'caller' });
      const run = first.runtime.agent('lead').session('s').run('go');
      await entered.promise;
      const down = first.runtime.shutdown({ graceMs: 0 });
      clock.advance(0);
      await settle();
      clock.advance(5_000);
      expect(await run).toMatchObject({ status: 'pending', toolCalls: [] });
      expect((await down).suspended).toHaveLength(1);
      const second = make(['end']);
      const result = await second.runtime.agent('lead').resume('s');
      expect(result).toMatchObject({ status: 'done', toolCalls: [{ outcome: 'ok', output: 'h' }] });
    },
  );

  it('asks nobody again what a child has asked; the answer is taken in the next process', async () => {
    const clock = manualClock();
    const store = memoryStore();
    const asked: Request[] = [];
    const first = deferred<void>();
    const { tool, ran } = echo();
    const make = (lead: readonly ScriptedStep[], helper: readonly ScriptedStep[], more: Extra = {}) => {
      const made = runtimeOf(
        { lead: { script: lead, agents: ['helper'], tools: [tool] }, helper: { script: helper, tools: [tool] } },
        { clock, store, ...more },
      );
      made.registry.registerClaiming(
        'toolPolicy',
        ({ tool: { name } }) => (name === 'echo' ? { ask: 'may it?', rule: 'r' } : undefined),
        { id: 'asker' },
      );
      return made.runtime;
    };
    const runtime = make([tasking('helper')], [call('echo')], {
      answerer: { answer: (request) => (asked.push(request), first.resolve(), new Promise(() => {})) },
    });
    const run = runtime.agent('lead').session('s').run('go');
    await first.promise;
    const down = runtime.shutdown({ graceMs: 0 });
    clock.advance(0);
    await settle();
    clock.advance(5_000);
    const { status, pending } = await run;
    await down;
    expect([status, asked.length, pending?.map(({ id }) => id)]).toEqual(['pending', 1, [asked[0]!.id]]);
    const result = await make(['end'], ['h']).agent('lead').resume('s', { id: asked[0]!.id, ok: true });
    expect(result).toMatchObject({ status: 'done', toolCalls: [{ output: 'h' }] });
    expect(ran).toHaveLength(1);
  });

  it('suspends parent and child; another process goes on with both', async () => {
    const store = memoryStore();
    const clock = manualClock();
    const { tool, ran } = echo();
    const make = (scripts: Readonly<Record<string, readonly ScriptedStep[]>>) =>
      runtimeOf(
        {
          lead: { script: scripts['lead']!, agents: ['helper'], tools: [tool] },
          helper: { script: scripts['helper']!, tools: [tool] },
        },
        { store, clock },
      ).runtime;
    const asked = deferred<void>();
    const first = make({
      lead: [tasking('helper')],
      helper: [call('echo'), () => (asked.resolve(), { wait: new Promise(() => {}) })],
    });
    const run = first.agent('lead').session('s').run('go');
    await asked.promise;
    const down = first.shutdown({ graceMs: 0 });
    clock.advance(0);
    expect(await run).toMatchObject({ status: 'pending', pending: [], toolCalls: [] });
    expect((await down).suspended).toHaveLength(1);
    const second = make({ lead: ['end'], helper: ['h'] });
    expect(await second.agent('lead').resume('s')).toMatchObject({
      status: 'done',
      text: 'end',
      toolCalls: [{ output: 'h', outcome: 'ok' }],
    });
    expect(ran).toHaveLength(1);
  });
});
