/** What the job stands on: a folder that is gone at its end, and an output that may be read no further. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder, removed when the process ends, however it ends by itself. */
export async function scratchFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'treblehook-main-job-'));
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
  // Whoever read the output is gone: nothing is left to be done.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 141 : 1));
  return dir;
}

export function print(title: string, lines: readonly string[]): void {
  process.stdout.write(`\n\n${title}\n\n${lines.map((line) => `${line}\n`).join('')}`);
}

/** Set off from what stands before it. */
export function printLast(title: string, lines: readonly string[]): void {
  const bar = '='.repeat(title.length);
  print(`${bar}\n${title}\n${bar}`, lines);
}
