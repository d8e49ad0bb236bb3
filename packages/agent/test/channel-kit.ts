/** What the tests of channels start from: a runtime of one agent and one channel, and all that was fired and sent. */
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, channelHooks, defineHooks, type ChannelMessage, type MessageSent } from '@treblehook/types';
import { createRuntime, type Channel, type ChannelRuntimeOptions } from '../src/index.js';
import { scriptedModel, type ScriptedStep } from '../src/testing/index.js';

export const catalogue = defineHooks(agentHooks, channelHooks);
export type Extra = Partial<Omit<ChannelRuntimeOptions, 'agents' | 'registry'>>;

export function channelsOf(script: readonly ScriptedStep[] = ['the reply'], options: Extra = {}) {
  const registry = createHookRegistry(catalogue, { plugins: ['acme'] });
  const fires: { readonly hook: string; readonly payload: any }[] = [];
  registry.events.on('fired', ({ hook, payload }) => fires.push({ hook, payload }));
  const faults: string[] = [];
  for (const type of ['handlerFailed', 'handlerTimedOut', 'amendmentRefused'] as const) {
    registry.events.on(type, ({ hook, code }) => void faults.push(`${hook} ${code}`));
  }
  const sent: { readonly chatId: string; readonly text: string }[] = [];
  const channel: Channel = {
    platform: 'wire',
    send(message) {
      sent.push(message);
      return { messageId: `m${sent.length}` };
    },
  };
  const model = scriptedModel(script);
  const runtime = createRuntime({
    registry,
    agents: { desk: { model, personality: { id: 'clerk', plugins: ['acme'] } } },
    channels: [channel],
    ...options,
  });
  const told = (): MessageSent[] => fires.filter(({ hook }) => hook === 'messageSent').map(({ payload }) => payload);
  return { registry, runtime, model, sent, fires, faults, told };
}
export const hello: ChannelMessage = { platform: 'wire', chatId: 'c1', text: 'hello' };

/** A channel of the platform of `hello`. */
export const channelWith = (send: Channel['send']): readonly Channel[] => [{ platform: 'wire', send }];
