// A message whose run waits for an answer: the reply goes out when it has gone on, in this process or in another one.
import { createHookRegistry } from '@treblehook/core';
import type { ChannelMessage, SessionStore, Tool } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { createRuntime, memoryStore, readSession, type Channel, type Received } from '../src/index.js';
import { deferred, scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { catalogue, hello } from './channel-kit.js';
import { call, echo, settle } from './kit.js';

interface Made {
  readonly store?: SessionStore;
  readonly tools?: readonly Tool[];
  readonly route?: (message: ChannelMessage) => { readonly agent: string; readonly sessionId: string };
  readonly send?: Channel['send'];
  readonly platform?: string;
}

/** A runtime whose agent `desk` asks before each call, and an agent beside it. */
function deskOf(script: readonly ScriptedStep[], made: Made = {}) {
  const {
    store = memoryStore(),
    tools = [echo().tool],
    route = () => ({ agent: 'desk', sessionId: 'wire:c1' }),
  } = made;
  const registry = createHookRegistry(catalogue);
  registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'asker' });
  const fires: { readonly hook: string; readonly payload: any }[] = [];
  registry.events.on('fired', ({ hook, payload }) => void fires.push({ hook, payload }));
  const sent: string[] = [];
  const send: Channel['send'] = made.send ?? (({ chatId, text }) => void sent.push(`${chatId}: ${text}`));
  const models = { desk: scriptedModel(script), other: scriptedModel(['the other']) };
  const runtime = createRuntime({
    registry,
    store,
    route,
    channels: [{ platform: made.platform ?? 'wire', send }],
    agents: { desk: { model: models.desk, tools }, other: { model: models.other } },
  });
  const names = (): string[] =>
    fires.map(({ hook }) => hook).filter((name) => /^(message|inbound|beforeDisp)/.test(name));
  return { runtime, registry, store, fires, names, sent, models };
}
const waiting: readonly ScriptedStep[] = [call('echo'), 'it is done', 'and more'];
function yesTo(received: Received) {
  expect(received).toMatchObject({ outcome: 'unsent', result: { status: 'pending' } });
  return { id: (received as Extract<Received, { outcome: 'unsent' }>).result.pending![0]!.id, ok: true };
}

describe('a run of a message that waits', () => {
  it('is resumed by the runtime, and its reply is dispatched, amended, sent and told', async () => {
    const { runtime, registry, fires, names, sent } = deskOf(waiting);
    registry.registerModifying('messageSending', ({ message }) => ({ message: `${message}!` }));
    const answer = yesTo(await runtime.receive(hello));
    expect(sent).toEqual([]);
    fires.length = 0;
    const replied = await runtime.resume('wire:c1', answer);
    expect(replied).toMatchObject({ outcome: 'sent', text: 'it is done!', result: { status: 'done' } });
    expect([sent, names()]).toEqual([['c1: it is done!'], ['beforeDispatch', 'messageSending', 'messageSent']]);
    const { payload } = fires.find(({ hook }) => hook === 'beforeDispatch')!;
    expect(payload.message).toEqual(hello);
    for (const one of fires.slice(-3)) {
      const { runId, turns } = replied.result;
      expect(one.payload.origin).toMatchObject({ sessionId: 'wire:c1', agentPath: ['desk'], runId, turn: turns - 1 });
    }
  });

  it('replies in a new process, to the chat that the log names, with the text as stages have left it', async () => {
    const first = deskOf(waiting);
    first.registry.registerModifying('beforeInput', () => ({ text: 'hello [redacted]' }));
    const answer = yesTo(await first.runtime.receive({ ...hello, text: 'hello secret' }));
    await first.runtime.shutdown();
    expect(readSession(await first.store.read('wire:c1')).runs).toMatchObject([
      { chat: { platform: 'wire', chatId: 'c1' } },
    ]);
    const second = deskOf(['it is done'], { store: first.store });
    expect(await second.runtime.resume('wire:c1', answer)).toMatchObject({ outcome: 'sent', text: 'it is done' });
    expect(second.sent).toEqual(['c1: it is done']);
    const { payload } = second.fires.find(({ hook }) => hook === 'beforeDispatch')!;
    expect(payload.message).toEqual({ ...hello, text: 'hello [redacted]' });
    expect(JSON.stringify(await first.store.read('wire:c1'))).not.toContain('secret');
  });

  it('may wait again, and is answered again', async () => {
    const { runtime, sent } = deskOf([call('echo'), call('echo', { text: 'again' }), 'it is done']);
    const again = await runtime.resume('wire:c1', yesTo(await runtime.receive(hello)));
    expect(sent).toEqual([]);
    expect(await runtime.resume('wire:c1', yesTo(again))).toMatchObject({ outcome: 'sent' });
    expect(sent).toEqual(['c1: it is done']);
  });

  it('is given up by a further message of its session, once that is taken', async () => {
    const { runtime, sent, store } = deskOf([call('echo'), 'of the second']);
    const answer = yesTo(await runtime.receive(hello));
    expect(await runtime.receive({ ...hello, text: 'never mind' })).toMatchObject({ outcome: 'sent' });
    await expect(runtime.resume('wire:c1', answer)).rejects.toMatchObject({
      code: 'TH_ANSWER_REFUSED',
      message: expect.stringContaining('it is settled with a no: the conversation went on without an answer'),
    });
    await expect(runtime.resume('wire:c1')).rejects.toMatchObject({ code: 'TH_NOTHING_OPEN' });
    expect(sent).toEqual(['c1: of the second']);
    expect(readSession(await store.read('wire:c1')).runs[0]).toMatchObject({ status: 'aborted' });
  });
});

