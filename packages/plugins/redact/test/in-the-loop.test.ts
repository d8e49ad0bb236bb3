// Owns the laws of the plugin in a run: what leaves it, to the model, to a listener, into a log, has no secret in it.
import type { AgentEvent } from '@treblehook/agent';
import { definePlugin, type Message } from '@treblehook/types';
import { describe, expect, it, vi } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import redact from '../src/index.js';
import { host, secrets, tool, wire } from './kit.js';

const callLook = { calls: [{ name: 'look', args: { id: 7 } }] };
const look = (output: string, metadata?: object) =>
  tool('look', () => ({ output, isError: false, ...(metadata === undefined ? {} : { metadata: metadata as never }) }));
const spread = async (stream: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> => {
  const events: AgentEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
};

describe('a request', () => {
  it('has no secret of the user, of a tool, of the context, of what others inject, of the history; one secret has one placeholder', async () => {
    const teller = definePlugin({
      id: 'teller',
      setup({ hooks }) {
        hooks.registerModifying('beforePromptBuild', () => ({ context: [`memory: ${secrets.aws}`] }));
        hooks.registerModifying('beforeLLM', () => ({
          inject: [{ role: 'user' as const, content: [{ type: 'text' as const, text: secrets.github }] }],
        }));
      },
    });
    const made = await host({
      script: [{ text: `I look with ${secrets.aws}`, ...callLook }, 'done', 'again'],
      tools: [look(`found ${secrets.aws} and ${secrets.aws2}`)],
      plugins: [teller],
      personality: { id: 'p', system: `The host says ${secrets.jwt}`, plugins: ['redact', 'teller'] },
    });
    const session = made.agent.session();
    const { status, messages } = await session.run(`my key is ${secrets.aws}`);
    expect(status).toBe('done');
    await session.run('go on');
    const sent = wire(made);
    for (const secret of [secrets.aws, secrets.aws2, secrets.github]) expect(sent).not.toContain(secret);
    expect(sent).toContain(secrets.jwt); // the host's own system text
    expect(sent).toContain('my key is [secret:aws-key#1]');
    expect(sent).toContain('memory: [secret:aws-key#1]');
    expect(sent).toContain('I look with [secret:aws-key#1]');
    expect(sent).toContain('found [secret:aws-key#1] and [secret:aws-key#2]');
    expect(sent).toContain('"[secret:github-token#1]"');
    expect(JSON.stringify(messages)).not.toContain(secrets.aws);
    expect(made.faults).toEqual([]);
  });

  it('shows the arguments of calls without their secrets; the call itself ran with what the model wrote', async () => {
    const ran: unknown[] = [];
    const args = JSON.parse(
      `{"url":"postgres://a:s3cret@h/x","password":"hunter2","nested":[{"${secrets.aws}":1}],"__proto__x":1}`,
    );
    const made = await host({
      script: [
        {
          calls: [
            { name: 'look', args },
            { name: 'look', args: `{"token": "${secrets.github}` },
          ],
        },
        'done',
      ],
      tools: [tool('look', (given) => (ran.push(given), 'ok'))],
    });
    const { toolCalls } = await made.agent.run('go');
    expect(ran).toEqual([args]);
    expect(toolCalls[0]!.args).toEqual(args);
    const sent = JSON.stringify(made.model.calls[1]!.prompt);
    for (const secret of ['s3cret', 'hunter2', secrets.aws, secrets.github]) expect(sent).not.toContain(secret);
    expect(sent).toContain('postgres://a:[secret:connection-string#1]@h/x');
    expect(sent).toContain('"password":"[secret:assignment#1]"');
  });

  it('of a given transcript: over the ends of its parts, in files of text, in URLs; pictures and ids stay', async () => {
    const [front, back] = [secrets.aws.slice(0, 7), secrets.aws.slice(7)];
    const text = `key ${secrets.github}`;
    const png = new Uint8Array([0x89, 0x50, 0xff, 0, 1]);
    const messages: Message[] = [
      {
        id: 'mine',
        role: 'user',
        pinned: true,
        content: [
          { type: 'text', text: `a ${front}` },
          { type: 'text', text: back },
          { type: 'text', text: 'b' },
          {
            type: 'file',
            mediaType: 'text/plain',
            data: Buffer.from(text).toString('base64'),
            filename: `${secrets.aws}.txt`,
          },
          { type: 'file', mediaType: 'application/json; charset=utf-8', data: new TextEncoder().encode(text) },
          { type: 'file', mediaType: 'text/csv', data: Buffer.from(`\ufeff${text}`, 'utf16le') },
          { type: 'file', mediaType: 'text/plain', data: new URL(`data:text/plain,${encodeURIComponent(text)}`) },
          { type: 'file', mediaType: 'image/png', data: png },
          { type: 'file', mediaType: 'image/png', data: new URL(`https://x.example/a.png?X-Key=${secrets.aws}`) },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: `so ${secrets.aws}`, provider: { x: { signature: 's' } } },
          { type: 'text', text: 'ok' },
        ],
      },
    ];
    const made = await host();
    await made.agent.session({ messages }).run('go');
    const [user, answer] = made.model.calls[0]!.prompt as readonly { content: readonly any[] }[];
    const kept = JSON.stringify([user, answer]);
    expect(kept).not.toContain(secrets.aws);
    expect(user!.content.map(({ type }) => type)).toEqual([
      'text',
      'text',
      'file',
      'file',
      'file',
      'file',
      'file',
      'text',
    ]);
    expect(user!.content[0].text).toMatch(/^a \[secret:aws-key#[0-9a-f]{6}\.1\]$/);
    const bytes = (at: number): Buffer => {
      const data = user!.content[at].data.data ?? user!.content[at].data;
      return typeof data === 'string' ? Buffer.from(data, 'base64') : Buffer.from(data);
    };
    expect(bytes(2).toString()).toMatch(/^key \[secret:github-token#/);
    expect(bytes(3).toString()).toMatch(/^key \[secret:github-token#/);
    expect(bytes(4).toString('utf16le')).toMatch(/^\ufeffkey \[secret:github-token#/);
    expect(String(user!.content[5].data.url ?? user!.content[5].data)).toMatch(/^data:text\/plain,key%20%5Bsecret/);
    expect(bytes(6)).toEqual(Buffer.from(png));
    expect(user!.content[7].text).toMatch(/^\[a file is left out, its URL holds a secret: .*\[secret:aws-key#/);
    expect(answer!.content[0]).toEqual({ type: 'reasoning', text: expect.stringMatching(/^so \[secret:aws-key#/) });
  });

  it('that a handler makes has none either', async () => {
    const asks = definePlugin({
      id: 'asks',
      setup({ hooks }) {
        hooks.registerModifying('beforeInput', async ({ text }, { callModel }) => {
          await callModel!({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] }, 'title');
          return undefined;
        });
      },
    });
    const made = await host({ script: ['a title', 'done'], plugins: [asks] });
    await made.agent.run(`key ${secrets.aws}`);
    expect(wire(made)).not.toContain(secrets.aws);
    expect(made.model.calls).toHaveLength(2);
  });

  it('whose messages were looked through is not looked through again', async () => {
    const script = Array.from({ length: 6 }, () => callLook);
    const made = await host({ script: [...script, 'done'], tools: [look('nothing here')] });
    const long = `once ${'x'.repeat(5000)}`;
    const { matchAll } = String.prototype;
    let count = 0;
    const spy = vi.spyOn(String.prototype, 'matchAll').mockImplementation(function (this: string, pattern) {
      if (String(this) === long) count++;
      return matchAll.call(this, pattern);
    });
    try {
      const session = made.agent.session();
      await session.run(long);
      const first = count;
      expect(first).toBeGreaterThan(0);
      count = 0;
      await made.agent.session().run(long);
      expect(count).toBe(first); // one look for a run of one request as for a run of seven
    } finally {
      spy.mockRestore();
    }
  });
});

describe('the result of a tool', () => {
  const raw = `got ${secrets.aws}, {"body":"{\\"password\\":\\"hunter2\\"}"}`;
  it('is told to nobody as it was: events, toolEnd, the result of the run, the log; its metadata neither', async () => {
    const heard: unknown[] = [];
    const ear = definePlugin({
      id: 'ear',
      setup({ hooks }) {
        hooks.registerModifying('afterTool', ({ result }) => void heard.push(result));
        hooks.registerVoid('toolEnd', (end) => void heard.push(end));
        hooks.registerVoid('afterLLM', (end) => void heard.push(end));
      },
    });
    const tools = [
      look(raw, { headers: { Authorization: `Bearer ${secrets.jwt}` }, n: 1, [secrets.aws]: [secrets.aws] }),
    ];
    const made = await host({ script: [callLook, 'ok'], tools, plugins: [ear] });
    const events = await spread(made.agent.stream('go'));
    const told = JSON.stringify([events, heard]);
    for (const secret of [secrets.aws, secrets.jwt, 'hunter2']) expect(told).not.toContain(secret);
    expect(heard[1]).toMatchObject({ output: expect.stringContaining('[secret:aws-key#1]'), metadata: { n: 1 } });
    expect(wire(made)).not.toContain(secrets.aws);
  });

  it('that is an error is no other, nor one that a stage has supplied', async () => {
    const supplies = definePlugin({
      id: 'supplies',
      setup({ hooks }) {
        hooks.registerModifying('beforeTool', ({ name }) =>
          name === 'cached' ? { result: { output: secrets.github, isError: false } } : undefined,
        );
      },
    });
    const failing = tool('look', () => {
      throw new Error(`no access with ${secrets.aws}`);
    });
    const script = [{ calls: [{ name: 'look' }, { name: 'cached' }] }, 'ok'];
    const made = await host({ script, tools: [failing, tool('cached', () => 'x')], plugins: [supplies] });
    const { toolCalls } = await made.agent.run('go');
    expect(toolCalls).toMatchObject([
      { isError: true, output: expect.stringContaining('with [secret:aws-key#1]') },
      { isError: false, output: '[secret:github-token#1]' },
    ]);
  });

  it('that is clean is the very one that the tool gave', async () => {
    const made = await host({ script: [callLook, 'ok'], tools: [look('clean', { a: [1, null] })] });
    const amended: unknown[] = [];
    made.registry.events.on('fired', ({ hook, result }) => void (hook === 'afterTool' && amended.push(result)));
    await made.agent.run('go');
    expect(amended).toEqual([undefined]);
  });
});

describe('the output', () => {
  const [a, b] = [secrets.aws.slice(0, 6), secrets.aws.slice(6)];
  it('of a stream is held until it is clean: no delta has a secret that came in pieces', async () => {
    const script = [{ reasoning: ['think ', a, b], text: ['it is ', a, b, ' indeed'] }];
    const made = await host({ script });
    const events = await spread(made.agent.stream('go'));
    const deltas = events.flatMap((event) => ('text' in event && event.type.endsWith('delta') ? [event.text] : []));
    expect(deltas).toEqual(['think [secret:aws-key#1]', 'it is [secret:aws-key#1] indeed']);
    expect(JSON.stringify(events)).not.toContain(b);
  });

  it('of a run that nobody streams is the same', async () => {
    const made = await host({ script: [{ reasoning: secrets.aws, text: secrets.aws }] });
    const { text, messages } = await made.agent.run('go');
    expect(text).toBe('[secret:aws-key#1]');
    expect(JSON.stringify(messages)).not.toContain(secrets.aws);
  });
});

it('what it registers is what its manifest declares, and its schema has the keys that are read', async () => {
  const { hooks, tools, id, config } = manifest.treblehook;
  expect(redact.id).toBe(id);
  const made = await host({ plugins: [] });
  expect(made.plugins).toEqual(['redact']);
  const { testHost } = await import('@treblehook/testing');
  const declared = await testHost({ plugins: [{ plugin: redact, seat: true, declared: { hooks, tools } }] });
  expect(declared.failed).toEqual([]);
  const extra = await redact.config!['~standard'].validate({ nothing: 1 });
  expect(extra.issues![0]!.message).toContain(Object.keys(config.properties).join(', '));
  expect(declared.registry.plan('beforeLLM').map(({ id: one }) => one)).toEqual([
    'compaction',
    'route-gate',
    'redact/requests',
  ]);
});
