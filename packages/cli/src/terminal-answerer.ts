/** The answerer of a terminal: it shows the sealed call and takes an answer, one request after another. */
import { Writable } from 'node:stream';
import type { Answerer } from '@treblehook/agent';
import { approvalOf, type Answer, type Request } from '@treblehook/types';
import { requestLines } from './approval-text.js';
import type { Terminal } from './io.js';
import type { Redactor } from './redact.js';

type Choice = 'no' | 'once' | 'session';
interface Key {
  readonly ctrl?: boolean;
  readonly name?: string;
}

/** What a terminal that does not know its size is taken for. */
const usual = { columns: 80, rows: 24 };
/** The longest time that a timer takes, ms. */
const longestMs = 2 ** 31 - 1;

/** What is shown goes to `output`, without keys of the environment; what is decided is decided on the whole. */
export function terminalAnswerer({ input, interrupt }: Terminal, output: Writable, redact: Redactor): Answerer {
  /** Bodies that run side by side may ask at the same time: each waits for the one in front. */
  let before: Promise<unknown> = Promise.resolve();
  return {
    answer: (request, signal) => {
      const mine = before.then(() => ask(request, signal));
      before = mine.catch(() => {}); // swallows nothing: whoever asked is told by `mine`
      return mine;
    },
  };

  async function ask(request: Request, run: AbortSignal): Promise<Answer> {
    const left = request.expiresAt === undefined ? longestMs : Math.min(request.expiresAt - Date.now(), longestMs);
    if (left <= 0) return { id: request.id, ok: false, reason: 'it has expired' };
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), left);
    // Whoever presses Ctrl-C means the run; Escape only means that they are not sure yet.
    const onKey = (_: unknown, key: Key | undefined): void => {
      if (key?.ctrl === true && key.name === 'c') queueMicrotask(interrupt); // the question is closed first
    };
    input.on('keypress', onKey);
    try {
      return await put(request, AbortSignal.any([run, late.signal]));
    } finally {
      input.off('keypress', onKey);
      clearTimeout(timer);
    }
  }

  async function put(request: Request, signal: AbortSignal): Promise<Answer> {
    const { isCancel, select, text } = await import('@clack/prompts');
    const shown = redact.data(request);
    const streams = { input, output: screenOf(output), signal, accessible: false };
    for (;;) {
      signal.throwIfAborted();
      output.write(
        `\n${requestLines(shown)
          .map((line) => `  ${line}\n`)
          .join('')}`,
      );
      const isCall = approvalOf(request) !== undefined;
      const options: { value: Choice; label: string }[] = [
        // the first one is what a hasty Enter takes
        { value: 'no', label: 'no' },
        { value: 'once', label: isCall ? 'yes, this once' : 'yes' },
        ...(isCall ? [{ value: 'session' as const, label: 'yes, this same call for the rest of the session' }] : []),
      ];
      const choice = await select({ ...streams, message: isCall ? 'Shall it run?' : 'Yes or no?', options });
      if (isCancel(choice)) continue;
      if (choice === 'once') return { id: request.id, ok: true };
      if (choice === 'session') return { id: request.id, ok: true, data: { remember: { for: 'session' } } };
      const reason = await text({ ...streams, message: 'Why not? The model is told (Enter: no reason)' });
      if (isCancel(reason)) continue;
      const said = (reason ?? '').trim();
      return { id: request.id, ok: false, ...(said !== '' && { reason: said }) };
    }
  }
}

type Sized = Writable & { readonly columns?: number; readonly rows?: number };

/** The output with a size that can be drawn on: some terminals say 0, and every letter would get a line of its own. */
function screenOf(output: Sized): Sized {
  const screen = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      output.write(chunk);
      done();
    },
  });
  return Object.defineProperties(screen, {
    columns: { get: () => output.columns || usual.columns },
    rows: { get: () => output.rows || usual.rows },
  });
}
