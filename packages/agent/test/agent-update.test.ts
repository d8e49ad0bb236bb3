// `agent.update`: what begins from then on is made of the new, what has begun goes on with what it began with.
import { createHookRegistry } from '@treblehook/core';
import {
  agentHooks,
  type AgentHooks,
  type HookRegistry,
  type Request,
  type Tool,
  type ToolContext,
} from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { createRuntime, memoryStore, type AgentUpdate, type RunResult } from '../src/index.js';
import { deferred, scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { channelsOf, hello } from './channel-kit.js';
import { call, calls, kit, registryWithGuard, settle } from './kit.js';
import { tool } from './watched.js';

const only = ({ pending: requests }: RunResult): Request => requests![0]!;
const yes = ({ id }: Request) => ({ id, ok: true });
/** The same definition, another body. */
const saying = (what: string, name = 'say'): Tool => ({ ...tool(name, () => what), description: name });
const isOver = async (done: Promise<unknown>): Promise<boolean> => {
  let over = false;
  void done.then(() => (over = true));
  await settle();
  return over;
};
const asking = (registry = registryWithGuard()): HookRegistry<AgentHooks> => {
  registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'asker' });
  return registry;
};
const outputs = ({ toolCalls }: RunResult): string[] => toolCalls.map(({ output }) => output);
const systems = (made: { readonly model: { readonly calls: readonly { readonly prompt: readonly any[] }[] } }) =>
  made.model.calls.map(({ prompt }) => (prompt[0].role === 'system' ? prompt[0].content : ''));

describe('behind an update', () => {
  it('runs of sessions open and new are made of the new, and describe says it', async () => {
    const made = kit([call('say', {}), '1', call('say', {}), '2', call('say', {}), '3'], { tools: [saying('old')] });
    const { agent } = made;
    const open = agent.session('open');
    expect(outputs(await open.run('go'))).toEqual(['old']);
    await agent.update({ tools: [saying('new'), saying('more', 'more')], personality: { id: 'p', system: 'Be new.' } });
    expect(outputs(await open.run('go'))).toEqual(['new']);
    expect(outputs(await agent.session('other').run('go'))).toEqual(['new']);
    expect(systems(made)).toEqual(['', '', 'Be new.', 'Be new.', 'Be new.', 'Be new.']);
    expect(agent.describe()).toMatchObject({ personality: { id: 'p' }, tools: [{ name: 'say' }, { name: 'more' }] });
  });

  it('what was not given stays as it is', async () => {
    const made = kit(['1', '2', '3'], {
      tools: [saying('old')],
      personality: { id: 'a', system: 'A' },
      personalities: [{ id: 'b', system: 'B' }],
    });
    const { agent } = made;
    await agent.update({ personality: { id: 'a', system: 'A2' } });
    await agent.update({ personalities: [{ id: 'c', system: 'C' }] });
    await agent.update({ tools: [] });
    await agent.update({});
    const { personality, personalities, tools } = agent.describe();
    expect([personality.system, personalities.map(({ id }) => id), tools]).toEqual(['A2', ['c'], []]);
    const session = agent.session('s');
    await session.switchPersonality('c');
    await session.run('go');
    expect(systems(made)).toEqual(['C']);
  });

  it('a session that was switched is what it was switched to, as that is now', async () => {
    const made = kit(['1', '2'], { personality: { id: 'a', system: 'A' }, personalities: [{ id: 'b', system: 'B' }] });
    const session = made.agent.session('s');
    await session.switchPersonality('b');
    await session.run('1');
    await made.agent.update({ personalities: [{ id: 'b', system: 'B2' }] });
    await session.run('2');
    expect(systems(made)).toEqual(['B', 'B2']);
  });

  it('a session whose personality is gone refuses a run until it is switched', async () => {
    const made = kit(['1', '2'], {
      personality: { id: 'a', system: 'A' },
      personalities: [{ id: 'b' }, { id: 'c' }],
    });
    const session = made.agent.session('s');
    await session.switchPersonality('b');
    await made.agent.update({ personalities: [{ id: 'c' }] });
    await expect(session.run('go')).rejects.toMatchObject({ code: 'TH_PERSONALITY_REFUSED' });
    await expect(session.switchPersonality('b')).rejects.toMatchObject({ code: 'TH_OPTION_INVALID' });
    await session.switchPersonality('a');
    expect((await session.run('go')).status).toBe('done');
  });

  it('the end of a session is told as who it is now', async () => {
    const registry = registryWithGuard();
    const heard: string[] = [];
    for (const id of ['acme', 'zeta']) {
      registry.forPlugin(id).registerVoid('sessionEnd', ({ origin }) => void heard.push(`${id} ${origin.personality}`));
    }
    const { agent } = kit(['1'], { registry, personality: { id: 'a', plugins: ['acme'] } });
    await agent.session('s').run('go');
    await agent.update({ personality: { id: 'b', plugins: ['zeta'] } });
    await agent.close();
    expect(heard).toEqual(['zeta b']);
  });

  it('a switch that waits for its turn is one of the new', async () => {
    const gate = deferred<string>();
    const { agent } = kit([{ calls: [{ name: 'wait', args: {} }] }, 'done'], {
      tools: [tool('wait', () => gate.promise)],
      personality: { id: 'a' },
      personalities: [{ id: 'b', plugins: ['acme'] }, { id: 'c' }],
    });
    const session = agent.session('s');
    const run = session.run('go');
    await settle();
    const toB = session.switchPersonality('b');
    const toC = session.switchPersonality('c');
    const over = agent.update({ personalities: [{ id: 'b', plugins: ['zeta'] }] });
    const refused = toC.catch((error: unknown) => error);
    gate.resolve('x');
    await Promise.all([run, over]);
    expect(await refused).toMatchObject({ code: 'TH_OPTION_INVALID' });
    expect(await toB).toMatchObject({ id: 'b', plugins: ['zeta'] });
  });
});

