// Channels under attack: forged answers, blank replies, messages and routes that throw, platforms that have no channel.
import type { ChannelMessage } from '@treblehook/types';
import { afterEach, describe, expect, it } from 'vitest';
import { createRuntime, type ChannelRuntimeOptions } from '../src/index.js';
import { deferred, scriptedModel } from '../src/testing/index.js';
import { channelsOf, channelWith, hello } from './channel-kit.js';

const shared = Object.prototype as unknown as Record<string, unknown>;
afterEach(() => void delete shared['then']);

describe("a 'then' on Object.prototype", () => {
  /** Gives itself over, and the answer with it. */
  const hang = (answer: unknown): void => {
    // oxlint-disable-next-line no-extend-native, no-thenable -- that is the attack
    Object.defineProperty(shared, 'then', {
      configurable: true,
      value: (resolve: (value: unknown) => void) => resolve(answer),
    });
  };

  it('claims nothing: the message is refused before its run', async () => {
    const { registry, runtime, model } = channelsOf();
    registry.registerClaiming('inboundClaim', () => hang({ handled: true }));
    const refused = await runtime.receive(hello).catch((error: { code: string }) => error.code);
    delete shared['then'];
    expect([refused, model.calls.length]).toEqual(['TH_PROTOTYPE_ALTERED', 0]);
  });

  it('sends nothing: the reply is a failure that is told', async () => {
    const { registry, runtime, sent, told } = channelsOf();
    registry.registerModifying('messageSending', () => {
      hang({ message: 'forged' });
      return { message: 'mine' };
    });
    registry.registerVoid('messageSent', () => void delete shared['then']);
    expect(await runtime.receive(hello)).toMatchObject({ outcome: 'failed', error: { code: 'TH_PROTOTYPE_ALTERED' } });
    expect([sent, told()]).toMatchObject([[], [{ ok: false }]]);
  });

  class Receipt {
    readonly messageId = 'true';
  }
  it.each([
    ['a plain answer', () => ({ messageId: 'true' })],
    ['an instance of a class', () => new Receipt()],
    ['an answer that was promised', () => Promise.resolve({ messageId: 'true' })],
    [
      'an answer of a promise of another make',
      // oxlint-disable-next-line no-thenable -- what is tested
      () => ({ then: (give: (value: object) => void) => give(new Receipt()) }),
    ],
  ] as const)('forges nothing in %s', async (_, made) => {
    const channels = channelWith(() => {
      const answer = made();
      hang({ messageId: 'forged' });
      return answer as { messageId: string };
    });
    const { runtime, registry } = channelsOf(['the reply'], { channels });
    registry.registerVoid('messageSent', () => void delete shared['then']);
    expect(await runtime.receive(hello)).toMatchObject({ outcome: 'sent', messageId: 'true' });
  });
});

describe('a channel', () => {
  it.each([42, 'id', { messageId: 7 }])(
    'that answers %j is told so, and that the message may be out',
    async (answer) => {
      const { runtime, told } = channelsOf(['the reply'], { channels: channelWith(() => answer as never) });
      expect(await runtime.receive(hello)).toMatchObject({
        outcome: 'failed',
        error: { code: 'TH_CHANNEL_FAILED', message: expect.stringContaining('may have gone out') },
      });
      expect(told()).toMatchObject([{ ok: false }]);
    },
  );

  it('whose answer throws as it is read, or whose promise throws, is a failure', async () => {
    const boom = new Error('boom');
    const thrower = (key: string): object =>
      Object.defineProperty({}, key, {
        get: () => {
          throw boom;
        },
      });
    for (const answer of [thrower('messageId'), thrower('then'), Promise.resolve(thrower('messageId'))]) {
      const { runtime } = channelsOf(['the reply'], { channels: channelWith(() => answer) });
      expect(await runtime.receive(hello)).toMatchObject({ outcome: 'failed', error: { cause: boom } });
    }
  });

  it('may be an instance of a class', async () => {
    class Line {
      readonly platform = 'wire';
      readonly said: string[] = [];
      send({ text }: { readonly text: string }): void {
        this.said.push(text);
      }
    }
    const line = new Line();
    await channelsOf(['the reply'], { channels: [line] }).runtime.receive(hello);
    expect(line.said).toEqual(['the reply']);
  });

  it('is given nothing when the abort comes while the reply is rewritten', async () => {
    const stop = new AbortController();
    const { registry, runtime, sent, told } = channelsOf();
    registry.registerModifying('messageSending', () => {
      stop.abort(new Error('enough'));
      return { message: 'never' };
    });
    const received = await runtime.receive(hello, { signal: stop.signal });
    expect(received).toMatchObject({ outcome: 'failed', error: { cause: stop.signal.reason } });
    expect([sent, told()]).toMatchObject([[], [{ ok: false, message: 'the reply' }]]);
  });
});

