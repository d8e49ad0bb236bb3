import { describe, expect, it } from 'vitest';
import { defineTool, historyFault, type Lease, type Message, type SessionRecord } from '@treblehook/types';
import { z } from 'zod';
import { memoryStore, readSession } from '../src/index.js';
import { deferred, manualClock } from '../src/testing/index.js';
import { call, calls, echo, kit, registryWithGuard, settle, textOf } from './kit.js';

const said = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const texts = (messages: readonly Message[]): string[] =>
  messages.map(({ content }) => content.map((part) => ('text' in part ? part.text : part.type)).join());

describe('a session', () => {
  it('carries its conversation from run to run; other sessions know nothing of it', async () => {
    const { agent, model } = kit(['one', 'two', 'other']);
    const session = agent.session('a');
    await session.run('first');
    await agent.session('a').run('second');
    await agent.session('b').run('alone');
    expect(texts(session.messages())).toEqual(['first', 'one', 'second', 'two']);
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([1, 3, 1]);
    expect(texts(agent.session('b').messages())).toEqual(['alone', 'other']);
  });

  it('queues its runs in the order in which they were started, and loses none', async () => {
    const gates = [deferred(), deferred(), deferred()];
    const { agent, model } = kit(gates.map(({ promise }, at) => ({ text: `answer ${at}`, wait: promise })));
    const session = agent.session();
    const runs = [0, 1, 2].map((at) => session.run(`question ${at}`));
    await settle();
    expect(model.calls).toHaveLength(1);
    for (const { resolve } of gates.toReversed()) resolve();
    expect((await Promise.all(runs)).map(({ text }) => text)).toEqual(['answer 0', 'answer 1', 'answer 2']);
    expect(texts(session.messages())).toEqual([0, 1, 2].flatMap((at) => [`question ${at}`, `answer ${at}`]));
  });

  it('lets another session run while one waits', async () => {
    const { agent } = kit([{ hold: deferred().promise }, 'quick']);
    void agent.session('a').run('slow');
    await settle();
    expect(await agent.session('b').run('fast')).toMatchObject({ text: 'quick' });
  });

  it('lets a queued run be aborted at once, and keeps the order of the others', async () => {
    const gate = deferred();
    const { agent, model } = kit([{ text: 'one', wait: gate.promise }, 'three']);
    const session = agent.session();
    const abort = new AbortController();
    const first = session.run('1');
    const second = session.run('2', { signal: abort.signal });
    const third = session.run('3');
    await settle();
    abort.abort();
    expect(await second).toMatchObject({ status: 'aborted', messages: [], turns: 0 });
    expect(model.calls).toHaveLength(1);
    gate.resolve();
    expect([(await first).text, (await third).text]).toEqual(['one', 'three']);
    expect(texts(session.messages())).toEqual(['1', 'one', '3', 'three']);
  });

  it('shows its settled view: nothing of a turn that is open', async () => {
    const gate = deferred();
    const { agent } = kit(['one', call('echo'), { text: 'two', wait: gate.promise }], { tools: [echo().tool] });
    const session = agent.session();
    await session.run('first');
    const run = session.run('second');
    await settle();
    expect(texts(session.messages())).toEqual(['first', 'one']);
    gate.resolve();
    const { messages } = await run;
    expect(session.messages()).toBe(messages);
    expect(texts(messages)).toEqual(['first', 'one', 'second', 'tool-call', 'tool-result', 'two']);
  });

  it('gives out messages that nobody can change', async () => {
    const { agent } = kit(['one']);
    const { messages } = await agent.run('go');
    expect(() => (messages as Message[]).push(said('x'))).toThrow(TypeError);
    expect(() => {
      (messages[0]!.content[0] as { text: string }).text = 'x';
    }).toThrow(TypeError);
  });

  it('is opened once, at its first run, and closed once, behind the runs that are queued', async () => {
    const { agent, registry } = kit(['a', 'b', 'c']);
    const told: string[] = [];
    registry.registerVoid('sessionStart', ({ how, origin }) => void told.push(`start ${how} ${origin.sessionId}`));
    registry.registerVoid('sessionEnd', ({ how, origin }) => void told.push(`end ${how} ${origin.sessionId}`));
    registry.registerVoid('agentDone', ({ origin }) => void told.push(`done ${origin.sessionId}`));
    const session = agent.session('s');
    await session.run('1');
    const second = session.run('2');
    await Promise.all([session.close(), session.close()]);
    expect(told).toEqual(['start opened s', 'done s', 'done s', 'end closed s']);
    expect((await second).status).toBe('done');
    await expect(session.run('3')).rejects.toMatchObject({ code: 'TH_DISPOSED' });
    expect(agent.session('s')).not.toBe(session);
    await agent.session('unused').close();
    await agent.close();
    expect(told).toHaveLength(4);
  });

  it('is not opened by a run that was aborted before it began, and is closed only when it was opened', async () => {
    const { agent, registry } = kit(['b', 'c']);
    const told: string[] = [];
    registry.registerVoid('sessionStart', () => void told.push('start'));
    registry.registerVoid('sessionEnd', () => void told.push('end'));
    const session = agent.session('s');
    expect(await session.run('1', { signal: AbortSignal.abort() })).toMatchObject({ status: 'aborted', messages: [] });
    expect(told).toEqual([]);
    expect(await session.run('2')).toMatchObject({ status: 'done' });
    await session.close();
    expect(told).toEqual(['start', 'end']);
    const never = agent.session('never');
    await never.run('1', { signal: AbortSignal.abort() });
    await never.close();
    expect(told).toEqual(['start', 'end']);
  });

  it('stores no input of a run that was aborted while it was opened', async () => {
    const abort = new AbortController();
    const { agent, registry } = kit(['never']);
    registry.registerVoid('sessionStart', () => abort.abort());
    expect(await agent.session('s').run('go', { signal: abort.signal })).toMatchObject({
      status: 'aborted',
      messages: [],
    });
  });

  it('is not disturbed by the revocation of a grant that it does not have', async () => {
    const body = deferred<string>();
    const started = deferred();
    const slow = defineTool({
      name: 'slow',
      description: 'waits',
      input: z.object({}),
      execute: () => (started.resolve(), body.promise),
    });
    const store = memoryStore();
    const { agent } = kit([call('slow', {}), 'one', 'two'], { tools: [slow], store });
    const session = agent.session('s');
    const run = session.run('go');
    await started.promise;
    await expect(session.revoke('grant_gone')).rejects.toMatchObject({ code: 'TH_OPTION_INVALID' });
    body.resolve('slow ok');
    expect((await run).status).toBe('done');
    const next = await session.run('again');
    const settledAs = (await store.read('s')).flatMap(({ record }) => (record.type === 'settled' ? record.status : []));
    expect(settledAs).toEqual(['done', 'done']);
    expect(next.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('is the only one of its id: while it is being closed, the next one waits for its end', async () => {
    const hold = deferred();
    const store = memoryStore();
    const { agent, model, registry } = kit([{ text: 'a', hold: hold.promise }, 'b'], { store });
    const told: string[] = [];
    registry.registerVoid('sessionStart', ({ how }) => void told.push(how));
    registry.registerVoid('sessionEnd', async () => {
      await new Promise((resolve) => {
        setTimeout(resolve, 50); // longer than a look at who holds the session
      });
      told.push('end');
    });
    const session = agent.session('s');
    const first = session.run('1');
    await settle();
    const closing = session.close();
    const next = agent.session('s');
    expect(next).not.toBe(session);
    expect(agent.session('s')).toBe(next);
    await expect(session.run('2')).rejects.toMatchObject({ code: 'TH_DISPOSED' });
    const second = next.run('2');
    await settle();
    expect(model.calls).toHaveLength(1);
    hold.resolve();
    expect((await first).text).toBe('a');
    expect((await second).messages.map(textOf)).toEqual(['1', 'a', '2', 'b']);
    await closing;
    await agent.close();
    expect(told).toEqual(['opened', 'end', 'resumed', 'end']);
  });

  it('that is being closed for ever keeps the next one of its id waiting no longer than another run would', async () => {
    const clock = manualClock();
    const { agent } = kit([{ text: 'a', hold: new Promise(() => {}) }, 'never'], { clock, lockWaitMs: 500 });
    const session = agent.session('s');
    const stream = session.stream('1');
    await stream.next();
    const closing = session.close();
    const second = agent.session('s').run('2');
    await settle();
    clock.advance(500);
    await expect(second).rejects.toMatchObject({ code: 'TH_SESSION_BUSY' });
    await expect(closing).rejects.toMatchObject({ code: 'TH_SESSION_BUSY' });
    await stream.return(undefined as never);
  });

  it('that has a name is there when it was closed, whether or not the agent was given a store', async () => {
    for (const store of [undefined, memoryStore()]) {
      const { agent, registry } = kit(['a', 'b'], store === undefined ? {} : { store });
      const told: string[] = [];
      registry.registerVoid('sessionStart', ({ how }) => void told.push(how));
      await agent.session('s').run('1');
      await agent.session('s').close();
      const { messages } = await agent.session('s').run('2');
      expect([told[1], texts(messages)]).toEqual(['resumed', ['1', 'a', '2', 'b']]);
    }
  });

  it('that waits can be closed, and answered behind it, without a store too', async () => {
    const { agent, registry } = kit([call('echo'), 'done'], { tools: [echo().tool] });
    registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'asker' });
    const { pending } = await agent.session('s').run('go');
    await agent.session('s').close();
    expect(await agent.resume('s', { id: pending![0]!.id, ok: true })).toMatchObject({ status: 'done' });
  });

  it('without a name is forgotten once it is closed where no store was given, unless it was asked for by its id', async () => {
    for (const [isAsked, length] of [
      [false, 2],
      [true, 4],
    ] as const) {
      const { agent } = kit(['a', 'b']);
      const session = agent.session();
      await session.run('1');
      if (isAsked) expect(agent.session(session.id)).toBe(session);
      await session.close();
      expect((await agent.session(session.id).run('2')).messages).toHaveLength(length);
    }
  });

  it("that was the agent's own is another one once it is closed; closing another changes nothing", async () => {
    const { agent, model } = kit(['one', 'two', 'aside', 'three']);
    await agent.run('1');
    await agent.session('aside').run('x');
    await agent.session('aside').close();
    const { sessionId } = await agent.run('2');
    await agent.session(sessionId).close();
    expect(texts((await agent.run('3')).messages)).toEqual(['3', 'three']);
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([1, 1, 3, 1]);
  });

  it('is taken by no agent that was closed', async () => {
    const { agent, model } = kit(['one']);
    const session = agent.session('s');
    await session.run('1');
    await Promise.all([agent.close(), agent.close()]);
    const disposed = expect.objectContaining({
      code: 'TH_DISPOSED',
      message: expect.stringContaining("the agent 'agent'"),
    });
    expect(() => agent.session('s')).toThrow(disposed);
    await expect(agent.run('2')).rejects.toEqual(disposed);
    await expect(agent.resume('s')).rejects.toEqual(disposed);
    await expect(agent.stream('2').next()).rejects.toEqual(disposed);
    await expect(session.run('2')).rejects.toMatchObject({ code: 'TH_DISPOSED' });
    expect([model.calls.length, texts(session.messages())]).toEqual([1, ['1', 'one']]);
  });

  it('releases its lock before agentDone is told', async () => {
    const { agent, registry } = kit(['a', 'b']);
    const session = agent.session();
    let inner: string | undefined;
    registry.registerVoid('agentDone', async () => {
      if (inner !== undefined) return;
      inner = '';
      inner = (await session.run('from inside')).text;
    });
    await session.run('go');
    expect(inner).toBe('b');
  });

  it('goes on from a transcript that it is given', async () => {
    const { agent, registry, model } = kit(['three']);
    const how: string[] = [];
    registry.registerVoid('sessionStart', (start) => void how.push(start.how));
    const session = agent.session({
      id: 's',
      messages: [said('one'), { role: 'assistant', content: [{ type: 'text', text: 'two' }] }],
    });
    expect(texts(session.messages())).toEqual(['one', 'two']);
    for (const { id } of session.messages()) expect(id).toMatch(/^message_/);
    await session.run('and?');
    expect(model.calls[0]!.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(how).toEqual(['resumed']);
    expect(() => agent.session({ id: 's', messages: [] })).toThrow(/is open/);
  });

  it('mends a transcript whose calls and results have come apart, once', async () => {
    const { agent } = kit([]);
    const asked = (...ids: string[]): Message => ({
      role: 'assistant',
      content: ids.map((callId) => ({ type: 'tool-call', callId, name: 't', args: {} })),
    });
    const result = (...ids: string[]): Message => ({
      role: 'tool',
      content: ids.map((callId) => ({
        type: 'tool-result',
        callId,
        name: 't',
        output: `of ${callId}`,
        isError: false,
      })),
    });
    const outputs = (messages: readonly Message[]): string[] =>
      messages.flatMap(({ content }) =>
        content.flatMap((part) =>
          part.type === 'tool-result' ? [`${part.isError ? 'error: ' : ''}${part.output.slice(0, 11)}`] : [],
        ),
      );
    for (const [messages, expected] of [
      [
        [said('a'), asked('1', '2'), said('b'), result('2')],
        ['error: not-started', 'of 2'],
      ],
      [[result('9'), said('a'), asked('1')], ['error: not-started']],
      [[asked('1'), result('1'), result('1')], ['of 1']],
      [[asked('1', '1'), result('1')], ['of 1']],
      [[{ role: 'user', content: asked('1').content }, said('x')], []],
    ] as const) {
      const mended = agent.session({ messages: messages as readonly Message[] }).messages();
      expect(historyFault(mended)).toBeUndefined();
      expect(outputs(mended)).toEqual(expected);
    }
    for (const odd of [null, 'text', {}, { role: 'model', content: [] }]) {
      expect(() => agent.session({ messages: [said('a'), odd as never] })).toThrow(/message 1 is no message/);
    }
    const whole = [said('a'), asked('1'), result('1')];
    expect(
      agent
        .session({ messages: whole })
        .messages()
        .map(({ role }) => role),
    ).toEqual(['user', 'assistant', 'tool']);
  });

  it('of one registry never hears the plugins of another', async () => {
    const [a, b] = [registryWithGuard(), registryWithGuard()];
    const heard: string[] = [];
    a.registerVoid('afterLLM', ({ origin }) => void heard.push(`a ${origin.sessionId}`));
    b.registerVoid('afterLLM', ({ origin }) => void heard.push(`b ${origin.sessionId}`));
    const [one, two] = [kit(['x', 'x'], { registry: a }), kit(['x', 'x'], { registry: b })];
    await Promise.all([one.agent.session('1').run('go'), two.agent.session('2').run('go')]);
    await Promise.all([two.agent.session('2').run('go'), one.agent.session('1').run('go')]);
    expect(heard.toSorted()).toEqual(['a 1', 'a 1', 'b 2', 'b 2']);
  });

  // https://github.com/anomalyco/opencode/issues/28958
  it('is not hurt by an observer that fails in another', async () => {
    const { agent, registry } = kit([calls('echo'), 'x', calls('echo'), 'x'], { tools: [echo().tool] });
    const faults: string[] = [];
    registry.events.on('handlerFailed', ({ by }) => faults.push(by.id));
    registry.registerVoid(
      'toolEnd',
      async ({ origin }) => {
        if (origin.sessionId === 'a') throw new Error('x');
      },
      { id: 'bad' },
    );
    const results = [await agent.session('a').run('go'), await agent.session('b').run('go')];
    expect(results.map(({ status }) => status)).toEqual(['done', 'done']);
    expect(faults).toEqual(['bad']);
  });

  it('reads what another process has run, also when it has taken a grant back meanwhile', async () => {
    const store = memoryStore();
    const answerer = {
      answer: ({ id }: { readonly id: string }) => ({ id, ok: true, data: { remember: { for: 'session' } } }),
    };
    const made = kit([call('echo'), 'one', 'three'], { tools: [echo().tool], store, answerer });
    made.registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?', rule: 'r' }), { id: 'asker' });
    const session = made.agent.session('s');
    await session.run('first');
    await kit(['two'], { store }).agent.session('s').run('second');
    await session.revoke(session.grants()[0]!.id);
    const { messages } = await session.run('third');
    expect(texts(messages).filter((text) => !text.startsWith('tool-'))).toEqual([
      'first',
      'one',
      'second',
      'two',
      'third',
      'three',
    ]);
  });

  it('is not begun from messages where there is a log: that is refused, and nothing has run', async () => {
    const store = memoryStore();
    await kit(['one'], { store }).agent.session('s').run('first');
    const log = (await store.read('s')).length;
    const { agent, model } = kit(['never'], { store });
    const session = agent.session({ id: 's', messages: [said('earlier')] });
    await expect(session.run('second')).rejects.toMatchObject({
      code: 'TH_OPTION_INVALID',
      message: "the session 's' has a log of its own: open it without messages",
    });
    expect([model.calls.length, (await store.read('s')).length]).toEqual([0, log]);
  });

  it('whose log contradicts itself says so, whether it is run or read', async () => {
    const store = memoryStore();
    const lease = (await store.acquire('s', 'x', 1_000)) as Lease;
    await store.append(lease, [{ type: 'settled', runId: 'r', status: 'pending' }] as unknown as SessionRecord[]);
    await store.release(lease);
    const why = /^the history is not valid: the log.*, record 1: /;
    const { status, error } = await kit(['never'], { store }).agent.session('s').run('go');
    expect([status, error]).toMatchObject([
      'failed',
      { code: 'TH_HISTORY_INVALID', message: expect.stringMatching(why) },
    ]);
    await expect(async () => readSession(await store.read('s'))).rejects.toThrow(why);
  });
});
