import { describe, expect, it } from 'vitest';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineHooks, defineTool, voidHook, type Tool } from '@treblehook/types';
import { z } from 'zod';
import { createAgent, memoryStore, type AgentOptions } from '../src/index.js';
import { manualClock, scriptedModel } from '../src/testing/index.js';
import { wireNameOf } from '../src/model/wire-name.js';
import { echo, registryWithGuard } from './kit.js';

const base = (): AgentOptions => ({ model: scriptedModel(['x']), registry: registryWithGuard() });
const refusal = (more: object): unknown => {
  try {
    createAgent({ ...base(), ...more });
  } catch (error) {
    return error;
  }
  throw new Error('it was taken');
};

describe('an option', () => {
  it.each<[object, RegExp]>([
    [{ modle: 'x' }, /'modle' is no option: did you mean 'model'\?/],
    [{ onAks: 'deny' }, /did you mean 'onAsk'/],
    [{ zzz: 1 }, /'zzz' is no option: there is model, models, tools/],
    [{ limits: { step: 3 } }, /'step' is no key of limits: did you mean 'steps'/],
    [{ retry: { attemps: 3 } }, /did you mean 'attempts'/],
    [{ personality: { id: 'p', plugin: [] } }, /'plugin' is no key of personality: did you mean 'plugins'/],
    [{ settings: { temprature: 0 } }, /did you mean 'temperature'/],
    [{ settings: { cacheAfter: [2, 1] } }, /'cacheAfter' must be a list of at most 4 positions in messages/],
    [{ settings: { cacheAfter: [1, 1] } }, /cacheAfter/],
    [{ settings: { cacheAfter: [-1] } }, /cacheAfter/],
    [{ settings: { cacheAfter: ['0'] } }, /cacheAfter/],
    [{ settings: { cacheAfter: [0, 1, 2, 3, 4] } }, /at most 4/],
    [{ settings: { cacheAfter: 0 } }, /cacheAfter/],
    [{ registry: undefined }, /registry/],
    [{ model: 'gpt' }, /model 'gpt' is no key of models/],
    [{ model: 'offline' }, /model 'offline' is no key of models: the embedded model is offlineModel\(\), give that/],
    [{ model: 'smal', models: { small: scriptedModel([]) } }, /did you mean 'small'/],
    [{ model: {} }, /model is no model: it needs provider, modelId and doStream/],
    [{ models: { x: 1 } }, /models\.x is no model/],
    [{ models: { scripted: scriptedModel([]) } }, /another 'scripted' than the given model: name that key as model/],
    [{ personality: { id: 'p', model: 'ghost' } }, /personality\.model 'ghost'/],
    [{ personality: { id: '' } }, /personality\.id/],
    [{ personality: { id: 'p', plugins: 'acme' } }, /personality\.plugins must be a list/],
    [{ tools: {} }, /tools must be a list/],
    [{ onAsk: 'allow' }, /onAsk is 'allow'/],
    [{ unguarded: '' }, /unguarded/],
    [{ unguarded: true }, /unguarded/],
    [{ limits: { steps: 0 } }, /limits\.steps must be a whole number from 1/],
    [{ maxResultChars: -1 }, /maxResultChars/],
    [{ graceMs: 0.5 }, /graceMs/],
    [{ tools: [{ ...echo().tool, paths: ['text'] }] }, /cwd is missing: the tool 'echo' declares paths/],
  ])('like %j is refused with what would be right', (more, why) => {
    expect(refusal(more)).toMatchObject({ code: 'TH_OPTION_INVALID', message: expect.stringMatching(why) });
  });

  it.each<[string, (tool: Tool) => unknown, RegExp]>([
    ['is nothing', () => undefined, /must be an object/],
    ['has no name', (tool) => ({ ...tool, name: '' }), /name must be/],
    ['has no description', (tool) => ({ ...tool, description: undefined }), /description must be/],
    ['has no body', (tool) => ({ ...tool, execute: undefined }), /execute must be/],
    ['has no schema', (tool) => ({ ...tool, input: { type: 'object' } }), /Standard Schema/],
    ['has paths that are no names', (tool) => ({ ...tool, paths: [1] }), /paths must be/],
    ['has commands that are no list', (tool) => ({ ...tool, commands: 'text' }), /commands must be a list/],
    ['has urls that are no names', (tool) => ({ ...tool, urls: [{}] }), /urls must be a list of argument names/],
    [
      'has a schema without JSON Schema',
      (tool) => ({
        ...tool,
        input: { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } },
      }),
      /schemas of own give no JSON Schema: give inputSchema/,
    ],
  ])('cannot be a tool that %s', (_, spoil, why) => {
    expect(refusal({ tools: [spoil(echo().tool)] })).toMatchObject({
      code: 'TH_TOOL_INVALID',
      message: expect.stringMatching(why),
    });
  });

  it('cannot be two tools of one name', () => {
    expect(refusal({ tools: [echo().tool, echo().tool] })).toMatchObject({
      code: 'TH_TOOL_INVALID',
      message: expect.stringMatching(/another tool has this name: call one of them otherwise/),
    });
  });

  it('cannot be two tools of one name on the wire', () => {
    const odd = 'mcp:files/read';
    expect(refusal({ tools: [echo(odd).tool, echo(wireNameOf(odd)).tool] })).toMatchObject({
      code: 'TH_TOOL_INVALID',
      message: expect.stringMatching(/on the wire 'mcp:files\/read' has the same name: call one of them otherwise/),
    });
  });

  it('is read when the agent is made: what is done to the given settings later has no effect', async () => {
    const model = scriptedModel(['x']);
    const settings = { temperature: 0, stop: ['a'] };
    const agent = createAgent({ ...base(), model, settings });
    settings.temperature = 1;
    settings.stop.push('b');
    await agent.run('go');
    expect(model.calls[0]).toMatchObject({ temperature: 0, stopSequences: ['a'] });
  });

  it.each<[object, RegExp]>([
    [{ clock: 5 }, /clock must have a function now/],
    [{ clock: { now: () => 0, date: () => 0 } }, /clock must have a function after/],
    [{ ids: 'x' }, /ids must be a function/],
    [{ random: 3 }, /random must be a function/],
    [{ onMetric: 'x' }, /onMetric must be a function/],
    [{ store: {} }, /store is none/],
    [{ answerer: {} }, /answerer must have a function answer/],
    [{ answerer: { answer: () => undefined }, onAsk: 'deny' }, /contradict one another: leave one of them out/],
    [{ tools: [{ ...echo().tool, concurrency: 'sage' }] }, /concurrency must be 'safe', 'exclusive'/],
  ])('like %j is refused', (options, why) => {
    expect(() => createAgent({ ...base(), ...options })).toThrow(why);
  });

  it.each<[object, RegExp]>([
    [{ signals: 1 }, /'signals' is no option of a run: did you mean 'signal'/],
    [{ signal: {} }, /signal must be an AbortSignal/],
    [{ job: {} }, /job needs a class/],
  ])('of a run like %j is refused', async (options, why) => {
    await expect(createAgent(base()).run('go', options as never)).rejects.toThrow(why);
  });

  it('that is taken shows in describe(), which holds plain data alone', () => {
    const edit = defineTool({
      name: 'edit',
      description: 'edits',
      input: z.object({ file: z.string() }),
      paths: ['file'],
      execute: () => 'ok',
    });
    const { model, registry } = base();
    const agent = createAgent({
      model,
      registry,
      models: { other: scriptedModel([], { modelId: 'o', provider: 'p' }) },
      tools: [edit, echo('hidden').tool],
      personality: { id: 'p', system: 's', plugins: ['acme'], tools: ['ed*'], model: 'other' },
      name: 'root',
      unguarded: 'why',
      onAsk: 'deny',
      cwd: '/w',
      settings: { seed: 1 },
      limits: { wallMs: 5 },
      retry: { attempts: 1 },
      maxResultChars: 10,
      graceMs: 2,
    });
    const description = agent.describe();
    expect(description).toEqual(JSON.parse(JSON.stringify(description), (_, value: unknown) => value));
    expect(description).toMatchObject({
      name: 'root',
      personality: { id: 'p', system: 's', plugins: ['acme'], tools: ['ed*'] },
      model: 'other',
      models: [
        { key: 'other', provider: 'p', modelId: 'o' },
        { key: 'scripted', provider: 'scripted', modelId: 'scripted' },
      ],
      tools: [
        {
          name: 'edit',
          description: 'edits',
          source: 'host',
          paths: ['file'],
          inputSchema: { type: 'object', required: ['file'] },
        },
      ],
      onAsk: 'deny',
      unguarded: 'why',
      cwd: '/w',
      settings: { seed: 1 },
      limits: { steps: 100, wallMs: 5 },
      retry: { attempts: 1, baseMs: 500 },
      maxResultChars: 10,
      graceMs: 2,
    });
  });

  it('may be a registry of more points than the agent fires', async () => {
    const own = defineHooks({
      noted: voidHook<{ note: string }>({ summary: 'Something is noted.', fields: { note: 'string' } }),
    });
    const registry = createHookRegistry(defineHooks(agentHooks, own));
    const notes: string[] = [];
    registry.registerVoid('noted', ({ note }) => void notes.push(note));
    registry.registerVoid('agentDone', ({ status }) => void registry.fireVoid('noted', { note: status }));
    expect(await createAgent({ model: scriptedModel(['x']), registry }).run('go')).toMatchObject({ status: 'done' });
    expect(notes).toEqual(['done']);
  });
});

