// Channels under load: who waits, who comes first, what an abort and a shutdown do to those that wait, and what is kept.
import { getEventListeners } from 'node:events';
import { createHookRegistry } from '@treblehook/core';
import { defineTool } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sessionsOf } from '../src/agent.js';
import { createRuntime, type Channel, type Received } from '../src/index.js';
import { Lanes } from '../src/runtime/lanes.js';
import { deferred, manualClock, scriptedModel } from '../src/testing/index.js';
import { catalogue, channelsOf, channelWith, hello } from './channel-kit.js';
import { call, settle } from './kit.js';

const outcomeOf = ({ outcome }: Received): string => outcome;
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await settle();
};

/** A channel that says where and what it was given, in order. */
function noting(wait: (text: string) => unknown = () => undefined) {
  const out: string[] = [];
  const send: Channel['send'] = async ({ chatId, text }) => {
    out.push(`${chatId}: ${text}`);
    await wait(text);
  };
  return { out, channels: channelWith(send) };
}

describe('messages of one chat', () => {
  it('are claimed at once, run in order, and go out in order, however slow the claims and the sends are', async () => {
    const sends = [deferred(), deferred(), deferred()];
    const claims = [deferred(), deferred(), deferred()];
    const { out, channels } = noting((text) => sends[Number(text) - 1]!.promise);
    const { registry, runtime, model } = channelsOf(['1', '2', '3'], { channels });
    const asked: string[] = [];
    registry.registerClaiming('inboundClaim', ({ message: { text } }) => {
      asked.push(text);
      return claims[Number(text) - 1]!.promise as Promise<undefined>;
    });
    const all = Promise.all(['1', '2', '3'].map((text) => runtime.receive({ ...hello, text })));
    await settle();
    expect(asked).toEqual(['1', '2', '3']);
    for (const claim of claims.toReversed()) {
      expect(model.calls).toHaveLength(0);
      claim.resolve();
      await turns();
    }
    expect([out, model.calls.length]).toEqual([['c1: 1'], 3]); // the runs go on while the first reply is on its way
    for (const send of sends) {
      send.resolve();
      await settle();
    }
    expect((await all).map(outcomeOf)).toEqual(['sent', 'sent', 'sent']);
    expect(out).toEqual(['c1: 1', 'c1: 2', 'c1: 3']);
    const prompts = model.calls.map(({ prompt }) => /"text":"(\d)"/.exec(JSON.stringify(prompt.at(-1)))![1]);
    expect(prompts).toEqual(['1', '2', '3']);
  });

  it('that waited behind a slow claim count in the inbox: those that are too many are refused', async () => {
    const claim = deferred();
    const hold = deferred();
    const { registry, runtime } = channelsOf([{ wait: hold.promise, text: 'one' }, 'two'], { inboxCap: 1 });
    const slow = ({ message }: { message: { text: string } }) => (message.text === '1' ? claim.promise : undefined);
    registry.registerClaiming('inboundClaim', slow as () => undefined);
    const all = ['1', '2', '3', '4'].map(async (text) =>
      runtime.receive({ ...hello, text }).then(outcomeOf, (error: { code: string }) => error.code),
    );
    await turns();
    claim.resolve();
    await turns();
    hold.resolve();
    expect(await Promise.all(all)).toEqual(['sent', 'sent', 'TH_INBOX_FULL', 'TH_INBOX_FULL']);
  });

  it('are answered in order when they go to several sessions', async () => {
    const first = deferred();
    const { out, channels } = noting();
    const { runtime, model } = channelsOf([async () => (await first.promise, 'slow'), 'fast'], {
      channels,
      route: ({ text }) => ({ agent: 'desk', sessionId: text }),
    });
    const all = ['a', 'b'].map((text) => runtime.receive({ ...hello, text }));
    await turns();
    expect([model.calls.length, out]).toEqual([2, []]);
    first.resolve();
    expect((await Promise.all(all)).map(outcomeOf)).toEqual(['sent', 'sent']);
    expect(out).toEqual(['c1: slow', 'c1: fast']);
  });

  it('do not hold up another chat', async () => {
    const never = deferred();
    const { channels } = noting((text) => (text === '1' ? never.promise : undefined));
    const { runtime } = channelsOf(['1', '2'], { channels });
    const slow = runtime.receive({ ...hello, chatId: 'slow' });
    await turns();
    expect(outcomeOf(await runtime.receive({ ...hello, chatId: 'fast' }))).toBe('sent');
    never.resolve();
    expect(outcomeOf(await slow)).toBe('sent');
  });
});

it('the chats of one session are answered in the order of the session', async () => {
  const first = deferred();
  const { out, channels } = noting((text) => (text === '1' ? first.promise : undefined));
  const { runtime } = channelsOf(['1', '2'], { channels, route: () => ({ agent: 'desk', sessionId: 'all' }) });
  const all = ['a', 'b'].map((chatId) => runtime.receive({ ...hello, chatId }));
  await turns();
  expect(out).toEqual(['a: 1']);
  first.resolve();
  await Promise.all(all);
  expect(out).toEqual(['a: 1', 'b: 2']);
});

