/** The keys of a terminal while a question stands: what was typed before it is dropped, and what decides is few. */
import { emitKeypressEvents } from 'node:readline';
import { PassThrough, type Readable } from 'node:stream';
import type { Terminal } from './io.js';

/** As `node:readline` reads it. `sequence` is what the terminal has sent. */
export interface Key {
  readonly ctrl?: boolean;
  readonly name?: string | undefined;
  readonly sequence?: string;
}

/**
 * Why a question has ended without an answer. Escape: `again`. Chosen: `later`. Ctrl-D, and nobody is at the terminal any
 * more: `end`. Ctrl-C: `interrupt`.
 */
export class Stopped extends Error {
  constructor(readonly how: 'again' | 'later' | 'end' | 'interrupt') {
    super(`the question was stopped: ${how}`);
  }
}

/** What a prompt reads, and what ends it. */
export interface PromptInput {
  readonly input: Readable;
  readonly signal: AbortSignal;
}

export interface Keyboard {
  /** Drops what was typed ahead: resolves when nothing has come for a while. */
  readonly quiet: (signal: AbortSignal) => Promise<void>;
  /**
   * Gives a prompt the keys that `passes` gives for those that are pressed; `undefined` drops one. Rejects with `Stopped`,
   * and with the reason of the signal.
   */
  readonly put: <T>(
    prompt: (from: PromptInput) => Promise<T>,
    passes: (key: Key) => string | undefined,
    signal: AbortSignal,
  ) => Promise<T>;
  /** Leaves the terminal as it was. */
  readonly close: () => void;
}

/** How long nothing has to come, ms: shorter than a person takes between two keys that they mean. */
const quietMs = 150;
const ends = ['end', 'close', 'error'] as const;

/** Takes the terminal until it is closed. */
export function openKeyboard(input: Terminal['input']): Keyboard {
  const isGone = (): boolean => input.readableEnded || input.destroyed;
  let heed: (key: Key) => void = () => {};
  let leave = (): void => {};
  const onKey = (_: unknown, key: Key | undefined): void => heed(key ?? {});
  const onEnd = (): void => leave();
  emitKeypressEvents(input);
  input.on('keypress', onKey);
  for (const end of ends) input.on(end, onEnd);
  input.setRawMode?.(true); // before it is read: a line that was not ended is typed ahead too
  input.resume();

  /** Until `work` is done, the keys are its own; what stops it is the reason of the signal that it gets. */
  async function during<T>(
    signal: AbortSignal,
    work: (stopped: AbortSignal, take: (take: (key: Key) => void) => void) => Promise<T>,
    heeds: readonly Stopped['how'][],
  ): Promise<T> {
    const stop = new AbortController();
    const end = (how: Stopped['how']): void => {
      if (heeds.includes(how)) stop.abort(new Stopped(how));
    };
    const onAbort = (): void => stop.abort(signal.reason);
    signal.throwIfAborted();
    if (isGone()) throw new Stopped('end');
    signal.addEventListener('abort', onAbort, { once: true });
    leave = () => stop.abort(new Stopped('end'));
    try {
      return await work(stop.signal, (take) => {
        heed = (key) => {
          const how = stopOf(key);
          if (how === undefined) take(key);
          else end(how);
        };
      });
    } catch (error) {
      stop.signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      heed = () => {};
      leave = () => {};
    }
  }

  return {
    quiet: (signal) =>
      during(
        signal,
        (stopped, take) =>
          new Promise<void>((resolve, reject) => {
            const timer = setTimeout(resolve, quietMs);
            take(() => timer.refresh());
            stopped.addEventListener('abort', () => {
              clearTimeout(timer);
              reject(stopped.reason as Error);
            });
          }),
        ['interrupt'],
      ),
    put: (prompt, passes, signal) =>
      during(
        signal,
        async (stopped, take) => {
          const passed = new PassThrough();
          take((key) => {
            const text = passes(key);
            if (text !== undefined) passed.write(text);
          });
          const value = await prompt({ input: passed, signal: stopped });
          stopped.throwIfAborted();
          return value;
        },
        ['again', 'end', 'interrupt'],
      ),
    close: () => {
      input.off('keypress', onKey);
      for (const end of ends) input.off(end, onEnd);
      input.setRawMode?.(false);
      input.pause();
    },
  };
}

function stopOf({ ctrl, name }: Key): Stopped['how'] | undefined {
  if (ctrl === true && name === 'c') return 'interrupt';
  if (ctrl === true && name === 'd') return 'end';
  return name === 'escape' ? 'again' : undefined;
}

/** For a list of so many: the arrows, as far as there is one more, and Enter. No letter chooses. */
export function arrowsOf(count: number): (key: Key) => string | undefined {
  let at = 0;
  return ({ name, sequence }) => {
    const to = name === 'up' ? at - 1 : name === 'down' ? at + 1 : at;
    const isMove = to !== at && to >= 0 && to < count;
    at = isMove ? to : at;
    return isMove || name === 'return' ? sequence : undefined;
  };
}

/** For a line: all that is typed. A line break that was pasted is a space; a stop of the process would leave the terminal raw. */
export function lineOf({ ctrl, name, sequence }: Key): string | undefined {
  if (name === 'enter') return ' ';
  return ctrl === true && name === 'z' ? undefined : sequence;
}
