// Owns the laws of the lock: never two at once, not even when many find the lock of a dead process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LockError, withLock } from '../lock.mjs';

let dir = '';
let file = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lock-'));
  file = join(dir, 'sub', 'lock');
});
afterEach(() => rmSync(dir, { recursive: true }));

/** A process that takes the lock and notes when it came in and when it went out. */
function contender(log: string) {
  const code = `
    import { appendFileSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    import { withLock } from ${JSON.stringify(new URL('../lock.mjs', import.meta.url).href)};
    await withLock(${JSON.stringify(file)}, async () => {
      appendFileSync(${JSON.stringify(log)}, 'in ' + process.pid + '\\n');
      await sleep(30);
      appendFileSync(${JSON.stringify(log)}, 'out ' + process.pid + '\\n');
    });`;
  return spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** The id of a process that has ended. */
async function deadProcess() {
  const child = spawn(process.execPath, ['--eval', '']);
  await once(child, 'exit');
  return String(child.pid);
}

test('the lock is there during the work and gone after it, after a failure too', async () => {
  await withLock(file, async () => expect(readFileSync(file, 'utf8')).toBe(String(process.pid)));
  expect(existsSync(file)).toBe(false);
  await expect(withLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(existsSync(file)).toBe(false);
});

test('whoever waits is told who holds it, once', async () => {
  const told: string[] = [];
  let free = () => {};
  const first = withLock(file, () => new Promise<void>((done) => (free = done)));
  const second = withLock(
    file,
    async () => 'second',
    (holder) => {
      told.push(holder);
      free();
    },
  );
  await first;
  expect(await second).toBe('second');
  expect(told).toEqual([String(process.pid)]);
});

test('of many processes that find a dead lock, never two are in at once', async () => {
  const log = join(dir, 'log');
  await withLock(file, async () => {});
  writeFileSync(file, await deadProcess());
  const exits = await Promise.all(Array.from({ length: 6 }, () => once(contender(log), 'exit')));
  expect(exits.map(([code]) => code)).toEqual([0, 0, 0, 0, 0, 0]);
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(12);
  for (let at = 0; at < lines.length; at += 2) {
    expect(lines[at + 1]).toBe(lines[at]!.replace('in', 'out'));
  }
});

test('a living process that never lets go is waited for no longer than the limit, and the mend is said', async () => {
  await withLock(file, async () => {});
  writeFileSync(file, String(process.ppid));
  const refused = withLock(file, async () => 'in', undefined, 0);
  await expect(refused).rejects.toThrow(LockError);
  await expect(refused).rejects.toThrow(`process ${process.ppid} has held the lock`);
  await expect(refused).rejects.toThrow(`remove the file ${file}`);
  expect(readFileSync(file, 'utf8')).toBe(String(process.ppid));
});
