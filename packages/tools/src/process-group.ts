/** A program in a process group of its own, of which nothing is left when its call is over. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { ToolError } from './tool-error.js';

export interface Command {
  /** A program and its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** Between the request to end and the end by force, in ms. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Buffer) => void;
}

export interface Ended {
  /** `null`: it was ended by `signal`. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  /** Something of the group went on behind the program's own end, and was ended. */
  readonly leftOver: boolean;
  /** Something that has left the group still holds the output: it cannot be ended from here. */
  readonly escaped: boolean;
}

/** How often a group is looked at while it is waited for, in ms. */
const lookEveryMs = 15;

/** Runs a command to its end, or to that of its time. Rejects with the abort's reason, or a `ToolError` of code `spawn`. */
export async function runGroup(command: Command): Promise<Ended> {
  const { signal, timeoutMs, graceMs, onOutput } = command;
  signal.throwIfAborted();
  const child = await started(command);
  const group = new Group(child.pid!);
  const streams = [child.stdout!, child.stderr!];
  for (const stream of streams) {
    stream.on('data', onOutput);
    stream.on('error', () => {}); // swallows the fault of a pipe that is given up
  }
  const over = new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once('exit', (code, by) => resolve([code, by]));
  });
  const closed = Promise.all(streams.map(ended));
  let timedOut = false;
  const end = (): void => void group.end(graceMs);
  const late = setTimeout(() => {
    timedOut = true;
    end();
  }, timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end(); // while it was started
  try {
    const [code, by] = await over;
    // what the program has said is still in the pipes; a child of it that holds them is not waited for
    const isQuiet = await within(closed, graceMs);
    const leftOver = await group.end(graceMs);
    const escaped = !isQuiet && !(await within(closed, graceMs));
    signal.throwIfAborted();
    return { code, signal: by, timedOut, leftOver, escaped };
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', end);
    for (const stream of streams) stream.destroy();
    group.forget();
  }
}

async function started({ argv: [program = '', ...rest], cwd, env }: Command): Promise<ChildProcess> {
  const detached = process.platform !== 'win32';
  let child: ChildProcess | undefined;
  try {
    const made = spawn(program, rest, { cwd, env, detached, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    child = made;
    await new Promise<void>((resolve, reject) => made.once('spawn', resolve).once('error', reject));
    made.on('error', () => {}); // swallows a signal that could not be sent: the group is looked at
    return made;
  } catch (error) {
    child?.stdout?.destroy();
    child?.stderr?.destroy();
    throw spawnFault(program, error as NodeJS.ErrnoException);
  }
}

function spawnFault(program: string, { code, message }: NodeJS.ErrnoException): ToolError {
  const name = `'${program}'`;
  if (code === 'ENOENT') return new ToolError('spawn', `there is no program ${name}: check its name, or give its path`);
  if (code === 'EACCES')
    return new ToolError('spawn', `${name} may not be run: it is no program, or its mode forbids it`);
  if (code === 'E2BIG') return new ToolError('spawn', `the arguments of ${name} are too long: put them into a file`);
  return new ToolError('spawn', `${name} could not be started (${code ?? message})`);
}

/** The groups that are alive: when this process ends by itself, they end with it. */
const alive = new Set<Group>();
const endAll = (): void => {
  for (const group of alive) group.kill('SIGKILL');
};

class Group {
  readonly #pid: number;
  #ending: Promise<boolean> | undefined;

  constructor(pid: number) {
    this.#pid = pid;
    if (alive.size === 0) process.once('exit', endAll);
    alive.add(this);
  }

  /** Asks all of it to end, and ends it by force when it has not by then. True when there was something to end. */
  end(graceMs: number): Promise<boolean> {
    return (this.#ending ??= this.#end(graceMs).finally(() => (this.#ending = undefined)));
  }

  async #end(graceMs: number): Promise<boolean> {
    if (!this.kill('SIGTERM')) return false;
    const until = performance.now() + graceMs;
    while (performance.now() < until) {
      await pause(lookEveryMs);
      if (!this.kill(0)) return true;
    }
    this.kill('SIGKILL');
    return true;
  }

  /** False when nobody is left to get the signal. */
  kill(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(process.platform === 'win32' ? this.#pid : -this.#pid, signal);
    } catch {
      return false; // swallows "no such process", and one of another user, which cannot be ended
    }
  }

  forget(): void {
    alive.delete(this);
    if (alive.size === 0) process.removeListener('exit', endAll);
  }
}

const ended = (stream: Readable): Promise<void> => new Promise((resolve) => void stream.once('close', resolve));
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Whether it was done in that time; leaves no timer. */
async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
