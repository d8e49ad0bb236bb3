// Owns the running of the command line as a process of its own: the built one, brought up to date first.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Where it runs when nobody says where: what it keeps is kept there. */
const elsewhere = mkdtempSync(join(tmpdir(), 'treblehook-cwd-'));
process.on('exit', () => rmSync(elsewhere, { recursive: true, force: true }));

/** Builds what has changed; nothing when `npm test` has done so. */
export function build(): void {
  for (const step of [['node_modules/typescript/bin/tsc', '-b', 'packages/cli'], ['scripts/bundle.mjs']]) {
    execFileSync(process.execPath, step, { cwd: root, stdio: 'pipe' });
  }
}

export interface Ended {
  /** `null` when a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
export interface Running {
  /** Its `stdout` is there unless `stdout` was given. */
  readonly child: ChildProcess & { readonly stdout: Readable };
  readonly ended: Promise<Ended>;
  /** Resolves when stderr has this text in it. */
  readonly saidOnStderr: (text: string) => Promise<void>;
}

export interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A file to write to in place of the pipe that `stdout` is read from. */
  readonly stdout?: number;
  /** Who runs it. */
  readonly uid?: number;
  /** The folder is deleted under the process before it starts. */
  readonly gone?: boolean;
}

/** Starts `treblehook …` in a folder, with these variables and none of our own that it reads. */
export function start(argv: readonly string[], options: Surroundings = {}): Running {
  const {
    TREBLEHOOK_MODEL: _1,
    TREBLEHOOK_API_KEY: _2,
    OPENAI_API_KEY: _3,
    ANTHROPIC_API_KEY: _4,
    ...inherited
  } = process.env;
  const own = [process.execPath, `${root}packages/cli/dist/bin.js`, ...argv];
  const [file = '', ...args] = options.gone ? ['sh', '-c', 'rmdir "$PWD" && exec "$@"', 'sh', ...own] : own;
  const child = spawn(file, args, {
    cwd: options.cwd ?? elsewhere,
    ...(options.uid !== undefined && { uid: options.uid }),
    env: { ...inherited, NODE_OPTIONS: '', ...options.env },
    stdio: ['ignore', options.stdout ?? 'pipe', 'pipe'],
  });
  const out = { stdout: '', stderr: '' };
  const waiting: { text: string; resolve: () => void }[] = [];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out.stdout += text;
  });
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    out.stderr += text;
    for (const one of waiting) if (out.stderr.includes(one.text)) one.resolve();
  });
  return {
    child: child as Running['child'],
    ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, ...out }))),
    saidOnStderr: (text) =>
      new Promise((resolve) => {
        if (out.stderr.includes(text)) resolve();
        else waiting.push({ text, resolve });
      }),
  };
}

/** What it says beside the line that names the session of the run. */
export const besideSession = (stderr: string): string => stderr.replace(/^treblehook: session .*\n/m, '');

/** Runs it to its end. */
export const treblehook = (argv: readonly string[], options: Parameters<typeof start>[1] = {}): Promise<Ended> =>
  start(argv, options).ended;
