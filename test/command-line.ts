// Owns the running of the command line as a process of its own: the built one, brought up to date first.
import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Compiles what has changed; nothing when `npm test` has done so. */
export function build(): void {
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b', 'packages/cli'], {
    cwd: root,
    stdio: 'pipe',
  });
}

export interface Ended {
  /** `null` when a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
export interface Running {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<Ended>;
  /** Resolves when stderr has this text in it. */
  readonly saidOnStderr: (text: string) => Promise<void>;
}

/** Starts `treblehook …` in a folder, with these variables and none of our own that it reads. */
export function start(argv: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}): Running {
  const {
    TREBLEHOOK_MODEL: _1,
    TREBLEHOOK_API_KEY: _2,
    OPENAI_API_KEY: _3,
    ANTHROPIC_API_KEY: _4,
    ...inherited
  } = process.env;
  const child = spawn(process.execPath, [`${root}packages/cli/dist/bin.js`, ...argv], {
    cwd: options.cwd ?? root,
    env: { ...inherited, NODE_OPTIONS: '', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out = { stdout: '', stderr: '' };
  const waiting: { text: string; resolve: () => void }[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    out.stderr += text;
    for (const one of waiting) if (out.stderr.includes(one.text)) one.resolve();
  });
  return {
    child,
    ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, ...out }))),
    saidOnStderr: (text) =>
      new Promise((resolve) => {
        if (out.stderr.includes(text)) resolve();
        else waiting.push({ text, resolve });
      }),
  };
}

/** Runs it to its end. */
export const treblehook = (argv: readonly string[], options: Parameters<typeof start>[1] = {}): Promise<Ended> =>
  start(argv, options).ended;
