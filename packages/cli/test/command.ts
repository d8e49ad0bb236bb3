// Owns the running of one command line in this process: its exit code, and what it wrote.
import { Writable } from 'node:stream';
import { main, type Io } from '../src/index.js';

export interface Commanded {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in a folder, in an empty environment. */
export const commandIn = (cwd: string, ...argv: string[]): Promise<Commanded> => commandWith({ cwd, env: {} }, ...argv);

export async function commandWith({ cwd, env }: Pick<Io, 'cwd' | 'env'>, ...argv: string[]): Promise<Commanded> {
  const out = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') =>
    new Writable({
      write: (chunk, _encoding, done) => {
        out[name] += String(chunk);
        done();
      },
    });
  const signal = new AbortController().signal;
  const io: Io = { stdout: into('stdout'), stderr: into('stderr'), env, cwd, signal };
  return { code: await main(argv, io), ...out };
}
