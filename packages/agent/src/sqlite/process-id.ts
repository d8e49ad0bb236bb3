/** Who a process is, so that another one on this machine can tell whether it still lives. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * The machine since it was started, and the space in which process numbers are unique: two containers may share a name.
 * Without `/proc` the name alone.
 */
export function machineId(): string {
  const parts = [hostname()];
  try {
    parts.push(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), readlinkSync('/proc/self/ns/pid'));
  } catch {
    // swallows the lack of `/proc`
  }
  return parts.join(' ');
}

/** Whether a process of this machine still runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'; // EPERM: it runs, for somebody else
  }
}
