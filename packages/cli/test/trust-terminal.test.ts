// Owns the law of consent at a terminal: no is the first choice, and only a chosen yes is one.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { main } from '../src/index.js';

const [down, enter, escape, endOfInput] = ['\u001B[B', '\r', '\u001B', '\u0004'];

async function asked(keys: string): Promise<{ code: number; screen: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'trust-terminal-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const cwd = join(dir, 'work');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'one.js'), `export default { id: 'one', setup() {} };\n`);
  writeFileSync(
    join(cwd, 'treblehook.config.json'),
    '{ "plugins": ["./one.js"], "personalities": [{ "id": "p", "plugins": ["one"] }] }',
  );
  const input = new PassThrough();
  const stdout = new PassThrough();
  let screen = '';
  let isPressed = false;
  stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += stripVTControlCharacters(text);
    if (isPressed || !/Enter: confirm/.test(screen)) return;
    isPressed = true;
    setImmediate(() => input.write(keys));
  });
  const signal = new AbortController().signal;
  const env = { TREBLEHOOK_TRUST: join(dir, 'trust.json') };
  const stderr = new PassThrough();
  const code = await main(['trust'], { stdout, stderr, env, cwd, signal, terminal: { input, interrupt: () => {} } });
  return { code, screen };
}

it.each([
  ['Enter alone', enter, 4],
  ['Escape', escape, 4],
  ['Ctrl-D', endOfInput, 4],
  ['the letter y', `y${enter}`, 4],
  ['yes', down + enter, 0],
])('%s', async (_, keys, code) => {
  const { code: ended, screen } = await asked(keys);
  expect([ended, screen]).toEqual([
    code,
    expect.stringMatching(/the plugin one: untrusted[^]*a module alone[^]*Shall it run/),
  ]);
});
