import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { historyFault, type AgentDone } from '@treblehook/types';
import type { AgentEvent } from '../src/index.js';
import { deferred } from '../src/testing/index.js';
import { kit, settle } from './kit.js';
import { failOnUnhandledRejections } from './rejections-watched.js';

import { waiting } from './waiting.js';

failOnUnhandledRejections();

describe('a consumer that breaks off', () => {
  it('aborts the run, waits until it has settled, and leaves no timer', async () => {
    const { agent, ends, done, clock } = waiting(deferred(), true);
    const session = agent.session();
    for await (const event of session.stream('go')) if (event.type === 'tool-call') break;
    expect(done).toMatchObject([{ status: 'aborted' }]);
    expect(ends).toHaveLength(3);
    expect(clock.pending()).toBe(0);
    expect(historyFault(session.messages())).toBeUndefined();
  });

  it('leaves no listener on the signal of its caller', async () => {
    const { signal } = new AbortController();
    const { agent } = kit([{ text: ['a', 'b'], hold: deferred().promise }]);
    for await (const event of agent.stream('go', { signal })) {
      if (event.type !== 'text-delta') continue;
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      break;
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('by an error of its own gets that error', async () => {
    const { agent, registry } = kit([{ text: ['a', 'b'] }]);
    const done: AgentDone[] = [];
    registry.registerVoid('agentDone', (end) => void done.push(end));
    const read = async (): Promise<void> => {
      for await (const event of agent.stream('go')) if (event.type === 'text-delta') throw new Error('mine');
    };
    await expect(read()).rejects.toThrow('mine');
    expect(done).toHaveLength(1);
    const stream = agent.stream('more');
    await stream.next();
    await expect(stream.throw(new Error('thrown in'))).rejects.toThrow('thrown in');
  });

  it('before the first event starts nothing', async () => {
    const { agent, model } = kit(['x']);
    const stream = agent.stream('go');
    expect(await stream.return(undefined as never)).toEqual({ done: true, value: undefined });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await settle();
    expect(model.calls).toHaveLength(0);
  });

  it('lets the next run of the session begin', async () => {
    const { agent } = kit([{ text: ['a', 'b'], hold: deferred().promise }, 'second']);
    for await (const event of agent.stream('one')) if (event.type === 'text-delta') break;
    expect(await agent.run('two')).toMatchObject({ status: 'done', text: 'second' });
  });
});

describe('a stream', () => {
  it('gives every event to a consumer that is slow, and its ending once', async () => {
    const { agent } = kit([{ text: ['a', 'b', 'c'] }]);
    const stream = agent.stream('go');
    const first = await stream.next();
    await settle();
    const events: AgentEvent[] = [(first as { value: AgentEvent }).value];
    for (;;) {
      const next = await stream.next();
      if (next.done === true) {
        expect(next.value.status).toBe('done');
        break;
      }
      events.push(next.value);
    }
    expect(events.map(({ type }) => type)).toEqual([
      'run-start',
      'text-delta',
      'text-delta',
      'text-delta',
      'answer',
      'done',
    ]);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it('answers readers that ask ahead in the order in which they asked', async () => {
    const { agent } = kit([{ text: ['a'] }]);
    const stream = agent.stream('go');
    const all = await Promise.all(Array.from({ length: 6 }, () => stream.next()));
    expect(all.map(({ done, value }) => (done === true ? 'end' : value.type))).toEqual([
      'run-start',
      'text-delta',
      'answer',
      'done',
      'end',
      'end',
    ]);
  });

  it('of a run that may not start rejects once', async () => {
    const { agent } = kit(['x']);
    const stream = agent.stream(5 as never);
    await expect(stream.next()).rejects.toMatchObject({ code: 'TH_OPTION_INVALID' });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });
});
