// Owns how a test runs an example: as its reader would, from the sources.
import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

export const examples = join(import.meta.dirname, '..');
const root = join(examples, '..');

const argumentsOf = (name: string, words: readonly string[]): string[] => [
  '--import',
  'tsx',
  join('examples', name, 'main.ts'),
  ...words,
];
const optionsIn = (temp: string) => ({
  cwd: root,
  env: {
    ...process.env,
    NODE_OPTIONS: '',
    FORCE_COLOR: '0',
    TSX_TSCONFIG_PATH: join(root, 'tsconfig.json'),
    TMPDIR: temp,
    TEMP: temp,
  },
});

/** What it prints. Fails when it warns of anything, or ends by anything but itself. */
export async function runExample(name: string, words: readonly string[] = [], temp = tmpdir()): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, argumentsOf(name, words), optionsIn(temp));
  expect(stderr).toBe('');
  return stdout;
}

/** It is in hand: for a program that is talked to. */
export const startExample = (name: string, words: readonly string[] = []): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, argumentsOf(name, words), optionsIn(tmpdir()));
