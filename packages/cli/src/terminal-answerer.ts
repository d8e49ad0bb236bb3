/** The answerer of a terminal: one request after another is put to the person, and some are left for later. */
import { Writable } from 'node:stream';
import type { Answerer } from '@treblehook/agent';
import type { Answer, Request, Tool } from '@treblehook/types';
import { usualScreen } from './effects-text.js';
import { effectsOf } from './effects.js';
import type { Terminal } from './io.js';
import { openKeyboard, Stopped } from './keyboard.js';
import { LeftForLater } from './left-for-later.js';
import { argumentsFault } from './tools/arguments-fault.js';
import { putQuestion } from './put-question.js';
import type { Redactor } from './redact.js';

/** What becomes of a question that gets no answer. */
export interface Leaving {
  /** There is a store that it can wait in; without one it is a no. */
  readonly canWait: boolean;
  /** The run waited before: Ctrl-C at a question leaves it so, and does not end it. */
  readonly isResumed: boolean;
  /** Those that are offered: what a call of theirs would do is shown. */
  readonly tools?: readonly Tool[];
}

/** The longest time that a timer takes, ms. */
const longestMs = 2 ** 31 - 1;

/** What is shown goes to `output`, without keys of the environment; what is decided is decided on the whole. */
export function terminalAnswerer(
  { input, interrupt }: Terminal,
  output: Writable,
  redact: Redactor,
  { canWait, isResumed, tools = [] }: Leaving,
): Answerer {
  /** Bodies that run side by side may ask at the same time: each waits for the one in front. */
  let before: Promise<unknown> = Promise.resolve();
  /** Nobody answers any more: Ctrl-D, or the end of the terminal. */
  let isLeft = false;
  return {
    answer: (request, signal) => {
      const mine = before.then(() => ask(request, signal));
      before = mine.catch(() => {}); // swallows nothing: whoever asked is told by `mine`
      return mine;
    },
  };

  async function ask(request: Request, run: AbortSignal): Promise<Answer> {
    if (leftMs(request) <= 0) return { id: request.id, ok: false, reason: 'it has expired' };
    run.throwIfAborted();
    if (isLeft) return leave(request);
    const effects = await effectsOf(request, tools);
    run.throwIfAborted();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), leftMs(request));
    const keyboard = openKeyboard(input);
    try {
      const signal = AbortSignal.any([run, late.signal]);
      const shown = { request: redact.data(request), effects: redact.data(effects) };
      return await putQuestion(request, shown, {
        keyboard,
        output: screenOf(output),
        signal,
        canWait,
        faultOf: (args) => argumentsFault(request, args, tools),
      });
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      return stopped(request, error);
    } finally {
      keyboard.close();
      clearTimeout(timer);
    }
  }

  function stopped(request: Request, { how }: Stopped): Answer {
    if (how === 'interrupt' && !(isResumed && canWait)) {
      queueMicrotask(interrupt); // the question is closed first
      throw new Error('interrupted by Ctrl-C');
    }
    isLeft ||= how !== 'later'; // a choice is of this question, a key of all that come
    return leave(request);
  }

  function leave({ id }: Request): Answer {
    if (canWait) throw new LeftForLater();
    return { id, ok: false, reason: 'nobody has answered, and nothing is kept that it could wait in' };
  }
}

/** How long it can be answered. */
const leftMs = ({ expiresAt }: Request): number =>
  expiresAt === undefined ? longestMs : Math.min(expiresAt - Date.now(), longestMs);

type Sized = Writable & { readonly columns?: number; readonly rows?: number };

/** The output with a size that can be drawn on: some terminals say 0, and every letter would get a line of its own. */
export function screenOf(output: Sized): Sized {
  const screen = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      output.write(chunk);
      done();
    },
  });
  return Object.defineProperties(screen, {
    columns: { get: () => output.columns || usualScreen.columns },
    rows: { get: () => output.rows || usualScreen.rows },
  });
}
