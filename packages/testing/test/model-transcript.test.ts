// Owns the laws of transcripts: what was said is played back, and a request that is another one is told, place by place.
import { defineTool, type StandardSchema } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { recordTranscript, replayModel, scriptedModel, testHost, type ModelTranscript } from '../src/index.js';

const anything: StandardSchema<unknown, { readonly text: string }> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as { text: string } }) },
};
const echoOf = (description: string) =>
  defineTool({
    name: 'echo',
    description,
    input: anything,
    inputSchema: { type: 'object' },
    execute: ({ text }) => `said ${text}`,
  });
const script = [
  { text: ['I ', 'look.'], reasoning: 'hm', calls: [{ name: 'echo', args: { text: 'hi' } }] },
  'It said hi.',
];

interface Told {
  readonly input?: string;
  readonly description?: string;
}
const host = (model: unknown, { description = 'says it back' }: Told = {}) =>
  testHost({ model: model as never, tools: [echoOf(description)] });

async function recorded(readable = false): Promise<ModelTranscript> {
  const model = recordTranscript(scriptedModel(script, { readable }));
  const { agent } = await host(model);
  expect(await agent.run('go')).toMatchObject({ status: 'done' });
  // as it stands in a file
  return JSON.parse(JSON.stringify(model.transcript())) as ModelTranscript;
}

describe('a transcript', () => {
  it.each([false, true])('is played back call by call, readable stream %s', async (readable) => {
    const transcript = await recorded(readable);
    const model = replayModel(transcript);
    const { agent } = await host(model);
    const { status, text, toolCalls, usage } = await agent.run('go');
    expect({ status, text }).toEqual({ status: 'done', text: 'It said hi.' });
    expect(toolCalls).toMatchObject([{ name: 'echo', args: { text: 'hi' }, output: 'said hi' }]);
    expect(usage.inputTokens.total).toBe(20);
    expect(model.left()).toBe(0);
  });

  it('holds no id of a run, no signal and no header', async () => {
    expect(await recorded()).toEqual(await recorded());
    const model = recordTranscript(scriptedModel(['x']));
    await model.doStream({ prompt: [], headers: { authorization: 'secret' }, abortSignal: AbortSignal.timeout(9) });
    expect(model.transcript().calls[0]!.request).toEqual({ prompt: [] });
  });

  it('gives bytes, URLs and dates back', async () => {
    const part = { type: 'response-metadata', timestamp: new Date(7) } as const;
    const model = recordTranscript(
      scriptedModel([{ parts: [part, { type: 'raw', rawValue: new Uint8Array([1, 0]) }] }]),
    );
    const data = new URL('https://example.org/a.png');
    const prompt = [{ role: 'user' as const, content: [{ type: 'file' as const, mediaType: 'image/png', data }] }];
    const read = async (port: Pick<typeof model, 'doStream'>) => {
      const parts: unknown[] = [];
      for await (const one of (await port.doStream({ prompt })).stream as AsyncIterable<unknown>) parts.push(one);
      return parts;
    };
    const said = await read(model);
    const transcript = JSON.parse(JSON.stringify(model.transcript())) as ModelTranscript;
    expect(JSON.stringify(transcript)).toContain('{"$url":"https://example.org/a.png"}');
    expect(await read(replayModel(transcript))).toEqual(said);
  });

  it('plays a failure of the model, and one in the middle of an answer', async () => {
    const busy = Object.assign(new Error('busy'), { statusCode: 503 });
    const model = recordTranscript(scriptedModel([busy, { text: 'I was', error: new Error('broken line') }]));
    const first = await host(model);
    const faults = [await first.agent.run('one'), await first.agent.run('two')].map(({ error }) => String(error));
    const { agent } = await host(replayModel(model.transcript()));
    expect([await agent.run('one'), await agent.run('two')].map(({ error }) => String(error))).toEqual(faults);
    expect(model.transcript().calls[0]!.error).toEqual({ message: 'busy', statusCode: 503 });
  });
});

describe('a request that is another one', () => {
  it('ends the run with what differs, place by place', async () => {
    const { agent } = await host(replayModel(await recorded()), { description: 'says it twice' });
    const { status, error } = await agent.run('stop');
    expect(status).toBe('failed');
    expect((error as Error).message).toBe(
      [
        'call 1 is not the one of the transcript:',
        '  prompt[0].content[0].text: "go" before, "stop" now',
        '  tools[0].description: "says it back" before, "says it twice" now',
      ].join('\n'),
    );
  });

  it('is the same one where only ignored keys differ', async () => {
    const model = replayModel(await recorded(), { ignore: ['description'] });
    const { agent } = await host(model, { description: 'says it twice' });
    expect(await agent.run('go')).toMatchObject({ status: 'done' });
  });

  it('shows of two long texts where they part', async () => {
    const long = 'x'.repeat(5000);
    const model = recordTranscript(scriptedModel(['ok']));
    await (await host(model)).agent.run(`${long} one`);
    const { error } = await (await host(replayModel(model.transcript()))).agent.run(`${long} two`);
    expect((error as Error).message).toMatch(/text: … "x+ one" before, … "x+ two" now$/);
  });

  it('beyond the end says so', async () => {
    const { agent } = await host(replayModel(await recorded()));
    await agent.run('go');
    expect(String((await agent.run('more')).error)).toContain('the transcript ends before call 3: record it anew');
  });

  it('of what is no transcript there is none', () => {
    expect(() => replayModel([] as never)).toThrow(/recordTranscript\(model\)\.transcript\(\)/);
  });
});
