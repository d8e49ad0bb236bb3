// Owns the running of one command line in this process: its exit code, and what it wrote.
import { Writable } from 'node:stream';
import { main, type Io } from '../src/index.js';

export interface Commanded {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where it runs, with which variables, and what interrupts it. */
export type Within = Pick<Io, 'cwd' | 'env'> & Partial<Pick<Io, 'signal'>>;

/** Runs a command in a folder, in an empty environment. */
export const commandIn = (cwd: string, ...argv: string[]): Promise<Commanded> => commandWith({ cwd, env: {} }, ...argv);

const never = new AbortController().signal;

export async function commandWith({ cwd, env, signal = never }: Within, ...argv: string[]): Promise<Commanded> {
  const out = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') =>
    new Writable({
      write: (chunk, _encoding, done) => {
        out[name] += String(chunk);
        done();
      },
    });
  const io: Io = { stdout: into('stdout'), stderr: into('stderr'), env, cwd, signal };
  return { code: await main(argv, io), ...out };
}