describe('a run that has begun before an update', () => {
  it('goes on with what it began with: bodies, groups, nested calls, later requests; the next has the new', async () => {
    const gate = deferred<string>();
    const started = deferred();
    const heard: string[] = [];
    const safe = (one: Tool): Tool => ({ ...one, concurrency: 'safe' });
    const toolsOf = (what: string): Tool[] => [
      saying(what),
      safe(saying(what, 'beside')),
      safe(
        tool('slow', async () => {
          started.resolve();
          return `${what} ${await gate.promise}`;
        }),
      ),
      tool('outer', async (_, ctx: ToolContext) => (await ctx.callTool('say', {})).output),
    ];
    const names = ['slow', 'beside', 'outer', 'say'].map((name) => ({ name, args: {} }));
    const made = kit([calls(...names), call('say', {}), 'one', calls(...names), 'two'], {
      tools: toolsOf('old'),
      personality: { id: 'p', system: 'old' },
    });
    const session = made.agent.session('s');
    const first = session.run('1');
    const queued = session.run('2');
    await started.promise;
    const over = made.agent.update({ tools: toolsOf('new'), personality: { id: 'q', system: 'new' } });
    void over.then(() => heard.push('over'));
    expect(await isOver(over)).toBe(false);
    gate.resolve('slow');
    expect(outputs(await first.finally(() => heard.push('first')))).toEqual([
      'old slow',
      ...Array.from({ length: 5 }, () => 'old'),
    ]);
    await over;
    expect(heard).toEqual(expect.arrayContaining(['first', 'over']));
    expect(outputs(await queued)).toEqual(['new slow', 'new', 'new', 'new', 'new']);
    expect(systems(made)).toEqual(['old', 'old', 'old', 'new', 'new']);
  });

  it('and waits for an answer in this process goes on with its own tool', async () => {
    const asked = deferred<Request>();
    const answer = deferred<{ readonly id: string; readonly ok: boolean }>();
    const { agent } = kit([call('say', {}), 'done', call('say', {}), 'done'], {
      registry: asking(),
      tools: [saying('old')],
      answerer: { answer: (request) => (asked.resolve(request), answer.promise) },
    });
    const session = agent.session('s');
    const run = session.run('go');
    const request = await asked.promise;
    const over = agent.update({ tools: [{ ...saying('new'), description: 'another one' }] });
    expect(await isOver(over)).toBe(false);
    answer.resolve(yes(request));
    expect(outputs(await run)).toEqual(['old']);
    await over;
  });

  it('is waited for to its end, what is told of it included; one that has not begun is not', async () => {
    const gate = deferred();
    const told = deferred();
    const registry = registryWithGuard();
    registry.registerVoid('agentDone', async () => {
      told.resolve();
      await gate.promise;
    });
    const { agent } = kit(['1', '2'], { registry });
    expect(await isOver(agent.update({ tools: [] }))).toBe(true);
    const run = agent.run('1');
    await told.promise;
    const over = agent.update({ tools: [] });
    expect(await isOver(over)).toBe(false);
    gate.resolve();
    await run;
    await over;
  });

  it('is waited for alone: one that waited for its turn then is of the new, however long it takes', async () => {
    const gates = [deferred<string>(), deferred<string>()];
    const waiting = (at: number): Tool => tool('wait', () => gates[at]!.promise);
    const { agent } = kit([call('wait', {}), '1', call('wait', {}), '2'], { tools: [waiting(0)] });
    const session = agent.session('s');
    const first = session.run('1');
    const second = session.run('2');
    await settle();
    const over = agent.update({ tools: [waiting(1)] });
    gates[0]!.resolve('old');
    expect(outputs(await first)).toEqual(['old']);
    await over;
    gates[1]!.resolve('new');
    expect(outputs(await second)).toEqual(['new']);
  });

  it('is waited for whatever it comes to: an update never rejects', async () => {
    const gate = deferred<string>();
    const { agent } = kit([{ wait: gate.promise, text: 'x' }]);
    const run = agent.run('1');
    await settle();
    const over = agent.update({ tools: [] });
    gate.reject(new Error('the model has died'));
    expect((await run).status).toBe('failed');
    await expect(over).resolves.toBeUndefined();
  });
});

