// Channels: a message is claimed or run, its reply dispatched, amended, sent and told, in order, and never lost in silence.
import { createHookRegistry } from '@treblehook/core';
import { channelHooks, type ChannelMessage } from '@treblehook/types';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRuntime, memoryStore, type Channel, type ChannelRuntimeOptions, type Received } from '../src/index.js';
import { deferred, manualClock, scriptedModel } from '../src/testing/index.js';
import { catalogue, channelsOf, hello } from './channel-kit.js';
import { registryWithGuard, settle } from './kit.js';

describe('a message', () => {
  it('is offered, run, dispatched, amended, sent and told, and all points have its origin', async () => {
    const { runtime, registry, fires, sent } = channelsOf();
    registry.registerModifying('messageSending', ({ message }) => ({ message: `${message}!` }));
    const received = await runtime.receive(hello);
    expect(received).toMatchObject({
      outcome: 'sent',
      text: 'the reply!',
      messageId: 'm1',
      result: { status: 'done' },
    });
    expect(sent).toEqual([{ chatId: 'c1', text: 'the reply!' }]);
    const names = fires.map(({ hook }) => hook);
    expect([names[0], ...names.slice(-4)]).toEqual([
      'inboundClaim',
      'agentDone',
      'beforeDispatch',
      'messageSending',
      'messageSent',
    ]);
    const origin = { sessionId: 'wire:c1', agentPath: ['desk'], personality: 'clerk', turn: 0 };
    const runId = received.outcome === 'sent' ? received.result.runId : '';
    for (const { hook, payload } of fires) expect(payload.origin, hook).toEqual({ ...origin, runId });
  });

  // https://github.com/openclaw/openclaw/issues/26422
  it('that is claimed costs no run, and says who has it', async () => {
    const { runtime, registry, model, sent, fires } = channelsOf();
    registry.registerClaiming(
      'inboundClaim',
      ({ message }) => (message.platform === 'wire' ? { handled: true } : undefined),
      { id: 'bridge' },
    );
    expect(await runtime.receive(hello)).toEqual({ outcome: 'claimed', by: 'bridge' });
    expect([model.calls.length, sent, fires.map(({ hook }) => hook)]).toEqual([0, [], ['inboundClaim']]);
  });

  it('whose reply another surface dispatches is not sent by the channel', async () => {
    const { runtime, registry, sent, told } = channelsOf();
    registry.registerClaiming('beforeDispatch', () => ({ handled: true }), { id: 'screen' });
    expect(await runtime.receive(hello)).toMatchObject({ outcome: 'dispatched', by: 'screen' });
    expect([sent, told()]).toEqual([[], []]);
  });

  it('whose sending is cancelled is told as not sent, without an error', async () => {
    const { runtime, registry, sent, told } = channelsOf();
    registry.registerModifying('messageSending', () => ({ cancel: 'at night' }), { id: 'hours' });
    expect(await runtime.receive(hello)).toMatchObject({ outcome: 'cancelled', reason: 'at night', by: 'hours' });
    expect(sent).toEqual([]);
    expect(told()).toMatchObject([{ ok: false, message: 'the reply' }]);
    expect(told()[0]!.error).toBeUndefined();
  });

  it('whose run fails has no reply, and the result says why', async () => {
    const { runtime, sent, told } = channelsOf([new Error('no model')], { retry: { attempts: 1 } });
    expect(await runtime.receive(hello)).toMatchObject({ outcome: 'unsent', result: { status: 'failed' } });
    expect([sent, told()]).toEqual([[], []]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('gone');
      },
      /gone/,
    ],
    ['rejects', () => Promise.reject(new Error('gone')), /gone/],
    ['gives garbage', () => ({ messageId: 7 }) as never, /no text/],
  ] as const)('that the channel %s is a typed failure, told once', async (_, send, what) => {
    const { runtime, told } = channelsOf(['the reply'], { channels: [{ platform: 'wire', send }] });
    const received = await runtime.receive(hello);
    expect(received).toMatchObject({
      outcome: 'failed',
      error: { code: 'TH_CHANNEL_FAILED' },
      result: { status: 'done' },
    });
    expect(told()).toHaveLength(1);
    expect(told()[0]).toMatchObject({ ok: false, error: { message: expect.stringMatching(what) } });
  });

  it('is sent with the fetch of the runtime, and with a signal that the abort reaches', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>();
    const begun = deferred<AbortSignal>();
    const used: unknown[] = [];
    const { runtime, told } = channelsOf(['the reply'], {
      fetch,
      channels: [
        {
          platform: 'wire',
          send: (_, ports) => {
            used.push(ports.fetch);
            begun.resolve(ports.signal);
            return new Promise(() => {});
          },
        },
      ],
    });
    const abort = new AbortController();
    const receiving = runtime.receive(hello, { signal: abort.signal });
    const signal = await begun.promise;
    abort.abort(new Error('enough'));
    expect(await receiving).toMatchObject({ outcome: 'failed', error: { code: 'TH_CHANNEL_FAILED' } });
    expect([signal.aborted, used]).toEqual([true, [fetch]]);
    expect(told()).toMatchObject([{ ok: false }]);
  });

  it('that is aborted before its run ends as an aborted run', async () => {
    const { runtime, model } = channelsOf();
    const signal = AbortSignal.abort();
    expect(await runtime.receive(hello, { signal })).toMatchObject({
      outcome: 'unsent',
      result: { status: 'aborted' },
    });
    expect(model.calls).toEqual([]);
  });

  it.each([
    [undefined, /must be/],
    [{ platform: 'wire', chatId: 'c' }, /text must be/],
    [{ platform: 'wire', chatId: 7, text: 'x' }, /chatId must be/],
    [{ platform: 'a:b', chatId: 'c', text: 'x' }, /colon/],
    [Object.create(hello), /platform must be/],
  ])('%j is refused, and nothing runs', async (message, what) => {
    const { runtime, fires } = channelsOf();
    const refused = runtime.receive(message as ChannelMessage);
    await expect(refused).rejects.toMatchObject({ code: 'TH_MESSAGE_INVALID', message: expect.stringMatching(what) });
    expect(fires).toEqual([]);
  });
});