describe('nobody waits for ever', () => {
  /** Lets those wait too long that wait. */
  const late = async (clock: ReturnType<typeof manualClock>): Promise<void> => {
    await turns();
    clock.advance(1_000);
    await turns();
  };

  it('behind a send that waits for a message of its own chat: that one goes out, and then the send is over', async () => {
    const clock = manualClock();
    const out: string[] = [];
    const inner: string[] = [];
    const send: Channel['send'] = async ({ text }) => {
      out.push(text);
      if (text === '1') inner.push(outcomeOf(await runtime.receive({ ...hello, text: 'more' })));
    };
    const { runtime } = channelsOf(['1', '2', '3'], { channels: channelWith(send), clock, inboxWaitMs: 1_000 });
    const outer = runtime.receive(hello);
    await turns();
    expect(out).toEqual(['1']);
    await late(clock);
    expect([outcomeOf(await outer), inner, out]).toEqual(['sent', ['sent'], ['1', '2']]);
    expect(outcomeOf(await runtime.receive(hello))).toBe('sent');
    expect(clock.pending()).toBe(0);
  });

  it('behind a send that never answers: those of the chat go out in their order, each when it has waited', async () => {
    const clock = manualClock();
    const { out, channels } = noting((text) => (text === '1' ? new Promise(() => {}) : undefined));
    const { runtime } = channelsOf(['1', '2', '3'], { channels, clock, inboxWaitMs: 1_000 });
    void runtime.receive(hello);
    const rest = [runtime.receive(hello), runtime.receive(hello)];
    await late(clock);
    expect((await Promise.all(rest)).map(outcomeOf)).toEqual(['sent', 'sent']);
    expect(out).toEqual(['c1: 1', 'c1: 2', 'c1: 3']);
  });

  it('in a body for a message of its own chat and another session', async () => {
    const clock = manualClock();
    const { out, channels } = noting();
    const inner: string[] = [];
    const registry = createHookRegistry(catalogue);
    const passes = defineTool({
      name: 'passes',
      description: 'passes it on',
      input: z.object({}),
      execute: async () => {
        inner.push(outcomeOf(await runtime.receive({ ...hello, text: 'b' })));
        return 'passed';
      },
    });
    const script = [call('passes', {}), 'inner', 'outer'];
    const runtime = createRuntime({
      registry,
      channels,
      clock,
      inboxWaitMs: 1_000,
      agents: { desk: { model: scriptedModel(script), tools: [passes], unguarded: 'a test' } },
      route: ({ text }) => ({ agent: 'desk', sessionId: text }),
    });
    const outer = runtime.receive(hello);
    await late(clock);
    expect([outcomeOf(await outer), inner, out]).toEqual(['sent', ['sent'], ['c1: inner', 'c1: outer']]);
  });

  it('in a claim for a message of its own session: that one is refused', async () => {
    const clock = manualClock();
    const { registry, runtime } = channelsOf(['1'], { clock, inboxWaitMs: 1_000 });
    const inner: unknown[] = [];
    registry.registerClaiming('inboundClaim', async ({ message: { text } }) => {
      if (text === hello.text)
        inner.push(await runtime.receive({ ...hello, text: 'b' }).catch((error: unknown) => error));
    });
    const outer = runtime.receive(hello);
    await late(clock);
    expect(outcomeOf(await outer)).toBe('sent');
    expect(inner).toMatchObject([
      { code: 'TH_SESSION_BUSY', message: expect.stringMatching(/inboundClaim cannot wait/) },
    ]);
  });
});

describe('a message that is given up', () => {
  it('behind a slow claim ends at once, and lets nobody pass', async () => {
    const claim = deferred();
    const stop = new AbortController();
    const { out, channels } = noting();
    const { registry, runtime } = channelsOf(['1', '3'], { channels });
    registry.registerClaiming('inboundClaim', ({ message: { text } }) =>
      text === '1' ? (claim.promise as Promise<undefined>) : undefined,
    );
    const [one, two, three] = ['1', '2', '3'].map((text) =>
      runtime.receive({ ...hello, text }, text === '2' ? { signal: stop.signal } : {}),
    );
    await turns();
    stop.abort(new Error('enough'));
    expect(await two).toMatchObject({ outcome: 'unsent', result: { status: 'aborted' } });
    await turns();
    expect(out).toEqual([]);
    claim.resolve();
    expect([outcomeOf(await one!), outcomeOf(await three!)]).toEqual(['sent', 'sent']);
    expect(out).toEqual(['c1: 1', 'c1: 3']);
  });

  it('while it waits for the reply before it does not let the next one pass', async () => {
    const first = deferred();
    const stop = new AbortController();
    const { out, channels } = noting((text) => (text === '1' ? first.promise : undefined));
    const { runtime } = channelsOf(['1', '2', '3'], { channels });
    const one = runtime.receive(hello);
    const two = runtime.receive(hello, { signal: stop.signal });
    const three = runtime.receive(hello);
    await turns();
    stop.abort();
    expect(outcomeOf(await two)).toBe('failed');
    await turns();
    expect(out).toEqual(['c1: 1']);
    first.resolve();
    expect([outcomeOf(await one), outcomeOf(await three)]).toEqual(['sent', 'sent']);
    expect(out).toEqual(['c1: 1', 'c1: 3']);
  });
});

