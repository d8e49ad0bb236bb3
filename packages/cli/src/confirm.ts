/** One question with yes and no, put to the person at the terminal. */
import type { Writable } from 'node:stream';
import { arrowsOf, openKeyboard, Stopped } from './keyboard.js';
import type { Io, Terminal } from './io.js';
import { screenOf } from './terminal-answerer.js';

/** What it would do is written before. No is the first choice; Escape, Ctrl-D and the end of the terminal are a no. */
export async function confirm(
  { input, interrupt }: Terminal,
  io: Pick<Io, 'stdout' | 'signal'>,
  message: string,
): Promise<boolean> {
  const { select } = await import('@clack/prompts');
  const output: Writable = screenOf(io.stdout);
  const options = [
    { value: false, label: 'no' },
    { value: true, label: 'yes' },
  ];
  const keyboard = openKeyboard(input);
  try {
    await keyboard.quiet(io.signal);
    const choice = await keyboard.put(
      (from) => select({ ...from, output, message, options, accessible: false }),
      arrowsOf(options.length),
      io.signal,
    );
    return choice === true;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    if (error.how !== 'interrupt') return false;
    queueMicrotask(interrupt);
    throw new Error('interrupted by Ctrl-C', { cause: error });
  } finally {
    keyboard.close();
  }
}
