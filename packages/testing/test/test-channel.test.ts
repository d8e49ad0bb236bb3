// The in-process channel: it keeps what was sent, and fails and waits when it is told to.
import { createRuntime } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, channelHooks, defineHooks } from '@treblehook/types';
import { expect, it } from 'vitest';
import { scriptedModel, testChannel } from '../src/index.js';

function setUp() {
  const channel = testChannel({ platform: 'test' });
  const runtime = createRuntime({
    registry: createHookRegistry(defineHooks(agentHooks, channelHooks)),
    agents: { desk: { model: scriptedModel(['one', 'two']) } },
    channels: [channel],
  });
  const say = (signal?: AbortSignal) =>
    runtime.receive({ platform: 'test', chatId: 'c', text: 'hello' }, signal && { signal });
  return { channel, say };
}

it('keeps what was sent, and fails once when it is told to', async () => {
  const { channel, say } = setUp();
  channel.failNext(new Error('gone'));
  expect(await say()).toMatchObject({ outcome: 'failed', error: { code: 'TH_CHANNEL_FAILED' } });
  expect(await say()).toMatchObject({ outcome: 'sent', messageId: 'test-1' });
  expect(channel.sent).toEqual([{ chatId: 'c', text: 'two', messageId: 'test-1' }]);
});

it('waits while it is held; the signal ends that', async () => {
  const { channel, say } = setUp();
  const release = channel.hold();
  const abort = new AbortController();
  const first = say(abort.signal);
  const second = say();
  await new Promise((resolve) => setImmediate(resolve));
  expect(channel.sent).toEqual([]);
  abort.abort();
  expect((await first).outcome).not.toBe('sent');
  release();
  expect((await second).outcome).toBe('sent');
  expect(channel.sent).toHaveLength(1);
});
