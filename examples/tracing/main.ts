/** Spans of a run: a collector on loopback, two tools at once, a tool that fails, and who stands below whom. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tracing } from '@treblehook/plugin-tracing';
import { testHost } from '@treblehook/testing';
import { defineTool } from '@treblehook/types';
import { z } from 'zod';

interface Span {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}
const spans: Span[] = [];
const collector = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    const { resourceSpans } = JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    response.writeHead(200).end('{}');
  });
});
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;

const tool = (name: string, execute: () => string) =>
  defineTool({ name, description: name, concurrency: 'safe', input: z.object({}), execute });
const { agent, close } = await testHost({
  script: [
    { calls: ['read', 'search'].map((name) => ({ name, args: {} })), usage: { input: 120, cacheRead: 100 } },
    'Done.',
  ],
  tools: [
    tool('read', () => 'a file'),
    tool('search', () => {
      throw new Error('no index');
    }),
  ],
  plugins: [{ plugin: tracing(), config: { endpoint, serviceName: 'desk' } }],
});
await agent.run('What is new?');
await close(); // what is left is sent

const told = new Set(['gen_ai.usage.input_tokens', 'gen_ai.usage.cache_read.input_tokens', 'error.type']);
function print(parent: string | undefined, indent: string): void {
  for (const { name, spanId, parentSpanId, attributes } of spans) {
    if ((parentSpanId || undefined) !== parent) continue;
    const shown = attributes.filter(({ key }) => told.has(key));
    console.log(
      `${indent}${name} ${shown.map(({ key, value }) => `${key}=${Object.values(value)[0]}`).join(' ')}`.trimEnd(),
    );
    print(spanId, `${indent}  `);
  }
}
print(undefined, '');
collector.close();
