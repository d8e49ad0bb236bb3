/** Real shells in a folder of their own, where each program only writes down that it ran. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Programs that do nothing. */
export const stubs = ['rm', 'ls', 'mv', 'cp', 'dd', 'curl', 'x1', 'x2', 'x3', 'sudo2', '-o'] as const;
/** Programs that write down that they ran and then do what they do. */
const real = [
  'env',
  'xargs',
  'find',
  'nice',
  'timeout',
  'nohup',
  'stdbuf',
  'setsid',
  'cat',
  'sh',
  'bash',
  'dash',
  'tee',
];

export interface StubShell {
  /** The names of the programs that ran, in no order; `undefined` when the shell did not come to an end. */
  run(shell: string, line: string): ReadonlySet<string> | undefined;
  readonly shells: readonly string[];
  remove(): void;
}

export function createStubShell(): StubShell {
  const root = mkdtempSync(join(tmpdir(), 'stub-shell-'));
  const bin = join(root, 'bin');
  const trace = join(root, 'trace');
  const work = join(root, 'work');
  mkdirSync(bin);
  const place = (name: string, rest: string): void => {
    const path = join(bin, name);
    writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' '${name}' >> '${trace}'\n${rest}`);
    chmodSync(path, 0o755);
  };
  for (const name of stubs) place(name, 'exit 0\n');
  for (const name of real) {
    const from = ['/bin', '/usr/bin'].map((folder) => join(folder, name)).find((path) => existsSync(path));
    if (from !== undefined) place(name, `exec '${from}' "$@"\n`);
  }
  return {
    shells: ['/bin/bash', '/bin/dash'].filter((shell) => existsSync(shell)),
    run(shell, line) {
      rmSync(work, { recursive: true, force: true });
      mkdirSync(work);
      writeFileSync(trace, '');
      const done = spawnSync(shell, ['-c', line], {
        cwd: work,
        env: { PATH: bin, HOME: work, FUNCNEST: '20' },
        input: '',
        timeout: 10_000,
        killSignal: 'SIGKILL',
      });
      if (done.error !== undefined) return undefined;
      return new Set(
        readFileSync(trace, 'utf8')
          .split('\n')
          .filter((name) => name !== ''),
      );
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
