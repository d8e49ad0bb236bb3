// The types of channels: only a registry that has their points takes them, and only such a runtime receives.
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, channelHooks, defineHooks } from '@treblehook/types';
import { createRuntime, offlineModel, type Channel } from '../src/index.js';

const agents = { desk: { model: offlineModel() } };
const channels: Channel[] = [{ platform: 'wire', send: () => {} }];
const bare = createHookRegistry(agentHooks);
const whole = createHookRegistry(defineHooks(agentHooks, channelHooks));

void createRuntime({ registry: whole, agents, channels }).receive({ platform: 'wire', chatId: 'c', text: 'x' });
createRuntime({ registry: whole, agents });
// @ts-expect-error -- the registry lacks the points
createRuntime({ registry: bare, agents, channels });
// @ts-expect-error -- a runtime without channels receives nothing
void createRuntime({ registry: bare, agents }).receive;

void createRuntime({ registry: whole, agents, channels }).resume('wire:c', { id: 'request_x', ok: true });
// @ts-expect-error -- a runtime without channels has nobody to send by
void createRuntime({ registry: bare, agents }).resume;
