// Owns the laws of what an approval shows: what would run or change, from the sealed arguments, and never in place of the question.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue, Request } from '@treblehook/types';
import { requestLines } from '../src/approval-text.js';
import { effectsOf } from '../src/effects.js';
import { effectLines } from '../src/effects-text.js';
import { builtInTools } from '../src/tools/built-in.js';
import { commandIn, commandWith } from './command.js';

let dir: string;
const at = (name: string): string => join(dir, name);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'effects-'));
  writeFileSync(at('a.txt'), 'one\ntwo\nthree\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function approval(name: string, args: JsonValue, source = 'host'): Request {
  const asks = [{ guard: 'tool-policy', question: 'may it?' }];
  return {
    id: 'r',
    kind: 'approval',
    prompt: 'p',
    data: { tool: { source, name, digest: 'd' }, args, digest: 'abc', asks },
  };
}
const effects = (name: string, args: JsonValue, source?: string) =>
  effectsOf(approval(name, args, source), builtInTools(dir));
const lines = async (name: string, args: JsonValue, screen = {}) =>
  effectLines((await effects(name, args)) ?? {}, screen);

describe('a command', () => {
  it('is taken apart: programs, words, redirects, what they are behind, and what is not known', async () => {
    const shell = `A=1 sudo /bin/rm -rf 'a b' "$X" > log; python -c 'x'; cat <in`;
    expect(await lines('run_command', { command: { shell } })).toEqual([
      expect.stringMatching(/^it runs: A=… sudo \/bin\/rm -rf "a b" … > log$/),
      expect.stringMatching(/^it runs: .*\/bin\/rm -rf "a b" … \(behind sudo\)$/),
      'it runs: python -c x',
      'it runs: cat < in',
      expect.stringMatching(/^it may run more: .*python/),
    ]);
    expect(await lines('run_command', { command: ['rm', '; ls'] })).toEqual(['it runs: rm "; ls"']);
  });

  it('says that a file which the line names by what is not known yet cannot be read', async () => {
    expect(await lines('run_command', { command: { shell: 'sort <"$IN" >$OUT; ls > log' } })).toEqual([
      expect.stringMatching(/^it runs: sort < … > …$/),
      'it runs: ls > log',
      'which file it reads cannot be read before it runs',
      'which file it writes cannot be read before it runs',
    ]);
  });

  it('hides nothing behind control characters', async () => {
    const [line] = await lines('run_command', { command: ['echo', 'a\u001B[2K\u202Eb\nc'] });
    expect(line).toBe(String.raw`it runs: echo "a\u001b[2K\u{202e}b\nc"`);
  });

  it('of a tool that is no built-in one is not guessed at', async () => {
    expect(await effects('run_command', { command: ['rm'] }, 'mcp:x')).toBeUndefined();
    expect(await effects('read_file', { path: 'a.txt' })).toBeUndefined();
    expect(await effectsOf({ id: 'r', kind: 'form', prompt: 'p' }, builtInTools(dir))).toBeUndefined();
  });
});

describe('a change', () => {
  it('is a diff, and nothing is written', async () => {
    expect(await lines('edit_file', { path: 'a.txt', oldText: 'two', newText: '2\u001B[A' })).toEqual([
      'it changes a.txt: 1 line added, 1 line removed',
      '  --- a/a.txt',
      '  +++ b/a.txt',
      '  @@ -1,3 +1,3 @@',
      '   one',
      '  -two',
      String.raw`  +2\u001b[A`,
      '   three',
    ]);
    expect((await lines('write_file', { path: 'b.txt', content: 'x\n' }))[0]).toBe(
      'it makes b.txt: 1 line added, 0 lines removed',
    );
    expect((await lines('delete_file', { path: 'a.txt' }))[0]).toBe('it deletes a.txt: 0 lines added, 3 lines removed');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
  });

  it.each([
    ['edit_file', { path: 'a.txt', oldText: 'four', newText: 'x' }],
    ['write_file', { path: '../a.txt', content: 'x' }],
    ['delete_file', { path: 'none' }],
    ['write_file', { path: 5 }],
    ['write_file', { path: 'a.txt', content: 'x'.repeat(3_000_000) }],
  ])('that cannot be shown is a fault, and the question is put: %s %#', async (name, args) => {
    const request = approval(name, args);
    const shown = requestLines(request, await effectsOf(request, builtInTools(dir)));
    expect(shown.filter((line) => line.startsWith('what it would change cannot be shown: '))).toHaveLength(1);
    expect(shown.at(-1)).toBe('tool-policy asks: may it?');
  });

  it('is cut to a screenful, and that is said', async () => {
    const content = Array.from({ length: 90 }, (_, line) => `line ${line}`).join('\n');
    const shown = await lines('write_file', { path: 'b.txt', content }, { columns: 80, rows: 30 });
    expect(shown.length).toBeLessThan(22);
    expect(shown.at(-1)).toMatch(/^ {2}… cut to a screenful, 7\d lines more: the arguments have all/);
    const long = await lines(
      'write_file',
      { path: 'b.txt', content: `${'x'.repeat(9_000)}\nend` },
      { columns: 80, rows: 24 },
    );
    expect(long.join('').length).toBeLessThan(12 * 80);
    expect(long.at(-1)).toContain('cut to a screenful');
    const whole = await lines('write_file', { path: 'b.txt', content: 'a\nb' }, { columns: 0, rows: 0 });
    expect(whole.join('\n')).not.toContain('cut');
  });
});

describe('session show', () => {
  const waiting = async (prompt: string): Promise<string> => {
    const { stderr } = await commandIn(dir, 'run', prompt, '--tools=all');
    return /session resume (session_[\w-]+) --yes/.exec(stderr)![1]!;
  };

  it('shows what a call that waits would do now', async () => {
    const id = await waiting('Use edit_file {"path":"a.txt","oldText":"two","newText":"2"}');
    expect((await commandIn(dir, 'session', 'show', id)).stdout).toContain('      -two\n      +2\n');
    const { stdout } = await commandIn(dir, 'session', 'show', id, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ open: [{ effects: { change: { kind: 'changed', added: 1 } } }] });
    writeFileSync(at('a.txt'), 'another\n');
    expect((await commandIn(dir, 'session', 'show', id)).stdout).toContain('what it would change cannot be shown: ');
  });

  it('has no key of the environment in it', async () => {
    writeFileSync(at('a.txt'), 'key sk-hush-hush\n');
    const id = await waiting('Use delete_file {"path":"a.txt"}');
    const { stdout } = await commandWith({ cwd: dir, env: { OPENAI_API_KEY: 'sk-hush-hush' } }, 'session', 'show', id);
    expect(stdout).toContain('-key [redacted]');
    expect(stdout).not.toContain('sk-hush-hush');
  });
});
