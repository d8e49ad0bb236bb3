// Owns a lock between processes: one file that holds the process id of the holder; a dead holder's lock is taken over.
import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long, in ms, a lock may stand without an owner's name before it counts as left behind. */
const graceMs = 10_000;
/** How long, in ms, to wait for a holder: an install and a build take less; a foreign process that got a dead holder's id never ends. */
const patienceMs = 300_000;

/**
 * Runs `work` while no other process that asks for the same file runs its own.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {(holder: string) => void} [waiting]  called once when another process holds the lock
 * @param {number} [limitMs]  how long to wait for it
 * @returns {Promise<T>} rejects with `LockError` when the limit is over
 */
export async function withLock(file, work, waiting, limitMs = patienceMs) {
  mkdirSync(dirname(file), { recursive: true });
  const end = performance.now() + limitMs;
  for (let told = false; !take(file);) {
    const holder = read(file);
    if (holder !== undefined && !isHeld(file, holder)) breakLock(file, holder);
    else if (holder !== undefined && !told) {
      waiting?.(holder);
      told = true;
    }
    if (performance.now() > end) throw new LockError(file, holder ?? 'unknown', limitMs);
    await sleep(50);
  }
  const release = () => rmSync(file, { force: true });
  process.on('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

/** The wait was in vain; the message says how to mend it. */
export class LockError extends Error {
  /**
   * @param {string} file
   * @param {string} holder
   * @param {number} limitMs
   */
  constructor(file, holder, limitMs) {
    super(
      `process ${holder} has held the lock for more than ${Math.round(limitMs / 1000)} s; ` +
        `if it is no install or build of this repository, remove the file ${file} and start again`,
    );
  }
}

/** @param {string} file */
function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined; // released between the two looks
    throw error;
  }
}

/**
 * @param {string} file
 * @param {string} holder
 */
function isHeld(file, holder) {
  if (!/^\d+$/.test(holder)) return isYoung(file); // made, its name not yet written
  try {
    process.kill(Number(holder), 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * Removes the lock of a dead holder. Only one process at a time may do so, and only if the lock is still that holder's:
 * else a slow breaker would remove the lock of a fast one.
 * @param {string} file
 * @param {string} holder
 */
function breakLock(file, holder) {
  const guard = `${file}.breaking`;
  try {
    mkdirSync(guard);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (!isYoung(guard)) rmdirSync(guard);
    return;
  }
  try {
    if (read(file) === holder) rmSync(file, { force: true });
  } finally {
    rmdirSync(guard);
  }
}

/** @param {string} path */
function isYoung(path) {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) < graceMs;
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