describe('the order', () => {
  it('a message that comes behind a resume is run and answered behind it, and gives nothing up', async () => {
    const made = deskOf(waiting);
    const answer = yesTo(await made.runtime.receive(hello));
    const resumed = made.runtime.resume('wire:c1', answer);
    const received = made.runtime.receive({ ...hello, text: 'and then?' });
    expect((await Promise.all([resumed, received])).map(({ outcome }) => outcome)).toEqual(['sent', 'sent']);
    expect(made.sent).toEqual(['c1: it is done', 'c1: and more']);
  });

  it('is kept in one chat across sessions, and a reply that is slow holds up no other chat', async () => {
    const slow = deferred<void>();
    const log: string[] = [];
    const made = deskOf([call('echo'), 'it is done'], {
      route: ({ chatId, text }) =>
        text === 'hello' ? { agent: 'desk', sessionId: 's' } : { agent: 'other', sessionId: chatId },
      async send({ chatId, text }) {
        log.push(`${chatId}: ${text}`);
        if (text === 'it is done') await slow.promise;
      },
    });
    const answer = yesTo(await made.runtime.receive(hello));
    const resumed = made.runtime.resume('s', answer);
    while (log.length === 0) await settle();
    const behind = made.runtime.receive({ ...hello, text: 'x' });
    for (let at = 0; at < 20; at++) await settle();
    expect(log).toEqual(['c1: it is done']);
    slow.resolve();
    expect((await Promise.all([resumed, behind])).map(({ outcome }) => outcome)).toEqual(['sent', 'sent']);
    expect(log).toEqual(['c1: it is done', 'c1: the other']);
  });
});

describe('a resume of the runtime', () => {
  it('of a run that no message began resolves with its result, and sends nothing', async () => {
    const { runtime, sent, names } = deskOf(waiting);
    const { pending } = await runtime.agent('desk').session('s').run('go');
    const replied = await runtime.resume('s', { id: pending![0]!.id, ok: true });
    expect(replied).toMatchObject({ outcome: 'unsent', result: { status: 'done', text: 'it is done' } });
    expect([sent, names()]).toEqual([[], ['messageReceived']]);
  });

  it('of nothing, of another runtime, or with nobody to send is refused before anything has run', async () => {
    const first = deskOf(waiting);
    const answer = yesTo(await first.runtime.receive(hello));
    const { store } = first;
    const before = await store.read('wire:c1');
    const refused = async (given: Promise<unknown>, code: string, message: RegExp) =>
      expect(given).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await refused(first.runtime.resume('nobody', answer), 'TH_ANSWER_REFUSED', /no such session/);
    await refused(first.runtime.resume('nobody'), 'TH_NOTHING_OPEN', /no such session/);
    await refused(first.runtime.resume(''), 'TH_OPTION_INVALID', /id of a session/);
    await refused(first.runtime.resume('wire:c1', answer, { sginal: 1 } as never), 'TH_OPTION_INVALID', /did you mean/);
    await refused(first.runtime.resume('wire:c1', { id: answer.id } as never), 'TH_OPTION_INVALID', /ok/);
    const mute = deskOf([], { store, platform: 'wired' });
    await refused(mute.runtime.resume('wire:c1', answer), 'TH_OPTION_INVALID', /platform 'wire'.*did you mean 'wired'/);
    const registry = createHookRegistry(catalogue);
    const channels: readonly Channel[] = [{ platform: 'wire', send: () => {} }];
    const stranger = createRuntime({ registry, store, channels, agents: { dusk: { model: scriptedModel([]) } } });
    await refused(stranger.resume('wire:c1', answer), 'TH_OPTION_INVALID', /is one of 'desk'.*did you mean 'dusk'/);
    expect(await store.read('wire:c1')).toEqual(before);
    await first.runtime.shutdown();
    await refused(first.runtime.resume('wire:c1', answer), 'TH_DISPOSED', /runtime/);
  });

  it('without an answer goes on when the answer was settled elsewhere', async () => {
    const first = deskOf([call('echo')]);
    const answer = yesTo(await first.runtime.receive(hello));
    await first.runtime.shutdown();
    await first.store.settle('wire:c1', answer);
    const second = deskOf(['it is done'], { store: first.store });
    expect(await second.runtime.resume('wire:c1')).toMatchObject({ outcome: 'sent' });
    expect(second.sent).toEqual(['c1: it is done']);
  });
});