describe('the description of an agent', () => {
  /** One value for each option, another one than that of `base`. */
  const other: { readonly [K in keyof Required<AgentOptions>]: () => AgentOptions[K] } = {
    model: () => scriptedModel([], { modelId: 'other' }),
    models: () => ({ spare: scriptedModel([], { modelId: 'spare' }) }),
    tools: () => [echo().tool],
    registry: () => registryWithGuard(),
    personality: () => ({ id: 'other' }),
    personalities: () => [{ id: 'other' }],
    name: () => 'other',
    formerNames: () => ['earlier'],
    onAsk: () => 'deny',
    hooks: () => ({ beforeLLM: () => undefined }),
    around: () => ({ turn: async (_, core) => void (await core()) }),
    onMetric: () => () => {},
    prices: () => ({ scripted: { input: 1, output: 1 } }),
    store: () => memoryStore(),
    answerer: () => ({ answer: ({ id }) => ({ id, ok: true }) }),
    maxConcurrentTools: () => 3,
    unguarded: () => 'a test',
    cwd: () => '/other',
    settings: () => ({ temperature: 0.5 }),
    limits: () => ({ steps: 3 }),
    maxResultChars: () => 33,
    retry: () => ({ attempts: 1 }),
    graceMs: () => 33,
    lockWaitMs: () => 33,
    clock: () => manualClock(),
    ids: () => (kind) => kind,
    random: () => () => 0,
  };
  /** Ports: what they are is their own affair. */
  const ports: ReadonlySet<string> = new Set(['registry', 'store', 'clock', 'ids', 'random']);
  const described = (more: object): string => JSON.stringify(createAgent({ ...base(), ...more }).describe());

  it.each(Object.keys(other) as (keyof AgentOptions)[])('says what became of %s, unless it is a port', (name) => {
    const isSaid = described({ [name]: other[name]() }) !== described({});
    expect(isSaid).toBe(!ports.has(name));
  });
});

describe('the identity of a tool', () => {
  const digest = (change: object): string => {
    const tool = { ...echo().tool, ...change } as Tool;
    return createAgent({ ...base(), tools: [tool], cwd: '/' }).describe().tools[0]!.digest;
  };

  it('is that of its definition: another one is another tool, another body is not', () => {
    const one = digest({});
    expect(digest({ execute: () => 'other' })).toBe(one);
    for (const change of [
      { name: 'e' },
      { description: 'd' },
      { input: z.object({ text: z.number() }) },
      { concurrency: 'safe' },
      { paths: ['text'] },
      { commands: ['text'] },
      { urls: ['text'] },
    ]) {
      expect(digest(change), JSON.stringify(change)).not.toBe(one);
    }
  });
});