it('a stage that fails closed as the abort comes is named, and not the abort', async () => {
  const stop = new AbortController();
  const { registry, runtime, sent, told } = channelsOf();
  const broken = (): undefined => {
    queueMicrotask(() => stop.abort(new Error('enough')));
    throw new Error('cannot redact');
  };
  registry.registerModifying('messageSending', broken, { id: 'redact', onError: 'abort' });
  const received = await runtime.receive(hello, { signal: stop.signal });
  expect(received).toMatchObject({ outcome: 'failed', error: { code: 'TH_HANDLER_FAILED', handlerId: 'redact' } });
  expect([sent, told()]).toMatchObject([[], [{ ok: false }]]);
});

describe('a reply', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['empties the message', () => ({ message: '' })],
    ['leaves whitespace', () => ({ message: ' \n' })],
    ['gives a number', () => ({ message: 7 })],
    ['hangs over its budget', () => deferred().promise],
  ] as const)('stays as it is when a stage %s', async (_, handler) => {
    const { registry, runtime, sent, faults } = channelsOf();
    registry.registerModifying('messageSending', handler as never, { timeoutMs: 5 });
    await runtime.receive(hello);
    expect(sent).toEqual([{ chatId: 'c1', text: 'the reply' }]);
    expect(faults).toHaveLength(1);
  });

  it('that a gate empties is kept back, and the fault says how it is cancelled', async () => {
    const { registry, runtime, sent } = channelsOf();
    registry.registerModifying('messageSending', () => ({ message: '' }), { id: 'gate', onError: 'abort' });
    expect(await runtime.receive(hello)).toMatchObject({
      outcome: 'failed',
      error: { handlerId: 'gate', message: expect.stringContaining('set cancel') },
    });
    expect(sent).toEqual([]);
  });

  it.each(['', ' \n\t'])('of %j is unsent, and beforeDispatch has seen it', async (text) => {
    const { registry, runtime, sent, told } = channelsOf([text]);
    const seen: string[] = [];
    registry.registerClaiming('beforeDispatch', (payload) => void seen.push(payload.text));
    expect(await runtime.receive(hello)).toMatchObject({ outcome: 'unsent', result: { status: 'done' } });
    expect([sent, told(), seen]).toEqual([[], [], [text]]);
  });
});

describe('a dispatch', () => {
  it('that fails claims nothing: the next one is asked, and the reply is sent', async () => {
    const { registry, runtime, sent, faults } = channelsOf();
    registry.registerClaiming('beforeDispatch', () => {
      throw new Error('broken');
    });
    expect(await runtime.receive(hello)).toMatchObject({ outcome: 'sent' });
    expect([sent.length, faults]).toEqual([1, ['beforeDispatch TH_HANDLER_FAILED']]);
    registry.registerClaiming('beforeDispatch', () => ({ handled: true }), { id: 'screen' });
    expect(await runtime.receive(hello)).toMatchObject({ outcome: 'dispatched', by: 'screen' });
  });

  it.each([
    ['the reply', 'failed', [{ ok: false, message: 'the reply' }]],
    [' ', 'unsent', []],
  ])('that is aborted sends nothing: of %j it is %s', async (text, outcome, ends) => {
    const stop = new AbortController();
    const { registry, runtime, sent, told } = channelsOf([text]);
    registry.registerClaiming('beforeDispatch', () => {
      stop.abort(new Error('enough'));
      return deferred().promise as never;
    });
    expect(await runtime.receive(hello, { signal: stop.signal })).toMatchObject({ outcome });
    expect([sent, told()]).toMatchObject([[], ends]);
  });
});