describe('messages of one chat', () => {
  it('run and are answered in the order in which they came, however slow a claim or a send is', async () => {
    const slow = deferred<undefined>();
    const firstSend = deferred<void>();
    const order: string[] = [];
    const { runtime, registry, model } = channelsOf(['one', 'two', 'three'], {
      channels: [
        {
          platform: 'wire',
          async send({ text }) {
            if (text === 'one') await firstSend.promise;
            order.push(text);
          },
        },
      ],
    });
    registry.registerClaiming('inboundClaim', ({ message }) => (message.text === '1' ? slow.promise : undefined));
    const all = ['1', '2', '3'].map((text) => runtime.receive({ ...hello, text }));
    await settle();
    expect(model.calls).toHaveLength(0);
    slow.resolve(undefined);
    await settle();
    firstSend.resolve();
    const received = await Promise.all(all);
    expect(received.map((one) => one.outcome === 'sent' && one.text)).toEqual(['one', 'two', 'three']);
    expect(order).toEqual(['one', 'two', 'three']);
  });

  it('that find a full inbox are rejected, and the others lose nothing', async () => {
    const wait = deferred<void>();
    const { runtime, sent } = channelsOf([{ wait: wait.promise, text: 'one' }, 'two'], { inboxCap: 1 });
    const first = runtime.receive(hello);
    const second = runtime.receive(hello);
    const third = runtime.receive(hello);
    await expect(third).rejects.toMatchObject({ code: 'TH_INBOX_FULL' });
    wait.resolve();
    expect((await Promise.all([first, second])).map(({ outcome }) => outcome)).toEqual(['sent', 'sent']);
    expect(sent.map(({ text }) => text)).toEqual(['one', 'two']);
  });
});

describe('shutdown', () => {
  it('refuses new messages and waits for those on their way; after its grace a send is given up', async () => {
    const clock = manualClock();
    const begun = deferred<void>();
    const never: Channel = { platform: 'wire', send: () => (begun.resolve(), new Promise<void>(() => {})) };
    const { runtime, told } = channelsOf(['the reply'], { clock, channels: [never] });
    const receiving: Promise<Received> = runtime.receive(hello);
    await begun.promise;
    let isDown = false;
    const down = runtime.shutdown({ graceMs: 50 }).then((report) => ((isDown = true), report));
    await expect(runtime.receive(hello)).rejects.toMatchObject({ code: 'TH_DISPOSED' });
    await settle();
    expect(isDown).toBe(false);
    clock.advance(50);
    expect(await receiving).toMatchObject({ outcome: 'failed', error: { code: 'TH_CHANNEL_FAILED' } });
    await down;
    expect(told()).toMatchObject([{ ok: false }]);
  });
});