describe('an approval that was asked for before an update', () => {
  const changed: readonly (readonly [string, Partial<Tool>])[] = [
    ['another definition', { description: 'another one' }],
    ['another source', { source: 'plugin:acme' }],
  ];

  it.each(changed)('is not one of a tool with %s', async (_, change) => {
    const ran: string[] = [];
    const body = (what: string): Tool => ({ ...tool('say', () => (ran.push(what), what)), description: 'say' });
    const { agent } = kit([call('say', {}), 'done'], {
      registry: asking(),
      tools: [body('old')],
      personality: { id: 'p', plugins: ['acme'] },
    });
    const session = agent.session('s');
    const request = only(await session.run('go'));
    await agent.update({ tools: [{ ...body('new'), ...change }] });
    const result = await session.resume(yes(request));
    expect(result.toolCalls).toMatchObject([{ outcome: 'error', output: expect.stringContaining('is another tool') }]);
    expect(ran).toEqual([]);
  });

  it('is one of the same definition with another body', async () => {
    const { agent } = kit([call('say', {}), 'done'], { registry: asking(), tools: [saying('old')] });
    const session = agent.session('s');
    const request = only(await session.run('go'));
    await agent.update({ tools: [saying('new')] });
    expect(outputs(await session.resume(yes(request)))).toEqual(['new']);
  });

  it('leaves no grant for the session behind to a tool of another definition', async () => {
    const { agent } = kit([call('say', {}), 'done', call('say', {}), 'never'], {
      registry: asking(),
      tools: [saying('old')],
    });
    const session = agent.session('s');
    const request = only(await session.run('go'));
    await session.resume({ ...yes(request), data: { remember: { for: 'session', args: 'any' } } });
    await agent.update({ tools: [{ ...saying('new'), description: 'another one' }] });
    expect((await session.run('again')).status).toBe('pending');
  });
});

