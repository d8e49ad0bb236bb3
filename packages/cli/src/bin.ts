#!/usr/bin/env node
/** The process of the command: signals, streams and the exit code. */
import { main } from './main.js';

const interrupt = new AbortController();
let interrupted = 0;
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    interrupted = code;
    // The second one does not wait for tools that are slow to stop.
    if (interrupt.signal.aborted) process.exit(code);
    interrupt.abort(new Error(`interrupted by ${signal}`));
  });
}
for (const stream of [process.stdout, process.stderr]) {
  // Whoever read the output is gone: nothing is left to be done.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    interrupted = error.code === 'EPIPE' ? 141 : 1;
    interrupt.abort(error);
  });
}
const code = await main(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal: interrupt.signal,
});
process.exitCode = interrupted === 0 ? code : interrupted;