describe('handlers that are wrong', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('a claim that throws, is garbage, or carries what no claim has is passed over, and the message runs', async () => {
    const { runtime, registry, faults, sent } = channelsOf();
    const acme = registry.forPlugin('acme');
    const claim = (answer: () => unknown): void =>
      void acme.registerClaiming('inboundClaim', answer as () => undefined);
    claim(() => {
      throw new Error('broken');
    });
    claim(() => ({ handled: 'yes' }));
    claim(() => ({ handled: true, text: 'sent in your name' }));
    claim(() => 'mine');
    expect(await runtime.receive(hello)).toMatchObject({ outcome: 'sent' });
    expect(faults).toHaveLength(4);
    expect(sent).toHaveLength(1);
  });

  it('a stage cannot turn the reply to another chat or platform', async () => {
    const { runtime, registry, faults, sent } = channelsOf();
    registry.forPlugin('acme').registerModifying('messageSending', (() => ({ chatId: 'c2', message: 'hi' })) as never);
    await runtime.receive(hello);
    expect(sent).toEqual([{ chatId: 'c1', text: 'the reply' }]);
    expect(faults).toEqual(['messageSending TH_RESULT_INVALID']);
  });

  it('a stage that must not fail, and fails, keeps the reply back', async () => {
    const { runtime, registry, sent, told } = channelsOf();
    const broken = (): undefined => {
      throw new Error('cannot redact');
    };
    registry.registerModifying('messageSending', broken, { id: 'redact', onError: 'abort' });
    expect(await runtime.receive(hello)).toMatchObject({ outcome: 'failed', error: { code: 'TH_HANDLER_FAILED' } });
    expect(sent).toEqual([]);
    expect(told()).toMatchObject([{ ok: false }]);
  });

  it('a stage that hangs over its budget is passed over', async () => {
    const { runtime, registry, faults, sent } = channelsOf();
    registry.registerModifying('messageSending', () => new Promise<undefined>(() => {}), { timeoutMs: 5 });
    expect(await runtime.receive(hello)).toMatchObject({ outcome: 'sent' });
    expect([faults, sent.length]).toEqual([['messageSending TH_HANDLER_TIMEOUT'], 1]);
  });

  it('a plugin that the personality does not list hears of no message', async () => {
    const { runtime, registry } = channelsOf();
    registry.forPlugin('other').registerClaiming('inboundClaim', () => ({ handled: true }));
    expect(await runtime.receive(hello)).toMatchObject({ outcome: 'sent' });
  });

  it.each(['cancel', 'handled', 'message', 'messageId', 'agent', 'sessionId', 'by', 'signal', 'outcome', 'platform'])(
    'a %s that is put on Object.prototype changes nothing',
    async (name) => {
      const { runtime, registry, sent } = channelsOf(['the reply'], {
        channels: [{ platform: 'wire', send: (one) => void sent.push(one) }],
      });
      registry.registerClaiming('inboundClaim', () => {
        // oxlint-disable-next-line no-extend-native -- that is the attack
        Object.defineProperty(Object.prototype, name, { configurable: true, writable: true, value: 'stolen' });
        return undefined;
      });
      let received: Received;
      try {
        received = await runtime.receive(hello);
      } finally {
        Reflect.deleteProperty(Object.prototype, name);
      }
      expect({ ...received }).toMatchObject({ outcome: 'sent', text: 'the reply' });
      expect({ ...received }).not.toHaveProperty('messageId');
      expect(sent.map((one) => ({ ...one }))).toEqual([{ chatId: 'c1', text: 'the reply' }]);
    },
  );

  it('a then on Object.prototype sends nothing', async () => {
    const { runtime, registry, sent, model } = channelsOf();
    registry.registerClaiming('inboundClaim', () => {
      // oxlint-disable-next-line no-extend-native, no-thenable -- that is the attack
      Object.defineProperty(Object.prototype, 'then', { configurable: true, value: undefined });
      return undefined;
    });
    try {
      await expect(runtime.receive(hello)).rejects.toMatchObject({ code: 'TH_PROTOTYPE_ALTERED' });
    } finally {
      Reflect.deleteProperty(Object.prototype, 'then');
    }
    expect([sent, model.calls.length]).toEqual([[], 0]);
  });
});

