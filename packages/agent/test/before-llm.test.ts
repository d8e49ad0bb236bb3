import { describe, expect, it } from 'vitest';
import { HookError, type LLMAttempt, type LLMRequest, type Message } from '@treblehook/types';
import { createAgent } from '../src/index.js';
import { scriptedModel } from '../src/testing/index.js';
import { call, echo, kit, registryWithGuard } from './kit.js';

const said = (text: string, role: 'user' | 'system' = 'user'): Message => ({ role, content: [{ type: 'text', text }] });
const texts = (messages: readonly Message[]): string[] =>
  messages.map(({ content }) => content.map((part) => ('text' in part ? part.text : part.type)).join());

describe('cacheAfter', () => {
  const marked = { anthropic: { cacheControl: { type: 'ephemeral' } } };

  it('marks the messages at its positions for this request alone; nothing of inject, and nothing behind the end', async () => {
    const { agent, registry, model } = kit([call('a'), 'x'], {
      tools: [echo('a').tool],
      personality: { id: 'p', system: 'sys', tools: ['a'] },
    });
    let isFirst = true;
    registry.registerModifying('beforeLLM', ({ settings }) => {
      const cacheAfter = isFirst ? [0, 1, 2, 7] : [];
      isFirst = false;
      return { inject: [said('tail')], settings: { ...settings, cacheAfter } };
    });
    await agent.run('go');
    const [first, second] = model.calls.map(({ prompt }) => prompt);
    expect(first!.map(({ role, providerOptions }) => [role, providerOptions])).toEqual([
      ['system', marked],
      ['user', marked],
      ['user', undefined],
    ]);
    expect(second!.map(({ providerOptions }) => providerOptions)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(model.calls[0]).not.toHaveProperty('cacheAfter');
  });

  it('of a handler’s own call counts in its own messages; on Object.prototype it is nobody’s', async () => {
    const { agent, registry, model } = kit(['short', 'x']);
    registry.registerModifying('beforeLLM', async (_, { callModel }) => {
      await callModel!({ messages: [said('one'), said('two')], settings: { cacheAfter: [1] } }, 'summary');
    });
    // oxlint-disable-next-line no-extend-native -- that is the attack
    Object.defineProperty(Object.prototype, 'cacheAfter', { value: [0], configurable: true });
    try {
      await agent.run('go');
    } finally {
      Reflect.deleteProperty(Object.prototype, 'cacheAfter');
    }
    expect(model.calls.map(({ prompt }) => prompt.map(({ providerOptions }) => providerOptions))).toEqual([
      [undefined, marked],
      [undefined],
    ]);
  });
});

describe('beforeLLM', () => {
  it('shows what will be sent, and llmRequest what was sent', async () => {
    const { agent, registry, model } = kit(['x'], {
      tools: [echo('a').tool, echo('b').tool],
      settings: { temperature: 0, stop: ['\n'] },
      personality: { id: 'p', system: 'sys', tools: ['a', 'b'] },
    });
    let asked: LLMRequest | undefined;
    let sent: LLMAttempt | undefined;
    registry.registerModifying('beforeLLM', (request) => {
      asked = request;
      return {
        messages: [...request.messages, said('extra')],
        tools: [request.tools[1]!],
        inject: [said('tail')],
        settings: { temperature: 1, toolChoice: 'required' as const },
      };
    });
    registry.registerVoid('llmRequest', (request) => void (sent = request));
    await agent.run('go', { job: { class: 'bulk', justification: 'because' } });
    expect(asked).toMatchObject({
      toolSet: ['a', 'b'],
      model: 'scripted',
      models: ['scripted'],
      settings: { temperature: 0 },
      inject: [],
      job: { class: 'bulk', justification: 'because' },
    });
    expect(texts(asked!.messages)).toEqual(['sys', 'go']);
    expect(texts(sent!.messages)).toEqual(['sys', 'go', 'extra']);
    expect(sent).toMatchObject({
      attempt: 1,
      settings: { temperature: 1, toolChoice: 'required' },
      job: { class: 'bulk' },
    });
    expect(sent!.tools.map(({ name }) => name)).toEqual(['b']);
    const { prompt, tools, temperature, toolChoice, stopSequences } = model.calls[0]!;
    expect(prompt.map(({ role }) => role)).toEqual(['system', 'user', 'user', 'user']);
    expect(tools!.map(({ name }) => name)).toEqual(['b']);
    expect({ temperature, toolChoice, stopSequences }).toEqual({
      temperature: 1,
      toolChoice: { type: 'required' },
      stopSequences: undefined,
    });
  });

  it('replaces messages and tools for the rest of the run, settings and model for one call', async () => {
    const { agent, registry, model } = kit([call('echo'), call('echo'), 'x'], {
      tools: [echo().tool, echo('other').tool],
    });
    const seen: [string[], number, number | undefined][] = [];
    registry.registerModifying('beforeLLM', ({ messages, tools, settings, origin }) => {
      seen.push([texts(messages), tools.length, settings.temperature]);
      if (origin.turn > 0) return undefined;
      return { messages: [said('short')], tools: [tools[0]!], settings: { temperature: 0.5 }, inject: [said('once')] };
    });
    await agent.run('a long story');
    expect(seen).toEqual([
      [['a long story'], 2, undefined],
      [['short', 'tool-call', 'tool-result'], 1, undefined],
      [['short', 'tool-call', 'tool-result', 'tool-call', 'tool-result'], 1, undefined],
    ]);
    expect(model.calls.map(({ temperature }) => temperature)).toEqual([0.5, undefined, undefined]);
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([2, 3, 5]);
  });

  // https://github.com/vercel/ai/issues/8974
  it('of each step, its attempts and what comes of them are told as they were sent, not as an earlier step was', async () => {
    const wrong = { calls: [{ name: 'echo', args: '{"text": no JSON' }] };
    const script = [wrong, new HookError('TH_MODEL_HTTP', { endpoint: 'x', status: 503, what: 'no' }), wrong, 'done'];
    const { agent, registry, model } = kit(script, { tools: [echo().tool], retry: { baseMs: 0, maxDelayMs: 0 } });
    registry.registerModifying('beforeLLM', ({ messages, origin }) => ({
      messages: [...messages.filter(({ role }) => role !== 'user'), said(`step ${origin.turn}`)],
      settings: { seed: origin.turn },
    }));
    const sent: (readonly [number, readonly string[], number | undefined])[] = [];
    registry.registerVoid('llmRequest', ({ origin, messages, settings }) => {
      sent.push([origin.turn, messages.map(({ role }) => role), settings.seed]);
    });
    const ended: (readonly [number, string])[] = [];
    registry.registerVoid('toolEnd', ({ origin, outcome }) => void ended.push([origin.turn, outcome]));
    expect(await agent.run('go')).toMatchObject({ status: 'done', turns: 3 });
    expect(sent).toEqual([0, 1, 1, 2].map((turn, at) => [turn, model.calls[at]!.prompt.map(({ role }) => role), turn]));
    expect(model.calls.map(({ prompt, seed }) => [JSON.stringify(prompt).match(/step \d/g), seed])).toEqual([
      [['step 0'], 0],
      [['step 1'], 1],
      [['step 1'], 1],
      [['step 2'], 2],
    ]);
    expect(ended).toEqual([
      [0, 'error'],
      [1, 'error'],
    ]);
  });

  // https://github.com/langchain-ai/langchainjs/issues/9418
  it('amends a request that asks for a structured answer and whose system text is another one: both are sent', async () => {
    const responseFormat = { type: 'json', schema: { type: 'object', properties: {} } } as const;
    const { agent, registry, model } = kit(['{}', '{}'], {
      settings: { responseFormat },
      personality: { id: 'p', system: 'sys' },
    });
    registry.registerModifying('beforePromptBuild', () => ({ appendSystem: 'answer in German' }));
    registry.registerModifying('beforeLLM', ({ messages, origin }) => ({
      messages: [...messages, said('tail')],
      ...(origin.turn === 0 ? {} : { settings: { responseFormat, temperature: 0 } }),
    }));
    await agent.run('go');
    const { prompt, responseFormat: asked } = model.calls[0]!;
    expect(prompt[0]).toMatchObject({ role: 'system', content: expect.stringMatching(/sys\s+answer in German/) });
    expect(prompt.at(-1)).toMatchObject({ content: [{ text: 'tail' }] });
    expect(asked).toEqual(responseFormat);
  });

  it('decides where the next run starts from: replaced messages, without the system text of that run', async () => {
    const { agent, registry, model } = kit(['one', 'two'], { personality: { id: 'p', system: 'sys' } });
    registry.registerModifying('beforeLLM', ({ messages, origin }) =>
      messages.length > 2 ? undefined : { messages: [messages[0]!, said(`summary of ${origin.turn}`)] },
    );
    const session = agent.session();
    await session.run('first');
    expect(texts(session.messages())).toEqual(['summary of 0', 'one']);
    expect(session.messages()[0]!.id).toMatch(/^message_/);
    await session.run('second');
    expect(model.calls[1]!.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(texts(session.messages())).toEqual(['summary of 0', 'one', 'second', 'two']);
  });

  it.each(['failed', 'aborted'])(
    'leaves no replacement behind in a run that ends %s, but all that was said',
    async (how) => {
      const abort = new AbortController();
      const { agent, registry } = kit([call('echo'), 'never'], { tools: [echo().tool] });
      registry.registerModifying(
        'beforeLLM',
        ({ messages, origin }) => {
          if (origin.turn === 0) return { messages: [said('gone')] };
          if (how === 'failed') throw new Error('x');
          abort.abort();
          void messages;
          return undefined;
        },
        { onError: 'abort' },
      );
      const session = agent.session();
      expect(await session.run('first', { signal: abort.signal })).toMatchObject({ status: how });
      expect(texts(session.messages())).toEqual(['first', 'tool-call', 'tool-result']);
    },
  );

  it('shows the context of the run among what is injected, and sends both, that of the run first', async () => {
    const { agent, registry, model } = kit(['ok']);
    registry.registerModifying('beforePromptBuild', () => ({ context: ['it is Monday'] }));
    const mine = [said('tail')];
    registry.registerModifying(
      'beforeLLM',
      ({ inject }) => (expect(texts(inject)).toEqual(['it is Monday']), { inject: mine }),
    );
    registry.registerVoid('llmRequest', () => void mine.push(said('late')));
    await agent.run('go');
    expect(model.calls[0]!.prompt.map(({ content }) => (content[0] as { text: string }).text)).toEqual([
      'go',
      'it is Monday',
      'tail',
    ]);
  });

  it('puts others in place of all that is injected up to there, the context of the run included', async () => {
    const { agent, registry, model } = kit(['ok']);
    registry.registerModifying('beforePromptBuild', () => ({ context: ['it is Monday'] }));
    registry.registerModifying('beforeLLM', () => ({ inject: [said('early')] }));
    registry.registerModifying('beforeLLM', ({ inject }) => ({
      replaceInject: texts(inject).map((text) => said(text.toUpperCase())),
    }));
    registry.registerModifying('beforeLLM', ({ inject }) => {
      expect(texts(inject)).toContain('EARLY');
      return { inject: [said('late')] };
    });
    await agent.run('go');
    expect(model.calls[0]!.prompt.map(({ content }) => (content[0] as { text: string }).text)).toEqual([
      'go',
      'IT IS MONDAY',
      'EARLY',
      'late',
    ]);
  });

  it.each([
    [[{ role: 'assistant', content: [] }], /injects a message of role 'assistant'/],
    [[{ role: 'user', content: 'text' }], /injects a message that has no list/],
  ])('refuses what it puts in their place and is no message to inject: %j', async (replaceInject, what) => {
    const { agent, registry } = kit(['ok']);
    registry.registerModifying('beforeLLM', () => ({ replaceInject }) as never, { onError: 'abort' });
    const { status, error } = await agent.run('go');
    expect(status).toBe('failed');
    expect(String(error)).toMatch(what);
  });

  it('that vetoes sends nothing; what its stages set stands, and who said no is named', async () => {
    const { agent, registry, model } = kit(['never'], { personality: { id: 'p', system: 'sys', plugins: ['acme'] } });
    registry.registerModifying('beforeLLM', ({ messages }) => ({ messages: [messages[0]!, said('kept')] }));
    registry.forPlugin('acme').registerModifying('beforeLLM', () => ({ veto: 'too dear' }), { id: 'purse' });
    registry.registerModifying('beforeLLM', () => ({ veto: 'never asked' }), { id: 'compaction' });
    const session = agent.session();
    const { status, reason, turns } = await session.run('go');
    expect({ status, reason }).toEqual({ status: 'vetoed', reason: { text: 'too dear', by: 'acme/purse' } });
    expect([turns, model.calls.length]).toEqual([0, 0]);
    expect(texts(session.messages())).toEqual(['kept']);
    const silent = kit(['never']);
    silent.registry.registerModifying('beforeLLM', () => ({ veto: '' }), { id: 'quiet' });
    expect(await silent.agent.run('go')).toMatchObject({ status: 'vetoed', reason: { text: '', by: 'quiet' } });
  });

  // https://github.com/openclaw/openclaw/issues/76248
  it('decides the model: on the wire, in the payloads and in the result', async () => {
    const [big, small] = [
      scriptedModel(['from big', 'never'], { modelId: 'b' }),
      scriptedModel(['from small'], { modelId: 's' }),
    ];
    const registry = registryWithGuard();
    const agent = createAgent({ model: 'big', models: { big, small }, registry });
    const told: string[] = [];
    registry.registerModifying(
      'beforeLLM',
      ({ model, models }) => {
        told.push(model, ...models);
        return { model: 'small' };
      },
      { id: 'route-gate' },
    );
    registry.registerVoid('llmRequest', ({ model }) => void told.push(model));
    registry.registerVoid('afterLLM', ({ model }) => void told.push(model));
    expect(await agent.run('go')).toMatchObject({ text: 'from small', model: 'small' });
    expect(told).toEqual(['big', 'big', 'small', 'small', 'small']);
    expect(big.calls).toHaveLength(0);
  });

  // https://github.com/openclaw/openclaw/issues/118946
  it('that routed to a model which fails never lets another get the prompt', async () => {
    const [cloud, local] = [scriptedModel(['leaked']), scriptedModel([new Error('down'), 'up'])];
    const registry = registryWithGuard();
    const agent = createAgent({ model: 'cloud', models: { cloud, local }, registry });
    registry.registerModifying('beforeLLM', () => ({ model: 'local' }), { id: 'route-gate' });
    expect(await agent.run('private')).toMatchObject({ status: 'failed', model: 'local', error: { message: 'down' } });
    expect(cloud.calls).toHaveLength(0);
  });

  // https://github.com/anthropics/claude-code/issues/6836
  it.each<[string, (request: LLMRequest) => object, RegExp]>([
    [
      'breaks a call from its result',
      ({ messages }) => ({ messages: messages.toSpliced(3, 0, said('between')) }),
      /before the result of call/,
    ],
    ['drops the system text', ({ messages }) => ({ messages: messages.slice(1) }), /front system text/],
    ['names a model that is not there', () => ({ model: 'ghost' }), /'ghost'/],
    [
      'adds a tool outside the set',
      ({ tools }) => ({ tools: [...tools, { name: 'sudo', description: '', inputSchema: {} }] }),
      /'sudo'/,
    ],
    ['invents a setting', () => ({ settings: { headers: {} } }), /'headers' is no setting/],
  ])('refuses by name an amendment that %s, and goes on without it', async (_, amend, why) => {
    const { agent, registry, model } = kit([call('echo'), 'x'], {
      tools: [echo().tool],
      personality: { id: 'p', system: 'sys' },
    });
    const refused: string[] = [];
    registry.events.on('amendmentRefused', ({ by, error }) => refused.push(`${by.id}: ${error.message}`));
    registry.registerModifying(
      'beforeLLM',
      (request) => (request.origin.turn === 0 ? undefined : (amend(request) as { veto?: string })),
      { id: 'odd' },
    );
    expect(await agent.run('go')).toMatchObject({ status: 'done', text: 'x' });
    expect(refused).toEqual([expect.stringMatching(why)]);
    expect(refused[0]).toMatch(/^odd: /);
    expect(model.calls[1]!.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
  });

  it('that fails in a gate ends the run before anything is sent, with a text that names it', async () => {
    const { agent, registry, model } = kit(['never']);
    const cause = new Error('boom');
    registry.registerModifying(
      'beforeLLM',
      () => {
        throw cause;
      },
      { id: 'route-gate', onError: 'abort' },
    );
    const { status, error } = await agent.run('go');
    expect(status).toBe('failed');
    expect(error).toMatchObject({ code: 'TH_HANDLER_FAILED', handlerId: 'route-gate', cause });
    expect(model.calls).toHaveLength(0);
  });
});
