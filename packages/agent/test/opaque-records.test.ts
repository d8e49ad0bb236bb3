// Bytes and URLs stand in the data of a file and in what a provider wants back. Such a value can say another thing each time it is read: the guards saw one call, and the body was given another.
import type { SessionStore, StoredRecord } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { auditSession, memoryStore } from '../src/index.js';
import { call, echo, kit, registryWithGuard } from './kit.js';

const inner = memoryStore();
const { tool, ran } = echo();
const registry = registryWithGuard();
const seen: unknown[] = [];
registry.registerClaiming(
  'toolPolicy',
  ({ args }) => {
    seen.push(args);
    return { ask: 'may it?' };
  },
  { id: 'asker' },
);
const processOf = (store: SessionStore) => kit(['done'], { store, registry, tools: [tool] }).agent.session('s');
const refused = expect.objectContaining({
  code: 'TH_HISTORY_INVALID',
  message: expect.stringMatching(/only plain data/) as string,
});

/** The log with another value in the record of the request. */
function altered(log: readonly StoredRecord[], of: (sealed: any) => unknown): readonly StoredRecord[] {
  return log.map((stored) => {
    const { record } = stored;
    return record.type === 'request'
      ? { ...stored, record: { ...record, sealed: of(record.sealed) as never } }
      : stored;
  });
}

describe('a call that was shown, kept as a value that is no plain data', async () => {
  const asked = kit([call('echo'), 'never'], { store: inner, registry, tools: [tool] });
  const { pending } = await asked.agent.session('s').run('go');
  const log = await inner.read('s');
  let reads = 0;
  const changing = (holder: object) => (sealed: { tool: unknown; args: unknown; digest: unknown }) =>
    Object.defineProperties(holder, {
      tool: { value: sealed.tool, enumerable: true },
      digest: { value: sealed.digest, enumerable: true },
      args: { enumerable: true, get: () => (++reads > 2 ? { text: 'EVIL' } : sealed.args) },
    });
  const holders = {
    'a URL': () => new URL('x:y'),
    bytes: () => new Uint8Array(1),
    'a view': () => new DataView(new ArrayBuffer(1)),
  };

  it.each(Object.entries(holders))('%s: nothing is gone on with', async (_, holder) => {
    reads = 0;
    const store = { ...inner, read: (id: string) => altered(inner.read(id) as never, changing(holder())) };
    const resumed = await processOf(store).resume({ id: pending![0]!.id, ok: true });
    expect(resumed).toMatchObject({ status: 'failed', error: refused });
    expect(() => auditSession(altered(log, changing(holder())))).toThrow(refused);
    expect(ran).toEqual([]);
  });

  it.each([
    ['a URL', new URL('x:y')],
    ['bytes', new Uint8Array(1)],
    ['a function', () => {}],
    ['a symbol', Symbol('x')],
    ['a bigint', 1n],
  ])('%s in its arguments', (_, value) => {
    const inside = (sealed: object) => ({ ...sealed, args: { text: value } });
    expect(() => auditSession(altered(log, inside))).toThrow(refused);
  });
});

it('stands where it belongs: in a file, and in what a provider wants back', async () => {
  const store = memoryStore();
  const bytes = new Uint8Array([1, 2]);
  const messages = [
    { role: 'user', content: [{ type: 'file', mediaType: 'a/b', data: bytes }] },
    { role: 'assistant', content: [{ type: 'reasoning', text: 'so', provider: { p: { at: new URL('x:y'), bytes } } }] },
  ] as const;
  await kit(['done'], { store }).agent.session({ id: 's', messages }).run('go');
  const next = kit(['again'], { store }).agent.session('s');
  expect(await next.run('on')).toMatchObject({ status: 'done' });
  expect(next.messages()[0]!.content).toEqual(messages[0].content);
});

it.each([
  ['data of a text', { type: 'text', text: 'x', data: new URL('x:y') }],
  ['arguments of a call', { type: 'tool-call', callId: 'c', name: 'echo', args: new URL('x:y') }],
])('stands nowhere else in a message: %s', async (_, part) => {
  const log = [
    { seq: 1, at: 0, record: { type: 'message', message: { role: 'assistant', content: [part] } } },
  ] as never;
  expect(() => auditSession(log)).toThrow(refused);
});
