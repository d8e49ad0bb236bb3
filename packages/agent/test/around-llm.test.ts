// Around a model call: what goes in is the input of `beforeLLM`, what comes out is the model's answer or says that it is none.
import type { LLMOutcome, LLMRequest, Message } from '@treblehook/types';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryStore, type Around, type LLMCallDone } from '../src/index.js';
import { deferred, manualClock, scriptedModel } from '../src/testing/index.js';
import { faultOf, wrapped } from './around-kit.js';
import { call, collect, echo, settle, textOf } from './kit.js';

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const once = (around: NonNullable<Around['llmCall']>): Around => {
  let calls = 0;
  return { llmCall: (event, core, signal) => (calls++ === 0 ? around(event, core, signal) : core()) };
};
afterEach(() => void vi.restoreAllMocks());

describe('a wrapped model call', () => {
  it('has its steps in this order: around, beforeLLM, llmRequest, the model, afterLLM, around', async () => {
    const order: string[] = [];
    const told: LLMCallDone[] = [];
    const events: LLMRequest[] = [];
    const around: Around = {
      async llmCall(event, core) {
        order.push('in');
        events.push(event);
        told.push(await core());
        order.push('out');
      },
    };
    const made = wrapped(['hello'], around, { personality: { id: 'p', system: 'be brief' } });
    made.registry.registerModifying('beforeLLM', () => void order.push('beforeLLM'));
    made.registry.registerVoid('llmRequest', () => void order.push('llmRequest'));
    made.registry.registerVoid('afterLLM', () => void order.push('afterLLM'));
    expect(await made.run()).toMatchObject({ status: 'done', text: 'hello', turns: 1 });
    expect(order).toEqual(['in', 'beforeLLM', 'llmRequest', 'afterLLM', 'out']);
    expect(events[0]!.messages.map(textOf)).toEqual(['be brief', 'go']);
    expect(told).toMatchObject([
      { status: 'answered', answer: { text: 'hello', model: 'scripted', finishReason: { unified: 'stop' } } },
    ]);
    expect([events[0], told[0], told[0]!.answer].map((one) => Object.isFrozen(one))).toEqual([true, true, true]);
    expect((await made.log()).filter(({ type }) => type === 'unused')).toEqual([]);
  });

  it('gives what it rewrites to the first stage of beforeLLM, and whatever that decides stands', async () => {
    const around = once(async ({ messages }, core) => {
      await core({
        messages: [...messages, user('and be kind')],
        inject: [user('at noon')],
        settings: { temperature: 0 },
      });
    });
    const made = wrapped([call('echo'), 'ok'], around, {
      tools: [echo().tool],
      models: { other: scriptedModel([call('echo'), 'ok']) },
    });
    const seen: LLMRequest[] = [];
    made.registry.registerModifying('beforeLLM', (request) => {
      seen.push(request);
      return { model: 'other' };
    });
    const result = await made.run();
    expect(result).toMatchObject({ status: 'done', model: 'other' });
    expect(seen[0]).toMatchObject({ settings: { temperature: 0 }, inject: [user('at noon')] });
    expect(seen.map(({ messages }) => messages.filter(({ role }) => role === 'user').map(textOf))).toEqual([
      ['go', 'and be kind'],
      ['go', 'and be kind'], // what is replaced stays, as a stage's would
    ]);
    expect(seen[1]).toMatchObject({ settings: {}, inject: [] });
    expect(made.model.calls).toEqual([]);
  });

  it.each<[string, (event: LLMRequest) => unknown, RegExp]>([
    ['drops the front system text', ({ messages }) => ({ messages: messages.slice(1) }), /front system text/],
    [
      'leaves a call open',
      ({ messages }) => ({
        messages: [
          ...messages,
          { role: 'assistant', content: [{ type: 'tool-call', callId: 'c', name: 'x', args: {} }] },
        ],
      }),
      /call/,
    ],
    ['has a message that is none', ({ messages }) => ({ messages: [...messages, { role: 'user' }] }), /message 2/],
    ['has messages that are no list', () => ({ messages: 'x' }), /messages is no list/],
    ['names a model that is not there', () => ({ model: 'ghost' }), /'ghost'/],
    [
      'offers a tool outside the set',
      () => ({ tools: [{ name: 'rm', description: 'x', inputSchema: {} }] }),
      /outside the tool set/,
    ],
    ['injects what is no user', () => ({ inject: [{ role: 'assistant', content: [] }] }), /role 'assistant'/],
    ['misspells a setting', () => ({ settings: { temprature: 1 } }), /temprature/],
    ['vetoes', () => ({ veto: 'no' }), /'veto' is no key/],
    ['is no object', () => 'x', /no object/],
  ])('that %s is refused by the same check, and nothing is sent', async (_, change, why) => {
    let fault: unknown;
    const around: Around = {
      async llmCall(event, core) {
        fault = await faultOf(core(change(event) as never));
        throw fault;
      },
    };
    const made = wrapped(['never'], around, { personality: { id: 'p', system: 'be brief' } });
    const result = await made.run();
    expect(fault).toMatchObject({ code: 'TH_OPTION_INVALID', message: expect.stringMatching(why) });
    expect(result.status).toBe('failed');
    expect(result.error).toBe(fault);
    expect(made.model.calls).toEqual([]);
  });

  // https://github.com/langchain-ai/langchainjs/issues/9418
  it('keeps what the agent says of the answer when its wrapper rewrites the messages', async () => {
    const around: Around = {
      llmCall: async ({ messages }, core) => void (await core({ messages: [...messages, user('in French')] })),
    };
    const responseFormat = { type: 'json', schema: { type: 'object' } } as const;
    const made = wrapped(['{}'], around, { settings: { responseFormat } });
    await made.run();
    expect(made.model.calls[0]!.responseFormat).toMatchObject(responseFormat);
    expect(JSON.stringify(made.model.calls[0]!.prompt)).toContain('in French');
  });

  // https://github.com/openclaw/openclaw/issues/76248
  it('that asks for another model goes to the one that the gate decides, and the record says so', async () => {
    const around: Around = { llmCall: async (_, core) => void (await core({ model: 'dear' })) };
    const dear = scriptedModel(['never']);
    const cheap = scriptedModel(['ok']);
    const made = wrapped(['never'], around, { models: { dear, cheap } });
    made.registry.registerModifying('beforeLLM', ({ model }) => (model === 'dear' ? { model: 'cheap' } : undefined), {
      id: 'route-gate',
    });
    expect(await made.run()).toMatchObject({ text: 'ok', model: 'cheap' });
    expect([dear.calls.length, made.model.calls.length]).toEqual([0, 0]);
    expect((await made.log()).find(({ type }) => type === 'answer')).toMatchObject({ model: 'cheap' });
  });

  it('can be given another answer: recorded as that, under the model that would have been asked, with no usage', async () => {
    const made = wrapped(['never'], { llmCall: () => ({ text: 'from the cache', by: 'cache' }) });
    const fired: string[] = [];
    for (const point of ['llmRequest', 'afterLLM'] as const)
      made.registry.registerVoid(point, () => void fired.push(point));
    made.registry.registerModifying('beforeLLM', () => void fired.push('beforeLLM'));
    made.registry.registerModifying('beforeOutput', ({ text }) => ({ text: `${text}!` }));
    const { events, result } = await collect(made.session.stream('go'));
    expect(result).toMatchObject({ status: 'done', text: 'from the cache!', turns: 0, model: 'scripted' });
    expect(result.usage.inputTokens.total).toBeUndefined();
    expect([fired, made.model.calls]).toEqual([[], []]);
    expect((await made.log()).find(({ type }) => type === 'answer')).toMatchObject({
      by: 'around/cache',
      model: 'scripted',
      finishReason: { unified: 'stop' },
      calls: [],
    });
    expect(events.filter(({ type }) => type === 'text-delta' || type === 'answer')).toMatchObject([
      { type: 'text-delta', text: 'from the cache!' },
      { type: 'answer', by: 'around/cache' },
    ]);
    expect(made.session.messages().map(textOf)).toEqual(['go', 'from the cache!']);
  });

  it('whose other text is withheld shows nothing of it', async () => {
    const made = wrapped([], { llmCall: () => ({ text: 'secret' }) });
    made.registry.registerModifying('beforeOutput', () => ({ withhold: 'not for you' }), { id: 'dlp' });
    const { events, result } = await collect(made.session.stream('go'));
    expect(result).toMatchObject({ status: 'done', text: '' });
    expect(JSON.stringify([events, await made.log()])).not.toContain('secret');
    expect(events).toContainEqual(expect.objectContaining({ type: 'output-withheld', by: 'dlp' }));
  });

  it('of which another text is used leaves nothing of the first to anybody but the log, and its calls do not run', async () => {
    const { tool, ran } = echo();
    const around: Around = {
      async llmCall(_, core) {
        await core();
        return { text: 'something else' };
      },
    };
    const made = wrapped([{ text: ['un', 'used'], calls: [{ name: 'echo', args: { text: 'hi' } }] }], around, {
      tools: [tool],
    });
    const { events, result } = await collect(made.session.stream('go'));
    expect(result).toMatchObject({
      status: 'done',
      text: 'something else',
      turns: 1,
      usage: { inputTokens: { total: 10 } },
    });
    expect(JSON.stringify([events, made.session.messages()])).not.toMatch(/un"|used/);
    expect(ran).toEqual([]);
    expect((await made.log()).filter(({ type }) => type === 'unused' || type === 'answer')).toMatchObject([
      { type: 'unused', usage: { inputTokens: { total: 10 } } },
      { type: 'answer', by: 'around' },
    ]);
  });

  it('streams its deltas once its wrapper has settled', async () => {
    const gate = deferred<void>();
    const around: Around = {
      async llmCall(_, core) {
        await core();
        await gate.promise;
      },
    };
    const made = wrapped([{ text: ['a', 'b'] }], around);
    const events: string[] = [];
    const run = (async () => {
      for await (const event of made.session.stream('go')) events.push(event.type);
    })();
    await settle();
    expect(events).toEqual(['run-start']);
    gate.resolve();
    await run;
    expect(events).toEqual(['run-start', 'text-delta', 'text-delta', 'answer', 'done']);
  });

  it('is built and sent anew by a second core: a step of the budget, and the last answer counts', async () => {
    const around: Around = {
      async llmCall(_, core) {
        const first = await core();
        if (first.answer?.text === 'bad') await core({ inject: [user('do better')] });
      },
    };
    const made = wrapped(['bad', 'good'], around);
    const told: LLMOutcome[] = [];
    made.registry.registerVoid('afterLLM', (outcome) => void told.push(outcome));
    const { events, result } = await collect(made.session.stream('go'));
    expect(result).toMatchObject({ status: 'done', text: 'good', turns: 2, usage: { inputTokens: { total: 20 } } });
    expect([told.length, made.session.messages().map(textOf)]).toEqual([2, ['go', 'good']]);
    expect(JSON.stringify(events)).not.toContain('bad');
    expect(made.model.calls[1]!.prompt.at(-1)).toMatchObject({ content: [{ text: 'do better' }] });
  });

  it.each([
    ['lets the refusal out', false, { status: 'incomplete', limit: 'steps' }],
    ['keeps the answer that it has', true, { status: 'done', text: 'first' }],
  ] as const)('beyond the limit of steps is not sent anew: its wrapper %s', async (_, keeps, end) => {
    let fault: unknown;
    const around: Around = {
      async llmCall(__, core) {
        await core();
        fault = await faultOf(core());
        if (!keeps) throw fault;
      },
    };
    const made = wrapped(['first', 'never'], around, { limits: { steps: 1 } });
    expect(await made.run()).toMatchObject(end);
    expect(fault).toMatchObject({ code: 'TH_CORE_REFUSED', message: expect.stringContaining("'steps'") });
    expect(made.model.calls).toHaveLength(1);
  });

  it('whose model fails rejects its core with that very error; the wrapper may go on with another model', async () => {
    const broken = new Error('broken');
    const seen: unknown[] = [];
    const around: Around = {
      async llmCall(_, core) {
        seen.push(await faultOf(core()));
        await core({ model: 'other' });
      },
    };
    const made = wrapped([broken], around, { models: { other: scriptedModel(['from the other']) } });
    expect(await made.run()).toMatchObject({ status: 'done', text: 'from the other', model: 'other' });
    expect(seen).toEqual([broken]);
  });

  it.each<[string, NonNullable<Around['llmCall']>]>([
    ['lets it out', (_, core) => core()],
    ['says nothing of it', async (_, core) => void (await faultOf(core()))],
  ])('whose model fails ends the run with that very error when its wrapper %s', async (_, llmCall) => {
    const broken = new Error('broken');
    const result = await wrapped([broken], { llmCall }).run();
    expect(result.status).toBe('failed');
    expect(result.error).toBe(broken);
  });

  it('that a stage vetoes stays vetoed, whatever is given or thrown, and is not built again', async () => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const seen: unknown[] = [];
    for (const end of [() => ({ text: 'all is well' }), () => Promise.reject(new Error('x')), () => undefined]) {
      const around: Around = {
        async llmCall(_, core) {
          seen.push(await core(), await faultOf(core()));
          return end();
        },
      };
      const made = wrapped(['never'], around);
      made.registry.registerModifying('beforeLLM', () => ({ veto: 'too dear' }), { id: 'gate' });
      expect(await made.run()).toMatchObject({ status: 'vetoed', reason: { text: 'too dear', by: 'gate' }, text: '' });
      expect(made.model.calls).toEqual([]);
    }
    expect(seen.slice(0, 2)).toMatchObject([{ status: 'vetoed', reason: 'too dear' }, { code: 'TH_CORE_REFUSED' }]);
    expect(process.emitWarning).toHaveBeenCalledOnce();
  });

  it.each<[string, () => unknown]>([
    ['neither core nor a text', () => undefined],
    ['a key that is none', () => ({ txt: 'x' })],
    ['a bare text', () => 'x'],
    ['a text that is none', () => ({ text: 1 })],
  ])('whose wrapper gives %s ends the run failed', async (_, given) => {
    const made = wrapped(['never'], { llmCall: given as never });
    const { status, error } = await made.run();
    expect([status, error]).toMatchObject(['failed', { code: 'TH_AROUND_FAILED' }]);
    expect(made.model.calls).toEqual([]);
  });

  it('refuses a second core at the same time, and one behind its end', async () => {
    const faults: unknown[] = [];
    let kept: (() => Promise<unknown>) | undefined;
    const around: Around = {
      async llmCall(_, core) {
        kept = core;
        const first = core();
        faults.push(await faultOf(core()));
        await first;
      },
    };
    const made = wrapped(['ok', 'never'], around);
    await made.run();
    faults.push(await faultOf(kept!()));
    expect(faults).toMatchObject([{ code: 'TH_CORE_REFUSED' }, { code: 'TH_CORE_REFUSED' }]);
    expect(made.model.calls).toHaveLength(1);
  });

  it('of a run that is aborted rejects, and a wrapper that hangs is waited for no longer than graceMs', async () => {
    const clock = manualClock();
    const abort = new AbortController();
    let fault: unknown;
    const around: Around = {
      async llmCall(_, core) {
        fault = await faultOf(core());
        await new Promise(() => {});
      },
    };
    const made = wrapped([{ wait: new Promise(() => {}) }], around, { clock, graceMs: 100 });
    const run = made.run({ signal: abort.signal });
    await settle();
    abort.abort();
    await settle();
    expect(fault).toMatchObject({ code: 'TH_ABORTED' });
    clock.advance(100);
    expect((await run).status).toBe('aborted');
    expect(clock.pending()).toBe(0);
  });

  it('that was given another answer counts no step behind a resume, one that was not used does', async () => {
    const store = memoryStore();
    const around = once(async (_, core) => void (await core(), await core()));
    const first = wrapped(['bad', call('echo')], around, { tools: [echo().tool], store });
    first.registry.registerClaiming('toolPolicy', () => ({ ask: 'sure?' }));
    const one = await first.run();
    expect([one.status, one.turns]).toEqual(['pending', 2]);
    const turns: number[] = [];
    const second = wrapped(
      [],
      { llmCall: ({ origin }) => (turns.push(origin.turn), { text: 'enough' }) },
      { tools: [echo().tool], store },
    );
    const two = await second.session.resume({ id: one.pending![0]!.id, ok: true });
    expect(two).toMatchObject({ status: 'done', text: 'enough', turns: 2, usage: { inputTokens: { total: 20 } } });
    expect(turns).toEqual([1]);
  });
});
