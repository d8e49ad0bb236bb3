/** A regular expression of a model, run in a thread of its own that is ended when it takes too long. */
import { Worker } from 'node:worker_threads';
import { ToolError } from './tool-error.js';

/** One line that matches: its number, from 1, where in it the match begins, and the line. */
export interface Hit {
  readonly line: number;
  readonly at: number;
  readonly text: string;
}

/** Searches the lines of a text; gives at most `max` hits. */
export interface LineSearch {
  readonly search: (text: string, max: number, signal: AbortSignal) => Promise<readonly Hit[]>;
  /** Ends what runs beside this thread. */
  readonly close: () => Promise<void>;
}

/** The body of the thread. It sees no environment and is given texts alone. */
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const pattern = new RegExp(workerData.source, workerData.flags);
parentPort.on('message', ({ text, max }) => {
  const hits = [];
  let line = 0;
  for (let start = 0; start <= text.length && hits.length < max; line++) {
    let end = text.indexOf('\\n', start);
    if (end < 0) end = text.length;
    const one = text.slice(start, text[end - 1] === '\\r' && end > start ? end - 1 : end);
    start = end + 1;
    if (end === text.length && one === '' && line > 0) break;
    const found = pattern.exec(one);
    if (found !== null) hits.push({ line: line + 1, at: found.index, text: one });
  }
  parentPort.postMessage(hits);
});
`;

/** The fault of a pattern in words; `undefined` when it can be compiled. */
export function patternFault(source: string): string | undefined {
  if (source.length > 1_000) return 'a pattern has at most 1000 characters';
  const made = flagsOf(source);
  if (made instanceof Error) return `${made.message}: mend the pattern, or leave 'regex' out to search for a text`;
  return undefined;
}

/** With `u` where it can be: without, a needless escape is no fault. */
function flagsOf(source: string): string | Error {
  for (const flags of ['u', '']) {
    try {
      new RegExp(source, flags);
      return flags;
    } catch (error) {
      if (flags === '') return error as Error;
    }
  }
  return '';
}

/** `maxMs`: what all texts together may take; then `search` throws a `ToolError` of code `limit`. */
export function patternSearch(source: string, ignoreCase: boolean, maxMs: number): LineSearch {
  let left = maxMs;
  const worker = new Worker(program, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: { source, flags: `${String(flagsOf(source))}${ignoreCase ? 'i' : ''}` },
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  worker.unref();
  return {
    search: (text, max, signal) =>
      new Promise((resolve, reject) => {
        const began = performance.now();
        const end = (settle: () => void): void => {
          clearTimeout(timer);
          left -= performance.now() - began;
          signal.removeEventListener('abort', aborted);
          worker.off('message', told).off('error', failed).off('exit', gone);
          settle();
        };
        const told = (hits: readonly Hit[]): void => end(() => resolve(hits));
        const failed = (error: Error): void => end(() => reject(stopped(`it failed (${error.message})`)));
        const gone = (): void => end(() => reject(stopped('its thread has ended')));
        const aborted = (): void => end(() => reject(signal.reason as Error));
        const late = (): void => end(() => reject(stopped(`it took more than ${maxMs} ms`)));
        const timer = setTimeout(late, Math.max(0, left));
        worker.on('message', told).on('error', failed).on('exit', gone);
        signal.addEventListener('abort', aborted);
        if (signal.aborted) return aborted();
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
        worker.postMessage({ text, max });
      }),
    close: async () => void (await worker.terminate()),
  };
}

const stopped = (why: string): ToolError =>
  new ToolError('limit', `the pattern was stopped: ${why}. Write a simpler one, or search for a text`);

/** A text, found as it is. */
export function textSearch(query: string, ignoreCase: boolean): LineSearch {
  const spelled = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const needle = spelled(query);
  return {
    search: async (text, max) => {
      const hits: Hit[] = [];
      for (const [at, line] of text.split('\n').entries()) {
        if (hits.length === max) break;
        const found = spelled(line).indexOf(needle);
        if (found >= 0) hits.push({ line: at + 1, at: found, text: line });
      }
      return hits;
    },
    close: async () => {},
  };
}