describe('options', () => {
  const send = (): void => {};
  const make = (more: object, registry: unknown = createHookRegistry(catalogue)): unknown =>
    createRuntime({
      registry,
      agents: { a: { model: scriptedModel([]) } },
      ...more,
    } as unknown as ChannelRuntimeOptions);

  it('name what is wrong, and the mend', () => {
    const two = { a: { model: scriptedModel([]) }, b: { model: scriptedModel([]) } };
    const channels = [{ platform: 'wire', send }];
    expect(() => make({ channels }, registryWithGuard())).toThrow(
      /lacks .*'inboundClaim'.*defineHooks\(agentHooks, channelHooks\)/,
    );
    expect(() => make({ channels: [] })).toThrow(/at least one/);
    expect(() => make({ channels: [...channels, ...channels] })).toThrow(/channels\[1\].*'wire' already/);
    expect(() => make({ channels: [{ platform: 'a:b', send }] })).toThrow(/colon/);
    expect(() => make({ channels: [{ platform: 'a' }] })).toThrow(/send must be a function/);
    expect(() => make({ channels, agents: two })).toThrow(/route is missing.*a, b/);
    expect(() => make({ route: () => 'a' })).toThrow(/route is for channels/);
    expect(make({}, registryWithGuard())).not.toHaveProperty('receive');
  });

  it('a route names the agent and the session, and is checked', async () => {
    const { runtime } = channelsOf(['x'], { route: () => ({ agent: 'desk', sessionId: 'mine' }) });
    expect(await runtime.receive(hello)).toMatchObject({ outcome: 'sent', result: { sessionId: 'mine' } });
    const wrong = channelsOf(['x'], { route: () => 'dest' }).runtime.receive(hello);
    await expect(wrong).rejects.toThrow(/route gave 'dest'.*did you mean 'desk'/);
    const none = channelsOf(['x'], { route: () => Promise.resolve('desk') as never }).runtime.receive(hello);
    await expect(none).rejects.toMatchObject({ code: 'TH_OPTION_INVALID' });
  });
});

it('the personality that a session was switched to holds for its messages: a plugin that it lacks neither claims nor rewrites', async () => {
  const registry = createHookRegistry(catalogue);
  const asked: string[] = [];
  const acme = registry.forPlugin('acme');
  acme.registerClaiming('inboundClaim', () => void asked.push('claim'));
  acme.registerModifying('messageSending', ({ message }) => {
    asked.push('rewrite');
    return { message: `${message}!` };
  });
  const personalities: string[] = [];
  registry.events.on('fired', ({ hook, payload }) => {
    if (hook in channelHooks) personalities.push((payload as { origin: { personality: string } }).origin.personality);
  });
  const store = memoryStore();
  const make = () => {
    const sent: string[] = [];
    const runtime = createRuntime({
      registry,
      store,
      agents: {
        desk: {
          model: scriptedModel(['one', 'two']),
          personality: { id: 'wide', plugins: ['acme'] },
          personalities: [{ id: 'narrow' }],
        },
      },
      channels: [{ platform: 'wire', send: ({ text }) => void sent.push(text) }],
    });
    return { runtime, sent };
  };
  const first = make();
  await first.runtime.receive(hello);
  await first.runtime.agent('desk').session('wire:c1').switchPersonality('narrow');
  await first.runtime.receive(hello);
  expect([first.sent, asked]).toEqual([
    ['one!', 'two'],
    ['claim', 'rewrite'],
  ]);
  await first.runtime.shutdown();
  const second = make(); // another process: the log says so
  await second.runtime.receive(hello);
  expect([second.sent, asked.length]).toEqual([['one'], 2]);
  expect(new Set(personalities.slice(4))).toEqual(new Set(['narrow']));
});