it('a shutdown suspends a run that outlasts it, which has no reply yet, and gives up a claim that hangs', async () => {
  const clock = manualClock();
  const { registry, runtime, told } = channelsOf([{ text: ['x'], hold: deferred().promise }], { clock });
  registry.registerClaiming('inboundClaim', ({ message: { chatId } }) =>
    chatId === 'hangs' ? (deferred().promise as Promise<undefined>) : undefined,
  );
  const running = runtime.receive(hello);
  const hanging = runtime.receive({ ...hello, chatId: 'hangs' });
  const refused = hanging.catch((error: { code: string }) => error.code);
  await turns();
  const down = runtime.shutdown({ graceMs: 50 });
  await settle();
  clock.advance(50);
  expect(await refused).toBe('TH_DISPOSED');
  expect(await down).toMatchObject({ suspended: [{ sessionId: 'wire:c1' }] });
  expect(await running).toMatchObject({ outcome: 'unsent', result: { status: 'pending' } });
  expect(told()).toEqual([]);
});

it('200 messages of 20 chats at once, three at a time: none is lost, and each chat keeps its order', async () => {
  const { out, channels } = noting();
  const seen: string[] = [];
  let most = 0;
  let inside = 0;
  const script = Array.from({ length: 200 }, () => async (call: { readonly prompt: readonly unknown[] }) => {
    most = Math.max(most, ++inside);
    await settle();
    inside--;
    const text = /"text":"([^"]+)"/.exec(JSON.stringify(call.prompt.at(-1)))![1]!;
    seen.push(text);
    return `re ${text}`;
  });
  const options = { channels, maxConcurrentTurns: 3, inboxCap: 200 };
  const { runtime, told } = channelsOf(script, options);
  const sent = Array.from({ length: 200 }, (_, at) => ({ ...hello, chatId: `c${at % 20}`, text: `${at}` }));
  const received = await Promise.all(sent.map((message) => runtime.receive(message)));
  expect(received.map((one, at) => one.outcome === 'sent' && one.text === `re ${at}`)).not.toContain(false);
  expect([most, new Set(seen).size, told().filter(({ ok }) => ok).length]).toEqual([3, 200, 200]);
  for (let chat = 0; chat < 20; chat++) {
    const mine = sent.filter(({ chatId }) => chatId === `c${chat}`);
    expect(out.filter((line) => line.startsWith(`c${chat}: `))).toEqual(
      mine.map(({ chatId, text }) => `${chatId}: re ${text}`),
    );
  }
  expect(runtime.describe()).toMatchObject({ channels: ['wire'], running: 0, waiting: { desk: 0 } });
});

describe('what is kept', () => {
  it('of a lane that nobody stands in is nothing, whoever left first', async () => {
    const lanes = new Lanes();
    const first = lanes.join('a', 'b');
    const second = lanes.join('b', 'c');
    const third = lanes.join('c');
    expect(lanes.size).toBe(3);
    let isNext = false;
    void third.turn.then(() => (isNext = true));
    second.leave();
    await turns();
    expect([lanes.size, isNext]).toEqual([3, false]);
    first.leave();
    await turns();
    expect([lanes.size, isNext]).toEqual([1, true]);
    third.leave();
    await turns();
    expect(lanes.size).toBe(0);
  });

  // a process that a group chat floods, or one whose platform nobody serves, would grow with each chat
  it.each([
    ['claimed', 'wire', 'claimed'],
    ['refused', 'nobody', 'TH_MESSAGE_INVALID'],
  ])('of a message that is %s is no session, whatever its agent may be', async (_, platform, outcome) => {
    const { registry, channels } = { registry: createHookRegistry(catalogue), ...noting() };
    if (platform === 'wire') registry.registerClaiming('inboundClaim', () => ({ handled: true }));
    const personalities = [{ id: 'other' }];
    const runtime = createRuntime({
      registry,
      channels,
      agents: { desk: { model: scriptedModel([]), personality: { id: 'clerk' }, personalities } },
    });
    const received = runtime.receive({ ...hello, platform }).then(outcomeOf, ({ code }: { code: string }) => code);
    expect(await received).toBe(outcome);
    expect([...sessionsOf(runtime.agent('desk'))]).toEqual([]);
  });

  it('of the signal of many messages is no listener', async () => {
    const { runtime, sent } = channelsOf(['1', '2']);
    const { signal } = new AbortController();
    for (const text of ['1', '2']) await runtime.receive({ ...hello, text }, { signal });
    expect(sent).toHaveLength(2);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
