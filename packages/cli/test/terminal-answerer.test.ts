// Owns the laws of the terminal's answerer: what is shown is what was sealed, and one question is put after another.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { JsonValue, Request } from '@treblehook/types';
import { describe, expect, it, onTestFinished } from 'vitest';
import { redactor } from '../src/redact.js';
import { terminalAnswerer, type Leaving } from '../src/terminal-answerer.js';
import { builtInTools } from '../src/tools/built-in.js';

const [down, up, enter, escape, interrupt] = ['\u001B[B', '\u001B[A', '\r', '\u001B', '\u0003'];
const [endOfInput, eraseLine] = ['\u0004', '\u0015'];
const why = /Why not\?/;
/** A request, and its choices behind it: those alone are drawn anew at each key. */
const menu = /^ {2}\S[^]*?Enter: confirm/m;

function approval(id: string, args: JsonValue, more: Partial<Request> = {}): Request {
  const tool = { source: 'host', name: 'write_file', digest: 'd' };
  const asks = [{ guard: 'tool-policy', rule: '#1', question: 'may it?' }];
  return { id, kind: 'approval', prompt: 'p', data: { tool, args, digest: 'abcdef0123456789', asks }, ...more };
}

/** Keys that are pressed one after another, each when its text has come on the screen since the last one. */
const terminal = (...keys: readonly Typed[]) => terminalOf({ canWait: true, isResumed: false }, ...keys);

type Typed = readonly [seen: RegExp, keys: string];

