// The in-process channel: it keeps what was sent, and fails and waits when it is told to.
import { expect, it } from 'vitest';
import { testChannel } from '../src/index.js';

const setUp = () => {
  const channel = testChannel({ platform: 'test' });
  const say = async (text: string, signal: AbortSignal = new AbortController().signal) =>
    channel.send({ chatId: 'c', text }, { signal, fetch });
  return { channel, say };
};

it('keeps what was sent, and fails once when it is told to', async () => {
  const { channel, say } = setUp();
  channel.failNext(new Error('gone'));
  await expect(say('one')).rejects.toThrow('gone');
  expect(await say('two')).toEqual({ messageId: 'test-1' });
  expect(channel.sent).toEqual([{ chatId: 'c', text: 'two', messageId: 'test-1' }]);
});

it('waits while it is held; the signal ends that', async () => {
  const { channel, say } = setUp();
  const release = channel.hold();
  const abort = new AbortController();
  const first = say('one', abort.signal);
  const second = say('two');
  await new Promise((resolve) => setImmediate(resolve));
  expect(channel.sent).toEqual([]);
  abort.abort(new Error('enough'));
  await expect(first).rejects.toThrow('enough');
  release();
  await second;
  expect(channel.sent.map(({ text }) => text)).toEqual(['two']);
});
