#!/usr/bin/env node
/** The process of the command: its folder, signals, streams and the exit code. */
import { isatty } from 'node:tty';
import { exitCodes, oneLine } from './io.js';
import { main } from './main.js';
import { isLeftForLater } from './left-for-later.js';
import { inside, insideWord } from './plugin/inside.js';

const interrupt = new AbortController();
let interrupted = 0;
/** The first reason to stop decides the exit code, also when it comes after the work. */
const stop = (code: number, reason: Error): void => {
  if (interrupted === 0) process.exitCode = interrupted = code;
  interrupt.abort(reason);
};
const say = (line: string): void => void process.stderr.write(`treblehook: ${oneLine(line)}\n`);

for (const [signal, code] of [
  ['SIGINT', exitCodes.interrupted],
  ['SIGTERM', exitCodes.terminated],
] as const) {
  process.on(signal, () => {
    // The second one does not wait for tools that are slow to stop.
    if (interrupt.signal.aborted) process.exit(code);
    stop(code, new Error(`interrupted by ${signal}`));
  });
}
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    const gone = error.code === 'EPIPE';
    // Whoever read the output is gone: nothing is left to be done, and nobody to tell.
    if (!gone && stream === process.stdout && interrupted === 0) say(`the output cannot be written: ${error.message}`);
    stop(gone ? exitCodes.brokenPipe : exitCodes.failed, error);
  });
}

// A question that a person leaves is no fault; all other warnings are told as Node tells them.
const tellers = process.listeners('warning');
process.removeAllListeners('warning');
process.on('warning', (warning) => {
  if (!isLeftForLater(warning)) for (const tell of tellers) tell(warning);
});

function folder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined; // swallows the fault of a folder that was deleted under this process
  }
}

const cwd = folder();
if (cwd === undefined) {
  say('the current folder is not there any more: change to another one');
  process.exitCode = exitCodes.wrongInput;
} else if (process.argv[2] === insideWord) {
  // what a plugin leaves behind keeps no process of ours
  await inside(process.argv[3] ?? '').then(() => process.exit(exitCodes.done));
} else {
  const { stdout, stderr, env } = process;
  // Asked of the descriptor: `process.stdin` would open what nobody may read from.
  const terminal = isatty(0) &&
    stdout.isTTY && {
      input: process.stdin,
      interrupt: () => stop(exitCodes.interrupted, new Error('interrupted by Ctrl-C')),
    };
  const io = { stdout, stderr, env, cwd, signal: interrupt.signal, ...(terminal && { terminal }) };
  const code = await main(process.argv.slice(2), io);
  process.exitCode = interrupted === 0 ? code : interrupted;
}
