/** A child process with all that it starts: signalled together, waited for together. */
import type { ChildProcess } from 'node:child_process';

/** How often it is looked at whether a group is gone, in ms: nothing tells when the last of one ends. */
const lookMs = 20;
/** What a server gets to end by itself once its input has ended, in ms, when the grace is longer. */
const inputMs = 500;

/** Of processes that are started `detached`: each is the first of a group of its own. Windows has no groups. */
export const hasGroups = process.platform !== 'win32';

/** Ends the input, then asks (SIGTERM), then ends (SIGKILL). Resolves when the process and its group are gone. */
export async function endGroup(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.pid === undefined) return;
  child.stdin?.end();
  if (await isGoneWithin(child, Math.min(inputMs, graceMs))) return;
  signal(child, 'SIGTERM');
  if (await isGoneWithin(child, graceMs)) return;
  signal(child, 'SIGKILL');
  await isGoneWithin(child, graceMs + inputMs);
}

function signal(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (hasGroups) process.kill(-child.pid!, name);
    else child.kill(name);
  } catch {
    // swallows ESRCH: it has ended meanwhile
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function isGone(child: ChildProcess): boolean {
  if (!hasEnded(child)) return false;
  if (!hasGroups) return true;
  try {
    process.kill(-child.pid!, 0);
    return false;
  } catch {
    return true; // swallows ESRCH: none of the group is left
  }
}

async function isGoneWithin(child: ChildProcess, ms: number): Promise<boolean> {
  const until = performance.now() + ms;
  while (!isGone(child)) {
    const left = until - performance.now();
    if (left <= 0) return false;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        child.off('exit', wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(left, lookMs));
      child.once('exit', wake);
    });
  }
  return true;
}
