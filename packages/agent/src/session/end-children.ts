/** Children that nobody goes on with any more: the run that gave their tasks is over, and each gets an end in its own log. */
import type { Config } from '../config.js';
import { abandon } from './abandon.js';
import { childIdOf, isOfCall, taskOf, type TaskCall } from './child-log.js';
import type { OpenRun } from './open-run.js';
import { Replay } from './replay.js';
import type { Holder } from './session-lease.js';
import { SessionLog } from './session-log.js';

/** Those of a run of which only the log knows; the others as `endChildren`. */
export const endChildrenOf = (config: Config, sessionId: string, { tasks }: OpenRun): Promise<void> =>
  endChildren(
    config,
    tasks.all().map((given) => taskOf(sessionId, given)),
  );

/** Those of a run that is over, their own children included. `config`: of an agent with the store. */
export async function endChildren(config: Config, tasks: Iterable<TaskCall>): Promise<void> {
  for (const task of tasks) {
    try {
      await endChild(config, task);
    } catch {
      // swallows what keeps a child open, such as who holds it, or a log that cannot be read: its parent is over all the same
    }
  }
}

/** Nothing is written to the log of a child that is over, or that another call has begun. */
async function endChild(config: Config, task: TaskCall): Promise<void> {
  const id = childIdOf(task);
  const log = new SessionLog({ ...config, lockWaitMs: 0 }, id); // who holds it goes on with it: nobody waits for that
  if ((await openOf(log, task)) === undefined) return;
  await log.enter(holder(task));
  try {
    const open = await openOf(log, task); // somebody may have gone on with it before
    if (open === undefined) return;
    const { records, settled } = abandon(open, config.ids);
    await log.append(...records, settled);
    await endChildrenOf(config, id, open);
  } finally {
    await log.leave();
  }
}

async function openOf(log: SessionLog, task: TaskCall): Promise<OpenRun | undefined> {
  const replay = new Replay(childIdOf(task));
  await log.readAll((records) => replay.take(records));
  return isOfCall(replay, task) ? replay.open : undefined;
}

/** It writes once: a lease that is lost meanwhile refuses that. */
const holder = ({ sessionId }: TaskCall): Holder => ({
  id: `the end of '${sessionId}'`,
  pause: () => Promise.resolve(),
  wait: (turn) => turn,
  fail: () => {},
});
