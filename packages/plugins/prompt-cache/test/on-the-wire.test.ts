// Owns what the plugin does on the wire: marks for Anthropic that the next call reads, and nothing anywhere else.
import { resolveModel } from '@treblehook/providers';
import { testHost } from '@treblehook/testing';
import { definePlugin, defineTool, type ModelPort, type Plugin } from '@treblehook/types';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import cache, { promptCache, type PromptCacheStats } from '../src/index.js';
import { anthropicServer, blocksOf, type AnthropicServer, type Said } from './anthropic-server.js';

const look = defineTool({
  name: 'look',
  description: 'looks',
  concurrency: 'safe',
  input: z.object({ at: z.string() }),
  execute: ({ at }) => `seen ${at}`,
});
const looks = (at: string): Said => ({ tool: 'look', args: { at } });

let server: AnthropicServer;
afterEach(() => server?.close());

async function host(
  script: readonly Said[],
  used: Plugin | undefined,
  more: readonly Plugin[] = [],
  system = 'Be brief.',
) {
  server = await anthropicServer(script);
  const model = await resolveModel(`anthropic:claude-sonnet-4-5@${server.url}`, { apiKey: 'k' });
  const plugins = [...(used === undefined ? [] : [{ plugin: used, seat: true }]), ...more];
  const personality = {
    id: 'p',
    system,
    plugins: ['prompt-cache', ...more.map(({ id }) => id)].slice(used === undefined ? 1 : 0),
  };
  return testHost({ model: model as never, plugins, personality, tools: [look] });
}
const markedAt = (body: unknown): readonly number[] =>
  blocksOf(body).flatMap(({ isMarked }, at) => (isMarked ? [at] : []));
const textsOf = (body: unknown): readonly string[] => blocksOf(body).map(({ text }) => text);

/** Of each call the longest marked prefix is where the next one reads. */
function expectStable(bodies: readonly unknown[]): void {
  for (const [at, body] of bodies.entries()) {
    const marks = markedAt(body);
    expect(marks.length).toBeLessThanOrEqual(4);
    const next = bodies[at + 1];
    if (next === undefined) continue;
    const end = marks.at(-1)! + 1;
    expect(textsOf(next).slice(0, end)).toEqual(textsOf(body).slice(0, end));
    expect(markedAt(next)).toContain(end - 1);
  }
}

describe('with Anthropic', () => {
  it('each call reads all that the last one marked, over turns, batches and runs', async () => {
    const told: PromptCacheStats[] = [];
    const { agent, close } = await host(
      [looks('a'), looks('b'), 'one', looks('c'), 'two'],
      promptCache({ onStats: (stats) => void told.push(stats) }),
    );
    const session = agent.session('s');
    expect(await session.run('first')).toMatchObject({ status: 'done', text: 'one' });
    for await (const _ of session.stream('second')); // streaming is no other wire
    expect(server.bodies).toHaveLength(5);
    expectStable(server.bodies);
    // tool, system, user | + call, result | + call, result | + answer, user | + call, result
    expect(server.bodies.map(markedAt)).toEqual([
      [1, 2],
      [1, 2, 4],
      [1, 2, 4, 6],
      [1, 6, 8],
      [1, 8, 10],
    ]);
    await close();
    expect(told).toEqual([
      {
        sessionId: 's',
        calls: 5,
        unreported: 0,
        inputTokens: 350,
        cacheReadTokens: 240,
        cacheWriteTokens: 110,
        hitRate: 240 / 350,
      },
    ]);
  });

  it('what is injected is never marked, and what stands in front of it is', async () => {
    const date = definePlugin({
      id: 'date',
      setup({ hooks }) {
        let n = 0;
        hooks.registerModifying('beforeLLM', () => ({
          inject: [{ role: 'user', content: [{ type: 'text', text: `it is ${n++}` }] }],
        }));
      },
    });
    const { agent } = await host([looks('a'), 'one'], cache, [date]);
    await agent.run('go');
    expectStable(server.bodies);
    expect(textsOf(server.bodies[1]).at(-1)).toContain('it is 1');
    expect(server.bodies.map(markedAt)).toEqual([
      [1, 2],
      [1, 2, 4],
    ]);
  });

  it('a system message that is injected moves the conversation: the front alone is marked', async () => {
    const note = definePlugin({
      id: 'note',
      setup({ hooks }) {
        hooks.registerModifying('beforeLLM', () => ({
          inject: [{ role: 'system', content: [{ type: 'text', text: 'note' }] }],
        }));
      },
    });
    const { agent } = await host(['one'], cache, [note]);
    await agent.run('go');
    expect(server.bodies.map(markedAt)).toEqual([[1]]);
  });

  it('without it nothing is marked, and but for the marks the wire is the same', async () => {
    const script = [looks('a'), 'one'];
    const bodies: unknown[][] = [];
    for (const used of [undefined, cache]) {
      const { agent } = await host(script, used);
      await agent.run('go');
      bodies.push(server.bodies);
      await server.close();
    }
    expect(bodies[0]!.map(markedAt)).toEqual([[], []]);
    expect(bodies[1]!.map(textsOf)).toEqual(bodies[0]!.map(textsOf));
  });
});

it.each(['openai', 'openai-compatible'])('with %s nothing changes on the wire', async (provider) => {
  const bodies: string[] = [];
  const fetch = (async (_: unknown, { body }: { body: string }) => {
    bodies.push(body);
    const chunk = (choice: object) =>
      `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })}\n\n`;
    const text = `${chunk({ delta: { content: 'ok' } })}${chunk({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`;
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  }) as typeof globalThis.fetch;
  for (const plugins of [[], [{ plugin: cache, seat: true }]]) {
    const model: ModelPort = await resolveModel(`${provider}:gpt-4o@http://127.0.0.1:9/v1`, { apiKey: 'k', fetch });
    const { agent } = await testHost({
      model: model as never,
      plugins,
      personality: { id: 'p', system: 'Be brief.', plugins: plugins.map(({ plugin }) => plugin.id) },
    });
    expect((await agent.run('go')).status).toBe('done');
  }
  expect(bodies).toHaveLength(2);
  expect(bodies[1]).toBe(bodies[0]);
});