function terminalOf(leaving: Leaving, ...keys: readonly Typed[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  const abort = new AbortController();
  const left = [...keys];
  let screen = '';
  let from = 0;
  output.setEncoding('utf8').on('data', (text: string) => {
    screen += stripVTControlCharacters(text);
    const next = left[0];
    const seen = next?.[0].exec(screen.slice(from));
    if (!seen) return;
    from += seen.index + seen[0].length;
    left.shift();
    setImmediate(() => input.write(next![1]));
  });
  const given = { input, interrupt: () => abort.abort(new Error('interrupted')) };
  const { answer } = terminalAnswerer(given, output, redactor({ OPENAI_API_KEY: 'sk-hush-hush' }), leaving);
  return {
    abort,
    input,
    output,
    screen: () => screen,
    answer: async (request: Request) => answer(request, abort.signal),
  };
}

describe('an answer', () => {
  it.each([
    [
      'a hasty Enter is a no',
      [
        [menu, enter],
        [why, enter],
      ],
      { ok: false },
    ],
    [
      'a no has a reason',
      [
        [menu, enter],
        [why, `not mine${enter}`],
      ],
      { ok: false, reason: 'not mine' },
    ],
    ['a yes is for once', [[menu, down + enter]], { ok: true }],
    [
      'a yes for the session is kept',
      [[menu, down + down + enter]],
      { ok: true, data: { remember: { for: 'session' } } },
    ],
    [
      'Escape decides nothing: it is asked again',
      [
        [menu, escape],
        [menu, down + enter],
      ],
      { ok: true },
    ],
  ] as const)('%s', async (_, keys, answer) => {
    const { answer: ask } = terminal(...keys);
    expect(await ask(approval('r1', { path: 'a' }))).toEqual({ id: 'r1', ...answer });
  });

  it('to what is no call is yes or no, and is not kept', async () => {
    // without a store there is no later: yes is the last choice, and stays it
    const { answer, screen } = terminalOf(
      { canWait: false, isResumed: false },
      [menu, down + down + up + enter],
      [why, enter],
    );
    expect(await answer({ id: 'r', kind: 'form', prompt: 'Really?', url: 'http://here' })).toEqual({
      id: 'r',
      ok: false,
    });
    expect(screen()).toContain('Really?');
    expect(screen()).toContain('http://here');
    expect(screen()).not.toContain('session');
  });
});

describe('a key', () => {
  it.each([
    ['a letter moves nothing', 'hjkl'],
    ['above the first choice there is none', up + up],
  ])('%s: Enter is still a no', async (_, keys) => {
    const { answer } = terminal([menu, keys + enter], [why, enter]);
    expect(await answer(approval('r', {}))).toEqual({ id: 'r', ok: false });
  });

  it('that was pressed before the question answers nothing', async () => {
    const { answer, input } = terminal([menu, enter], [why, enter]);
    input.write(down + down + enter);
    const answered = answer(approval('r', {}));
    input.write(`rm -r x${down}${enter}`);
    expect(await answered).toEqual({ id: 'r', ok: false });
  });
});

describe('other arguments', () => {
  const edit = down.repeat(3) + enter;

  it('are typed as JSON, from those of the call, until they can be read', async () => {
    const { answer, screen } = terminal(
      [menu, edit],
      [/The arguments/, `x${enter}`],
      [/it is no JSON/, `${eraseLine}{"path":"b"}${enter}`],
    );
    expect(await answer(approval('r', { path: 'a\u202E' }))).toEqual({
      id: 'r',
      ok: true,
      data: { args: { path: 'b' } },
    });
    expect(screen()).toContain(String.raw`{"path":"a\u202e"}`);
  });

  it('are a plain yes when nothing was typed, whatever a terminal would not show of them', async () => {
    const args = { path: 'a\u202E\u009B\u{E0001}' };
    const { answer } = terminal([menu, edit], [/The arguments/, enter]);
    expect(await answer(approval('r', args))).toEqual({ id: 'r', ok: true });
  });

  it('are asked for until the tool takes them', async () => {
    const { answer, screen } = terminalOf(
      { canWait: true, isResumed: false, tools: builtInTools(tmpdir(), ['write_file']) },
      [menu, edit],
      [/The arguments/, `${eraseLine}{"path":7,"content":"x"}${enter}`],
      [/its tool does not take them: .*path[^]*The arguments/, `${eraseLine}{"path":"b","content":"x"}${enter}`],
    );
    const answered = await answer(approval('r', { path: 'a', content: '' }));
    expect(answered).toEqual({ id: 'r', ok: true, data: { args: { path: 'b', content: 'x' } } });
    expect(screen()).toContain('{"path":7,');
  });

  it('are not offered where some of them are not shown', async () => {
    const { answer, screen } = terminal([menu, down + enter]);
    await answer(approval('r', { text: 'sk-hush-hush' }));
    expect(screen()).not.toContain('with other arguments');
  });
});

describe('what is left', () => {
  it.each([
    ['Ctrl-D', [[menu, endOfInput]], 0],
    [
      'Ctrl-D at the reason',
      [
        [menu, enter],
        [why, endOfInput],
      ],
      0,
    ],
    [
      'later, chosen for each',
      [
        [menu, down.repeat(9) + enter],
        [menu, down.repeat(9) + enter],
      ],
      1,
    ],
  ] as const)('by %s stays open', async (_, keys, others) => {
    const { answer, screen, abort } = terminal(...keys);
    const ends = await Promise.allSettled([answer(approval('a', {})), answer(approval('b', { path: 'behind' }))]);
    expect(ends).toMatchObject([{ reason: { name: 'LeftForLater' } }, { reason: { name: 'LeftForLater' } }]);
    expect([abort.signal.aborted, screen().split('behind').length - 1]).toEqual([false, others]);
  });

  it('stays open when the terminal is gone', async () => {
    const { answer, input } = terminal();
    const asked = answer(approval('a', {}));
    input.end();
    await expect(asked).rejects.toMatchObject({ name: 'LeftForLater' });
    await expect(answer(approval('b', {}))).rejects.toMatchObject({ name: 'LeftForLater' });
  });

  it('is a no where nothing is kept', async () => {
    const { answer, screen } = terminalOf({ canWait: false, isResumed: false }, [menu, endOfInput]);
    expect(await answer(approval('a', {}))).toMatchObject({
      id: 'a',
      ok: false,
      reason: expect.stringContaining('nobody has answered') as string,
    });
    expect(screen()).not.toContain('later');
  });

  it('of a run that is resumed is what Ctrl-C leaves', async () => {
    const { answer, abort } = terminalOf({ canWait: true, isResumed: true }, [menu, interrupt]);
    await expect(answer(approval('a', {}))).rejects.toMatchObject({ name: 'LeftForLater' });
    expect(abort.signal.aborted).toBe(false);
  });
});

describe('what is shown', () => {
  it('is the whole call, and who asks by which rule', async () => {
    const long = 'x'.repeat(5_000);
    const { answer, screen } = terminal([menu, down + enter]);
    await answer(approval('r', { path: 'a', text: long }));
    for (const word of ['write_file (host), digest abcdef012345', long, 'tool-policy, rule #1 asks: may it?']) {
      expect(screen()).toContain(word);
    }
  });

  it('of a yes for the session is what it is for', async () => {
    const { answer, screen } = terminal([menu, down + down + enter]);
    await answer(approval('r', {}));
    expect(screen().replaceAll(/\n│ +/g, '')).toContain('(write_file, digest abcdef012345, for tool-policy, rule #1)');
  });

  it('hides nothing: neither control characters nor letters without width or of another direction', async () => {
    const output: string[] = [];
    const { answer, screen } = terminal([menu, down + enter]);
    await answer(approval('r', { path: 'safe\u001B[2J\u009B1A\u202Etxt.exe\u200B' }));
    output.push(screen());
    for (const shown of ['\\u001b[2J', '\\x9b1A', '\\u{202e}txt.exe', '\\u{200b}']) expect(output[0]).toContain(shown);
    for (const raw of ['\u009B', '\u202E', '\u200B']) expect(output[0]).not.toContain(raw);
  });

  it.each(['3164', 'fe0f', 'e0100', '2800', '115f', '1160', 'ffa0', '034f', '180b', 'e0041', '00a0', '3000', '1d159'])(
    'shows U+%s, which is blank or not seen, by its number, in the arguments, the effects and the line to edit',
    async (code) => {
      const dir = mkdtempSync(join(tmpdir(), 'answerer-'));
      onTestFinished(() => rmSync(dir, { recursive: true }));
      const hidden = String.fromCodePoint(Number.parseInt(code, 16));
      const leaving = { canWait: true, isResumed: false, tools: builtInTools(dir) };
      const { answer, screen } = terminalOf(leaving, [menu, down.repeat(3) + enter], [/The arguments/, enter]);
      const args = { path: 'a', content: `rm${hidden}x` };
      // unchanged, so it is a plain yes: what is typed back is what was there
      expect(await answer(approval('r', args))).toEqual({ id: 'r', ok: true });
      expect(screen()).not.toContain(hidden);
      const shown = `\\u{${code.replace(/^0+/, '')}}`;
      expect(screen()).toContain(`"rm${shown}x"`);
      expect(screen()).toMatch(/\+rm\\u[^ ]*x/);
    },
  );

  it('can be read on a terminal that does not know its size', async () => {
    const { answer, output, screen } = terminal([menu, down + enter]);
    Object.assign(output, { columns: 0, rows: 0 });
    await answer(approval('r', {}));
    expect(screen()).toContain('Shall it run?');
    expect(screen()).toContain('yes, this same call for the rest of the session');
  });

  it.each([
    `python3 -c "import os;u='://';os.system('touch'+chr(32)+'PWNED')#@ok.org"`,
    'curl https://a:b@ok.org',
    'x://$(rm${IFS}-rf${IFS}.)@ok.org',
    'echo ://;rm(){ :; }@x',
    'Authorization: Bearer abcdef0123456789',
    'sk-ant-0123456789abcdef',
    'curl ok.org?api_key=$(rm${IFS}-rf${IFS}.)',
    '[redacted]',
  ])('has whatever the model has written in it, which no pattern takes for a secret: %s', async (shell) => {
    const dir = mkdtempSync(join(tmpdir(), 'answerer-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const leaving = { canWait: true, isResumed: false, tools: builtInTools(dir) };
    const { answer, screen } = terminalOf(leaving, [menu, down + enter]);
    const request = approval('r', { command: { shell } });
    Object.assign(request.data as object, { tool: { source: 'host', name: 'run_command', digest: 'd' } });
    await answer(request);
    expect(screen()).toContain(`"shell": ${JSON.stringify(shell)}`);
    expect(screen()).toMatch(/ it (?:runs|may run more): /);
    if (!shell.includes('[redacted]')) expect(screen()).not.toContain('[redacted]');
  });

  it('of a change has whatever the model has written in it', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'answerer-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const leaving = { canWait: true, isResumed: false, tools: builtInTools(dir) };
    const { answer, screen } = terminalOf(leaving, [menu, down + enter]);
    await answer(approval('r', { path: 'a', content: 'x://eval(evil)@ok.org\n' }));
    expect(screen()).toContain('+x://eval(evil)@ok.org');
  });

  it('has no key of the environment in it', async () => {
    const { answer, screen } = terminal([menu, down + enter]);
    await answer(approval('r', { text: 'sk-hush-hush' }));
    expect(screen()).toContain('[redacted]');
    expect(screen()).not.toContain('sk-hush-hush');
  });
});

describe('questions', () => {
  it('that come at the same time are put one after another, and none is lost', async () => {
    const { answer, screen } = terminal([menu, down + enter], [menu, enter], [why, enter], [menu, down + enter]);
    const all = await Promise.all(['a', 'b', 'c'].map((id) => answer(approval(id, { path: `file ${id}` }))));
    expect(all).toEqual([
      { id: 'a', ok: true },
      { id: 'b', ok: false },
      { id: 'c', ok: true },
    ]);
    const order = ['file a', 'file b', 'file c'].map((text) => screen().indexOf(text));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('are over with Ctrl-C: the run is interrupted, and those behind are not put', async () => {
    const { answer, abort, screen } = terminal([menu, interrupt]);
    const ends = await Promise.allSettled([answer(approval('a', {})), answer(approval('b', { path: 'behind' }))]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(abort.signal.aborted).toBe(true);
    expect(screen()).not.toContain('behind');
  });

  it('that have expired are declined unseen', async () => {
    const { answer, screen } = terminal();
    expect(await answer(approval('a', {}, { expiresAt: Date.now() - 1 }))).toMatchObject({ id: 'a', ok: false });
    expect(screen()).toBe('');
  });

  it('leave no listener behind', async () => {
    const { answer, input } = terminal([menu, down + enter], [menu, down + enter]);
    await answer(approval('a', {}));
    const before = input.listenerCount('keypress');
    await answer(approval('b', {}));
    expect([input.listenerCount('keypress'), before]).toEqual([0, 0]);
  });
});
