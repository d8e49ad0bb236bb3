/** Cache marks for Anthropic: which messages of each request are marked, and what the cache gave. The endpoint is a stub. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHost } from '@treblehook/host';
import { promptCache } from '@treblehook/plugin-prompt-cache';
import { resolveModel } from '@treblehook/providers';

interface Block {
  readonly text?: string;
  readonly cache_control?: object;
}
const shown = ({ text = '', cache_control }: Block): string => (cache_control === undefined ? text : `[${text}]`);
let asked = 0;
const stub = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    const { system, messages } = JSON.parse(text) as { system: Block[]; messages: { content: Block[] }[] };
    console.log([...system, ...messages.flatMap(({ content }) => content)].map(shown).join(' | '));
    const read = asked++ * 40; // what an endpoint that keeps marked prefixes would say
    const usage = { input_tokens: 0, cache_read_input_tokens: read, cache_creation_input_tokens: 40, output_tokens: 2 };
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage };
    for (const event of [
      { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: `Answer ${asked}.` } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ]) {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  });
});
await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(stub.address() as AddressInfo).port}/v1`;

const { agent, registry, close } = await createHost({
  model: await resolveModel(`anthropic:claude-sonnet-4-5@${url}`, { apiKey: 'none' }),
  policy: { rules: [] },
  personality: { id: 'desk', system: 'Be brief.', plugins: ['prompt-cache'] },
  plugins: [{ plugin: promptCache(), seat: true }],
  onLog: ({ message }) => console.log(message),
});
registry.registerModifying('beforeLLM', () => ({
  inject: [{ role: 'user', content: [{ type: 'text', text: `(call ${asked})` }] }], // it changes, so it is never marked
}));
const session = agent.session('ann');
for (const text of ['One?', 'Two?', 'Three?']) await session.run(text);
await close();
stub.close();
stub.closeAllConnections();
