// Owns the laws of what the plugin does when something is wrong: it withholds, and what it says names no secret.
import { definePlugin } from '@treblehook/types';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { host, secrets, tool, wire } from './kit.js';

const { matchAll } = String.prototype;
afterEach(() => void vi.restoreAllMocks());
/** From here on each look at a text with this in it fails, with a text that tells all. */
const failOn = (part: string): void => {
  vi.spyOn(String.prototype, 'matchAll').mockImplementation(function (this: string, pattern) {
    if (this.includes(part)) throw new TypeError(`cannot look at ${String(this)}`);
    return matchAll.call(this, pattern);
  });
};
const callLook = { calls: [{ name: 'look' }] };

describe('a fault', () => {
  it('on a result withholds it; the siblings go on', async () => {
    failOn('BOOM');
    const tools = [tool('look', () => `BOOM ${secrets.aws}`), tool('other', () => 'fine')];
    const made = await host({ script: [{ calls: [{ name: 'look' }, { name: 'other' }] }, 'ok'], tools });
    const result = await made.agent.run('go');
    expect(result.status).toBe('done');
    expect(result.toolCalls.map(({ isError, output }) => [isError, output])).toEqual([
      [true, "the hook 'redact/results' failed on afterTool: the tool has run, its result is withheld"],
      [false, 'fine'],
    ]);
    expect(JSON.stringify([result, made.faults]) + wire(made)).not.toContain(secrets.aws);
  });

  it('on a request sends nothing, and on output shows nothing', async () => {
    failOn('BOOM');
    const asked = await host();
    const first = await asked.agent.run(`BOOM ${secrets.aws}`);
    expect(first).toMatchObject({ status: 'failed' });
    expect(String(first.error)).toMatch(/the request could not be redacted and is withheld \(TypeError\)/);
    expect(String(first.error) + String((first.error as Error).cause)).not.toContain(secrets.aws);
    expect(asked.model.calls).toEqual([]);

    const made = await host({ script: [{ text: ['BO', `OM ${secrets.aws}`] }] });
    const events: unknown[] = [];
    for await (const event of made.agent.stream('go')) events.push(event);
    expect(events.at(-1)).toMatchObject({ result: { status: 'failed', text: '' } });
    expect(JSON.stringify(events)).not.toMatch(/text-delta|AKIA/);
  });
});

describe('config that is wrong is refused, and no word is shown', () => {
  const word = 'hunter2-of-the-house';
  it.each<readonly [string, object, RegExp]>([
    ['a key that is none', { wrods: [word] }, /there is no 'wrods' here: .*'words'/],
    ['words that are no list', { words: word }, /'words' is a text: write a list/],
    ['a word in a map', { words: [{ word }] }, /it is no text/],
    ['a short word', { words: [word, 'abc'] }, /shorter than 4/],
    ['the whole as a text', word as never, /the whole is a text: write a map/],
    ['a detector that is none', { words: [word], detectors: ['aws'] }, /no such detector: .*aws-key/],
    ['a detector called by a name of every object', { detectors: ['constructor'] }, /no such detector/],
    ['a detector as a text', { detectors: 'aws-key' }, /write 'all', or a list of names/],
    ['nothing to look for', { detectors: [] }, /nothing is looked for/],
    ['a pattern that is none', { words: [word], patterns: { x: '(' } }, /no regular expression: Unterminated group/],
    ['a pattern that closes what is not its own', { patterns: { x: 'a)(b' } }, /no regular expression/],
    ['a pattern that matches nothing', { patterns: { x: 'a*' } }, /where nothing stands/],
    ['a pattern without end', { patterns: { x: '(a+)+b' } }, /a group repeats/],
    ['a pattern of choices without end', { patterns: { x: '(?:a|a)*b' } }, /a group repeats/],
    ['a pattern that refers back', { patterns: { x: String.raw`(a)\1` } }, /refers back/],
    ['a pattern called as a detector', { patterns: { jwt: 'a' } }, /a detector has this name/],
    ['a pattern with a name of no placeholder', { patterns: { 'A b': 'a' } }, /use a-z/],
    ['a replacement that is not known again', { replacement: 'xxx' }, /known again/],
  ])('%s', async (_, config, what) => {
    const failing = host({}, config);
    await expect(failing).rejects.toMatchObject({ code: 'TH_CONFIG_INVALID' });
    const error = (await failing.catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toMatch(what);
    expect(error.message + JSON.stringify(error)).not.toContain(word);
  });
});

describe('config', () => {
  it('adds patterns and words, takes detectors away, spells the placeholder', async () => {
    const config = {
      detectors: ['aws-key'],
      patterns: { constructor: 'ACME-\\d{4}', tostring: 'x{3}y' },
      words: ['swordfish', 'sword.ish+', '__proto__'],
      replacement: '«{kind} {number}»',
    };
    const made = await host(
      { script: [`${secrets.github} ACME-1234 swordfish sword.ish+ __proto__ ${secrets.aws} xxxy`] },
      config,
    );
    const { text } = await made.agent.run('go');
    expect(text).toBe(`${secrets.github} «constructor 1» «word 1» «word 2» «word 3» «aws-key 1» «tostring 1»`);
  });

  it('that numbers nothing says the same for all of them, again and again', async () => {
    const made = await host({ script: [`password=hunter2 ${secrets.aws}`, 'two'] }, { replacement: '[gone]' });
    const session = made.agent.session();
    expect((await session.run('go')).text).toBe('password=[gone] [gone]');
    await session.run('again');
    expect(wire(made)).toContain('password=[gone] [gone]');
  });
});

it('a placeholder stays what it is, whatever stands around it; what is made to look like one hides nothing', async () => {
  const script = [
    'password=[secret:assignment#1] and token: "[secret:aws-key#12]"',
    `[secret:${secrets.aws}#1] [secret:aws-key#1]${secrets.github}`,
  ];
  const made = await host({ script });
  expect((await made.agent.run('go')).text).toBe(script[0]);
  expect((await made.agent.run('go')).text).toBe(
    '[secret:[secret:aws-key#1]] [secret:aws-key#1][secret:github-token#1]',
  );
});

it('who stands in front sees what is there, and nobody gets it from the wire whoever stands behind', async () => {
  const seen: string[] = [];
  const leak = (id: string) =>
    definePlugin({
      id,
      setup({ hooks }) {
        hooks.registerModifying('afterTool', ({ result }) => {
          seen.push(`${id}: ${result.output}`);
          return id === 'behind' ? { result: { ...result, output: `${result.output} ${secrets.github}` } } : undefined;
        });
      },
    });
  const { testHost } = await import('@treblehook/testing');
  const { default: redact } = await import('../src/index.js');
  const options = { script: [callLook, 'ok'], tools: [tool('look', () => secrets.aws)] };
  const made = await testHost({ ...options, plugins: [leak('front'), { plugin: redact, seat: true }, leak('behind')] });
  await made.agent.run('go');
  expect(seen).toEqual([`front: ${secrets.aws}`, 'behind: [secret:aws-key#1]']);
  expect(wire(made)).not.toContain(secrets.github);
});
