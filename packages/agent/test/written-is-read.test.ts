// What a run takes into its log, the next one reads: whatever a provider, a stage or a caller has put into a message.
import type { Message, ModelPort, ModelStreamPart, SessionStore } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { createAgent, memoryStore } from '../src/index.js';
import { sqliteStore } from '../src/sqlite/index.js';
import { echo, kit, registryWithGuard } from './kit.js';

const stores: readonly [string, () => SessionStore][] = [
  ['in memory', () => memoryStore()],
  ['in SQLite', () => sqliteStore({ path: ':memory:' })],
];
const levels = (count: number): unknown => {
  let nested: unknown = 'x';
  for (let level = 0; level < count; level++) nested = { in: nested };
  return nested;
};
const goesOn = async (store: SessionStore) => {
  const { status, error } = await kit(['later'], { store, tools: [echo().tool] })
    .agent.session('s')
    .run('again');
  return { status, error };
};
const isRead = { status: 'done', error: undefined };

const finish = (unified: 'stop' | 'tool-calls'): ModelStreamPart => ({
  type: 'finish',
  finishReason: { unified, raw: undefined },
  usage: { inputTokens: {}, outputTokens: {} } as never,
});
const listed = { providerMetadata: [1] as never };
const sent: readonly [string, readonly ModelStreamPart[]][] = [
  ['a start of reasoning', [{ type: 'reasoning-start', id: 'r', ...listed }]],
  ['reasoning', [{ type: 'reasoning-delta', id: 'r', delta: 'hm', ...listed }]],
  ['a tool call', [{ type: 'tool-call', toolCallId: 'c', toolName: 'echo', input: '{"text":"x"}', ...listed }]],
];

describe.each(stores)('a session %s is gone on with', (_, makeStore) => {
  it.each(sent)('behind a list as the providerMetadata of %s, which is dropped', async (what, parts) => {
    let asked = 0;
    const model = {
      specificationVersion: 'v3',
      provider: 'p',
      modelId: 'm',
      doStream: async () => ({
        stream: (async function* () {
          if (asked++ === 0) yield* [...parts, finish(what === 'a tool call' ? 'tool-calls' : 'stop')];
          else yield* [{ type: 'text-delta', id: 't', delta: 'end' } as const, finish('stop')];
        })(),
      }),
    } as unknown as ModelPort;
    const store = makeStore();
    const first = await createAgent({ model, registry: registryWithGuard(), tools: [echo().tool], store })
      .session('s')
      .run('go');
    expect(first.status).toBe('done');
    expect(await goesOn(store)).toEqual(isRead);
    const log = JSON.stringify(await store.read('s'));
    expect(log).not.toContain('"provider"');
  });

  it('behind arguments as deep as the kernel lets them in', async () => {
    const store = makeStore();
    const { agent, registry } = kit(['one'], { store });
    const past: readonly Message[] = [
      { role: 'assistant', content: [{ type: 'tool-call', callId: 'c', name: 'a', args: levels(996) as never }] },
      { role: 'tool', content: [{ type: 'tool-result', callId: 'c', name: 'a', output: 'x', isError: false }] },
    ];
    registry.registerModifying('beforeLLM', ({ messages }) => ({ messages: [...past, ...messages] }));
    expect(await agent.session('s').run('go')).toMatchObject({ status: 'done' });
    expect(JSON.stringify(await store.read('s'))).toContain('"callId":"c"');
    expect(await goesOn(store)).toEqual(isRead);
  });
});

const user = (part: object): unknown => ({ role: 'user', content: [part] });
const assistant = (part: object): unknown => ({ role: 'assistant', content: [part] });
const inheriting = (inherited: object, own: object): object => Object.assign(Object.create(inherited), own);
const file = { type: 'file', mediaType: 'text/plain', data: 'eA==' };
const toolCall = { type: 'tool-call', callId: 'c', name: 'a', args: {} };
const text = { type: 'text', text: 'x' };
const refused: readonly [string, unknown, RegExp][] = [
  ['a file name that is no text', user({ ...file, filename: 42 }), /a file part whose 'filename' is no text/],
  [
    "a 'provider' that is a text",
    assistant({ type: 'reasoning', text: 'x', provider: 's' }),
    /'provider' is no object/,
  ],
  [
    "a 'provider' that is a list",
    assistant({ type: 'reasoning', text: 'x', provider: [1] }),
    /'provider' is no object/,
  ],
  ["a call's 'provider' that is a list", assistant({ ...toolCall, provider: [1] }), /'provider' that is no object/],
  ['a text that it inherits', user(inheriting({ text: 'x' }, { type: 'text' })), /a text part without a text/],
  ['a type that it inherits', user(inheriting({ type: 'text' }, { text: 'x' })), /a part that is none/],
  ['a role that it inherits', inheriting({ role: 'user' }, { content: [text] }), /its role is no text/],
  ['a list as a part', user(Object.assign([], text)), /a part that is none/],
];

describe('a message that no log could give back is refused where it enters', () => {
  it.each(refused)('with %s: as an amendment, and the run goes on without it', async (_, message, why) => {
    const store = memoryStore();
    const { agent, registry } = kit(['one'], { store });
    const said: string[] = [];
    registry.events.on('amendmentRefused', ({ error }) => said.push(error.message));
    registry.registerModifying('beforeLLM', ({ messages }) => ({ messages: [message as Message, ...messages] }));
    expect(await agent.session('s').run('go')).toMatchObject({ status: 'done' });
    expect(said).toEqual([expect.stringMatching(why)]);
    expect(await goesOn(store)).toEqual(isRead);
  });

  it.each(refused)('with %s: as a message of a session', (_, message, why) => {
    const { agent } = kit(['one']);
    expect(() => agent.session({ id: 's', messages: [message as Message] })).toThrow(why);
  });
});