describe('an update that is refused', () => {
  const cases: readonly (readonly [string, unknown, string, RegExp])[] = [
    ['an unknown key', { tool: [] }, 'TH_OPTION_INVALID', /'tool' is no option of update: did you mean 'tools'/],
    ['an option that stays', { model: 'x' }, 'TH_OPTION_INVALID', /'model' is no option of update/],
    ['no object', undefined, 'TH_OPTION_INVALID', /give an object/],
    ['tools that are no list', { tools: {} }, 'TH_OPTION_INVALID', /tools must be a list of tools/],
    ['a tool that is none', { tools: [{}] }, 'TH_TOOL_INVALID', /name must be a text/],
    ['two tools of a name', { tools: [saying('a'), saying('b')] }, 'TH_TOOL_INVALID', /another tool has this name/],
    ['paths without a folder', { tools: [{ ...saying('a'), paths: ['p'] }] }, 'TH_OPTION_INVALID', /cwd is missing/],
    ['the settings', { tools: [saying('a', 'else')] }, 'TH_OPTION_INVALID', /toolChoice/],
    ['a misspelt key', { personality: { id: 'p', plugin: [] } }, 'TH_OPTION_INVALID', /did you mean 'plugins'/],
    ['a model that is none', { personality: { id: 'p', model: 'x' } }, 'TH_OPTION_INVALID', /'x' is no key of models/],
    ['an id twice', { personality: { id: 'other' } }, 'TH_OPTION_INVALID', /another personality has the id 'other'/],
    ['limits', { personalities: [{ id: 'q', limits: { cost: 1 } }] }, 'TH_OPTION_INVALID', /counts by prices/],
    ['the last of three', { tools: [], personality: { id: 'z' }, personalities: [{}] }, 'TH_OPTION_INVALID', /\.id/],
  ];

  it.each(cases)('for %s throws, and changes nothing', async (_, given, code, message) => {
    const { agent, model } = kit([call('say', {}), 'done'], {
      tools: [saying('old')],
      personality: { id: 'p', system: 'old' },
      personalities: [{ id: 'other' }],
      settings: { toolChoice: { tool: 'say' } },
    });
    const before = JSON.stringify(agent.describe());
    expect(() => agent.update(given as AgentUpdate)).toThrow(message);
    expect(() => agent.update(given as AgentUpdate)).toThrow(expect.objectContaining({ code }));
    expect(JSON.stringify(agent.describe())).toBe(before);
    expect(outputs(await agent.run('go'))).toEqual(['old']);
    expect(model.calls[0]!.prompt[0]!.content).toBe('old');
  });

  it('is refused as a new agent of the same options is', () => {
    for (const [, given] of cases.slice(3)) {
      const options = {
        tools: [saying('old')],
        personalities: [{ id: 'other' }],
        settings: { toolChoice: { tool: 'say' } },
      };
      const asked = (make: () => unknown): string => {
        try {
          make();
        } catch (error) {
          return (error as Error).message;
        }
        return 'taken';
      };
      const { agent } = kit([], options);
      expect(asked(() => agent.update(given as AgentUpdate))).toBe(
        asked(() => kit([], { ...options, ...(given as object) })),
      );
    }
  });

  it('throws on an agent that was closed', async () => {
    const { agent } = kit([]);
    await agent.close();
    expect(() => agent.update({ tools: [] })).toThrow(expect.objectContaining({ code: 'TH_DISPOSED' }));
  });

  it('is read once: what becomes of the given list later has no effect', async () => {
    const { agent } = kit([call('say', {}), 'done']);
    const tools = [saying('new')];
    await agent.update({ tools });
    tools[0] = saying('later');
    tools.push(saying('more', 'more'));
    expect(outputs(await agent.run('go'))).toEqual(['new']);
    expect(agent.describe().tools).toHaveLength(1);
  });
});

