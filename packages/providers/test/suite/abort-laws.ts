/** The caller's signal, and a consumer that breaks off. */
import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import type { ModelStreamPart } from '@treblehook/types';
import { ask, faultOf, hello, open } from '../exchange.js';
import type { Bench } from './bench.js';

export function abortLaws({ start, eventsToText }: Bench): void {
  const hanging = { text: ['one', 'two'], stop: { after: eventsToText, how: 'hang' } } as const;

  it('an abort in mid stream closes the socket and stays the reason of the signal', async () => {
    const { wire, port } = await start([hanging]);
    const caller = new AbortController();
    const parts = await open(port, { ...hello, abortSignal: caller.signal });
    await untilText(parts);
    const reading = parts.next();
    caller.abort();
    await expect(reading).rejects.toBe(caller.signal.reason);
    expect(caller.signal.reason).toMatchObject({ name: 'AbortError' });
    await wire.requests[0]!.closed;
    expect(await parts.next()).toEqual({ done: true, value: undefined });
  });

  it('hands on a reason of any kind as it is', async () => {
    for (const reason of [new Error('enough'), 'enough', { enough: true }, null]) {
      const { wire, port } = await start([hanging]);
      const caller = new AbortController();
      const parts = await open(port, { ...hello, abortSignal: caller.signal });
      await untilText(parts);
      caller.abort(reason);
      await expect(parts.next()).rejects.toBe(reason);
      await wire.requests[0]!.closed;
    }
  });

  it('an abort closes the socket while nobody reads', async () => {
    const { wire, port } = await start([hanging]);
    const caller = new AbortController();
    await open(port, { ...hello, abortSignal: caller.signal });
    caller.abort();
    await expect(wire.requests[0]!.closed).resolves.toBeUndefined();
  });

  it('an abort ends the wait for an answer', async () => {
    const never = new Promise<never>(() => {});
    const { wire, port } = await start([() => never]);
    const caller = new AbortController();
    const failing = faultOf(port, { ...hello, abortSignal: caller.signal });
    const { closed } = await wire.request(0);
    caller.abort();
    expect(await failing).toBe(caller.signal.reason);
    await closed;
  });

  it('an abort ends the wait for the body of an error status', async () => {
    const { wire, port } = await start([{ status: 500, hang: true }]);
    const caller = new AbortController();
    const failing = faultOf(port, { ...hello, abortSignal: caller.signal });
    const { closed } = await wire.request(0);
    caller.abort();
    expect(await failing).toBe(caller.signal.reason);
    await closed;
  });

  it('a signal that was aborted before sends nothing', async () => {
    let sent = 0;
    const { port } = await start([], { fetch: () => Promise.reject(new Error(String(++sent))) });
    const abortSignal = AbortSignal.abort();
    expect(await faultOf(port, { ...hello, abortSignal })).toBe(abortSignal.reason);
    expect(sent).toBe(0);
  });

  it('an abort ends a call whose transport ignores its signal', async () => {
    const caller = new AbortController();
    const { port } = await start([], { fetch: () => new Promise<never>(() => {}) });
    const failing = faultOf(port, { ...hello, abortSignal: caller.signal });
    caller.abort();
    expect(await failing).toBe(caller.signal.reason);
  });

  it('an abort keeps back what was read before it', async () => {
    const call = { name: 'delete', args: { path: '/tmp' } };
    const { port } = await start([{ calls: [1, 2, 3].map((at) => ({ ...call, id: `call_${at}` })) }]);
    const caller = new AbortController();
    const parts = await open(port, { ...hello, abortSignal: caller.signal });
    for (let read = await parts.next(); read.value?.type !== 'tool-call';) read = await parts.next();
    caller.abort();
    await expect(parts.next()).rejects.toBe(caller.signal.reason);
  });

  it('an abort after the answer changes nothing', async () => {
    const { port } = await start([{ text: 'ok' }]);
    const caller = new AbortController();
    const parts = await open(port, { ...hello, abortSignal: caller.signal });
    for (let read = await parts.next(); read.value?.type !== 'finish';) read = await parts.next();
    caller.abort();
    expect(await parts.next()).toEqual({ done: true, value: undefined });
  });

  it('breaking off the iteration closes the socket', async () => {
    const { wire, port } = await start([hanging]);
    const { stream } = await port.doStream(hello);
    for await (const part of stream) if (part.type === 'text-delta') break;
    await expect(wire.requests[0]!.closed).resolves.toBeUndefined();
  });

  it('breaking off ends a read that is pending, and closes the socket before the first read too', async () => {
    const { wire, port } = await start([hanging, hanging]);
    const pending = await open(port);
    await untilText(pending);
    const reading = pending.next();
    await pending.return!();
    expect(await reading).toEqual({ done: true, value: undefined });
    await wire.requests[0]!.closed;
    const unread = await open(port);
    await unread.return!();
    await wire.requests[1]!.closed;
    expect(await unread.next()).toEqual({ done: true, value: undefined });
  });

  // https://github.com/QwenLM/qwen-code/pull/4366
  it('200 calls on one signal leave no listener behind, whatever their ending', async () => {
    const endings = [
      { text: 'ok' },
      { status: 500 },
      { drop: true },
      { text: 'x', stop: { after: eventsToText, how: 'cut' } },
    ] as const;
    const { port } = await start(Array.from({ length: 200 }, (_, at) => endings[at % 4]!));
    const { signal } = new AbortController();
    for (let at = 0; at < 200; at++) await ask(port, { ...hello, abortSignal: signal }).catch(() => undefined);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
}

async function untilText(parts: AsyncIterator<ModelStreamPart>): Promise<void> {
  for (let read = await parts.next(); read.value?.type !== 'text-delta' || read.value.delta === '';) {
    read = await parts.next();
  }
}
