// Owns the laws of the terminal's answerer: what is shown is what was sealed, and one question is put after another.
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { JsonValue, Request } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { redactor } from '../src/redact.js';
import { terminalAnswerer } from '../src/terminal-answerer.js';

const [down, enter, escape, interrupt] = ['\u001B[B', '\r', '\u001B', '\u0003'];
const [menu, why] = ['Enter: confirm', 'Why not?'];

function approval(id: string, args: JsonValue, more: Partial<Request> = {}): Request {
  const tool = { source: 'host', name: 'write_file', digest: 'd' };
  const asks = [{ guard: 'tool-policy', rule: '#1', question: 'may it?' }];
  return { id, kind: 'approval', prompt: 'p', data: { tool, args, digest: 'abcdef0123456789', asks }, ...more };
}

/** Keys that are pressed one after another, each when its text has come on the screen since the last one. */
function terminal(...keys: readonly (readonly [seen: string, keys: string])[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  const abort = new AbortController();
  const left = [...keys];
  let screen = '';
  let from = 0;
  output.setEncoding('utf8').on('data', (text: string) => {
    screen += stripVTControlCharacters(text);
    const next = left[0];
    const at = next === undefined ? -1 : screen.indexOf(next[0], from);
    if (at < 0) return;
    from = at + next![0].length;
    left.shift();
    setImmediate(() => input.write(next![1]));
  });
  const given = { input, interrupt: () => abort.abort(new Error('interrupted')) };
  const { answer } = terminalAnswerer(given, output, redactor({ OPENAI_API_KEY: 'sk-hush-hush' }));
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
    const { answer, screen } = terminal([menu, down + down + enter], [why, enter]);
    // behind the last choice the first one comes again
    expect(await answer({ id: 'r', kind: 'form', prompt: 'Really?', url: 'http://here' })).toEqual({
      id: 'r',
      ok: false,
    });
    expect(screen()).toContain('Really?');
    expect(screen()).toContain('http://here');
    expect(screen()).not.toContain('session');
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

  it('hides nothing: neither control characters nor letters without width or of another direction', async () => {
    const output: string[] = [];
    const { answer, screen } = terminal([menu, down + enter]);
    await answer(approval('r', { path: 'safe\u001B[2J\u009B1A\u202Etxt.exe\u200B' }));
    output.push(screen());
    for (const shown of ['\\u001b[2J', '\\x9b1A', '\\u{202e}txt.exe', '\\u{200b}']) expect(output[0]).toContain(shown);
    for (const raw of ['\u009B', '\u202E', '\u200B']) expect(output[0]).not.toContain(raw);
  });

  it('can be read on a terminal that does not know its size', async () => {
    const { answer, output, screen } = terminal([menu, down + enter]);
    Object.assign(output, { columns: 0, rows: 0 });
    await answer(approval('r', {}));
    expect(screen()).toContain('Shall it run?');
    expect(screen()).toContain('yes, this same call for the rest of the session');
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
