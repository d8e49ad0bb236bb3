/** A channel over HTTP: posts come in, replies go out by `fetch`, and a bridge claims what is not for the model. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { createRuntime, type Channel } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { scriptedModel } from '@treblehook/testing';
import { agentHooks, channelHooks, defineHooks, type ChannelMessage } from '@treblehook/types';

async function serve(answer: (request: IncomingMessage) => Promise<object>): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    answer(request).then(
      (body) => response.end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(400).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

const platform = await serve(async (request) => {
  console.log(`the platform shows: ${await textOf(request)}`);
  return { id: 'post-1' };
});
const outbound = (name: string): Channel => ({
  platform: name,
  async send(message, { fetch, signal }) {
    const response = await fetch(platform.url, { method: 'POST', body: JSON.stringify(message), signal });
    if (!response.ok) throw new Error(`the platform answered ${response.status}`);
    return { messageId: ((await response.json()) as { readonly id: string }).id };
  },
});

const registry = createHookRegistry(defineHooks(agentHooks, channelHooks));
registry.registerClaiming(
  'inboundClaim',
  ({ message }) => (message.platform === 'pager' ? { handled: true } : undefined),
  { id: 'pager-bridge' },
);
registry.registerModifying('messageSending', ({ message }) => ({ message: `${message} (by a machine)` }), {
  id: 'sign',
});
registry.registerVoid('messageSent', ({ chatId, ok, messageId }) => console.log('told:', chatId, ok, messageId));

const runtime = createRuntime({
  registry,
  agents: { desk: { model: scriptedModel(['Good morning!']) } },
  channels: [outbound('chat'), outbound('pager')],
});
const inbound = await serve(async (request) => {
  return runtime.receive(JSON.parse(await textOf(request)) as ChannelMessage).then(({ outcome }) => ({ outcome }));
});
const post = async (message: object): Promise<void> =>
  console.log(await (await fetch(inbound.url, { method: 'POST', body: JSON.stringify(message) })).text());

await post({ platform: 'chat', chatId: 'c1', text: 'Hello' });
await post({ platform: 'pager', chatId: 'p1', text: 'Disk full' });
await post({ platform: 'fax', chatId: 'f1', text: 'Hello' });
await runtime.shutdown();
for (const { server } of [inbound, platform]) server.close();