it('no guard: a run that waited while an update gave its agent tools is refused as any other', async () => {
  const registry = createHookRegistry(agentHooks);
  const gate = deferred<string>();
  const { agent } = kit([{ wait: gate.promise, text: '1' }, call('say', {}), 'never'], { registry });
  const session = agent.session('s');
  const first = session.run('1');
  const queued = session.run('2');
  await settle();
  void agent.update({ tools: [saying('new')] });
  const refused = queued.catch((error: unknown) => error);
  gate.resolve('');
  expect((await first).status).toBe('done');
  expect(await refused).toMatchObject({ code: 'TH_NO_GUARD' });
});

describe('in a runtime', () => {
  const task = calls({ name: 'task', args: { agent: 'helper', prompt: 'do it' } });
  function runtimeOf(helper: readonly ScriptedStep[], body: Tool, lead: readonly ScriptedStep[] = [task, task, 'end']) {
    const registry = registryWithGuard();
    const ends: string[] = [];
    registry.registerVoid('toolEnd', ({ name, result }) => void ends.push(`${name}: ${result.output}`));
    const runtime = createRuntime({
      registry,
      agents: {
        lead: { model: scriptedModel(lead, { modelId: 'lead' }), agents: ['helper'], tools: [body] },
        helper: { model: scriptedModel(helper, { modelId: 'helper' }), tools: [body] },
      },
    });
    return { runtime, ends, lead: runtime.agent('lead'), helper: runtime.agent('helper') };
  }

  it('a child that has begun is waited for and goes on as it is; one that begins later is of the new', async () => {
    const gate = deferred<string>();
    const started = deferred();
    const old = tool('say', () => (started.resolve(), gate.promise));
    const made = runtimeOf([call('say', {}), 'one', call('say', {}), 'two'], old);
    const run = made.lead.run('go');
    await started.promise;
    const over = made.helper.update({ tools: [{ ...old, execute: () => 'new' }] });
    expect(await isOver(over)).toBe(false);
    gate.resolve('old');
    await run;
    await over;
    expect(made.ends).toEqual(['say: old', 'task: one', 'say: new', 'task: two']);
    expect(made.runtime.describe().agents[1]!.tools).toHaveLength(1);
  });

  it('an agent that may task keeps its tool for that, and no other one takes its name', async () => {
    const { lead, ends } = runtimeOf(['one', 'two'], saying('x'));
    await lead.update({ tools: [] });
    await lead.update({ personality: { id: 'p' } });
    expect(lead.describe().tools.map(({ name }) => name)).toEqual(['task']);
    expect(() => lead.update({ tools: [saying('x', 'task')] })).toThrow(
      expect.objectContaining({ code: 'TH_TOOL_INVALID' }),
    );
    await lead.run('go');
    expect(ends).toEqual(['task: one', 'task: two']);
  });

  it('a message of a channel is told as who the session is when it is told', async () => {
    const gate = deferred<string>();
    const { runtime, registry } = channelsOf([{ wait: gate.promise, text: 'the reply' }]);
    const heard: string[] = [];
    for (const id of ['acme', 'zeta']) {
      const of = registry.forPlugin(id);
      of.registerClaiming('inboundClaim', () => void heard.push(`${id} claim`));
      of.registerVoid('messageSent', ({ origin }) => void heard.push(`${id} sent ${origin.personality}`));
    }
    const received = runtime.receive(hello);
    await settle();
    const over = runtime.agent('desk').update({ personality: { id: 'new', plugins: ['zeta'] } });
    gate.resolve('');
    await received;
    await over;
    expect(heard).toEqual(['acme claim', 'zeta sent new']);
  });
});

it('a pending run is not in hand: an update is over at once, and what is resumed is of the new', async () => {
  const store = memoryStore();
  const { agent } = kit([call('say', {}), 'done'], { store, registry: asking(), tools: [saying('old')] });
  const request = only(await agent.session('s').run('go'));
  expect(await isOver(agent.update({ tools: [saying('new')] }))).toBe(true);
  expect(outputs(await agent.resume('s', yes(request)))).toEqual(['new']);
});