describe('a platform that has no channel', () => {
  const pager: ChannelMessage = { platform: 'pager', chatId: '1', text: 'wake' };

  it('can be claimed', async () => {
    const { registry, runtime, model } = channelsOf();
    const claim = ({ message }: { message: ChannelMessage }) =>
      message.platform === 'pager' ? ({ handled: true } as const) : undefined;
    registry.registerClaiming('inboundClaim', claim, { id: 'pager' });
    expect(await runtime.receive(pager)).toEqual({ outcome: 'claimed', by: 'pager' });
    expect(await runtime.receive(hello)).toMatchObject({ outcome: 'sent' });
    expect(model.calls).toHaveLength(1);
  });

  it('is refused when nobody claims it, and nothing runs', async () => {
    const { runtime, model, fires } = channelsOf();
    await expect(runtime.receive({ ...hello, platform: 'wier' })).rejects.toMatchObject({
      code: 'TH_MESSAGE_INVALID',
      message: expect.stringMatching(/nobody claims it.*'wier'.*did you mean 'wire'/),
    });
    expect([model.calls.length, fires.map(({ hook }) => hook)]).toEqual([0, ['inboundClaim']]);
  });
});

describe('what is refused, and fires nothing', () => {
  const boom = new Error('boom');

  it('a message with a field that nobody would read', async () => {
    const { runtime, fires } = channelsOf();
    const given = { ...hello, chatid: 'c2' };
    await expect(runtime.receive(given)).rejects.toMatchObject({
      code: 'TH_MESSAGE_INVALID',
      message: expect.stringMatching(/'chatid' is no field of a message: did you mean 'chatId'/),
    });
    expect(fires).toEqual([]);
  });

  it('a message whose field throws, whatever it throws', async () => {
    for (const thrown of [boom, 'boom', undefined]) {
      const { runtime, fires } = channelsOf();
      const given = {
        ...hello,
        get text(): string {
          throw thrown;
        },
      };
      await expect(runtime.receive(given)).rejects.toMatchObject({ code: 'TH_MESSAGE_INVALID' });
      expect(fires).toEqual([]);
    }
    const given = {
      ...hello,
      get text(): string {
        throw boom;
      },
    };
    await expect(channelsOf().runtime.receive(given)).rejects.toMatchObject({ cause: boom });
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      'throws',
      () => {
        throw boom;
      },
      /route failed: .*boom/,
    ],
    ['gives nobody', () => 'nobody', /'nobody', which is no agent/],
    ['gives nothing', () => undefined, /at once/],
    ['promises', () => Promise.resolve('desk'), /at once/],
    ['rejects', () => Promise.reject(boom), /at once/],
    ['gives a list', () => ['desk'], /at once/],
    ['gives another key', () => ({ agent: 'desk', session: 'x' }), /'session' is no field/],
    ['gives an empty session', () => ({ agent: 'desk', sessionId: '' }), /sessionId of route/],
    [
      'gives a session that throws',
      () => ({
        agent: 'desk',
        get sessionId() {
          throw boom;
        },
      }),
      /route failed: .*boom/,
    ],
  ])('a message whose route %s', async (_, route, what) => {
    const { runtime, fires } = channelsOf(['x'], { route: route as never });
    await expect(runtime.receive(hello)).rejects.toMatchObject({
      code: 'TH_OPTION_INVALID',
      message: expect.stringMatching(what),
    });
    expect(fires).toEqual([]);
  });

  it('a message to a registry that does not hold together, before anybody can claim it', async () => {
    const { registry, runtime, fires } = channelsOf();
    registry.registerClaiming('inboundClaim', () => ({ handled: true }));
    registry.registerModifying('beforeInput', () => undefined, { id: 'a', before: ['b'] });
    registry.registerModifying('beforeInput', () => undefined, { id: 'b', before: ['a'] });
    await expect(runtime.receive(hello)).rejects.toMatchObject({ code: 'TH_ORDER_CYCLE' });
    expect(fires).toEqual([]);
  });

  it('channels that are no list, null too', () => {
    for (const channels of [null, {}, 0]) {
      const options = { registry: channelsOf().registry, agents: { a: { model: scriptedModel([]) } }, channels };
      expect(() => createRuntime(options as unknown as ChannelRuntimeOptions)).toThrow(/channels must be a list/);
    }
  });
});
