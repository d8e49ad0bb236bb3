/** The log of a task's child: which it is, whether it is that of a call, and what it says was used. */
import { ownFields, type Spent } from '@treblehook/types';
import type { Config } from '../config.js';
import { sumOf } from '../run/budget.js';
import type { GivenTask } from './given-tasks.js';
import { hasBegun, type CallProgress } from './call-progress.js';
import { Replay } from './replay.js';
import { SessionLog } from './session-log.js';

/** The call of `task` that a child is for, as it is sealed. */
export interface TaskCall {
  readonly sessionId: string;
  readonly callId: string;
  /** From 1; a further attempt is another child. */
  readonly attempt: number;
  readonly digest: string;
}

/** Other arguments are another child, wherever they were changed: the same ones find the same child again. */
export const childIdOf = ({ sessionId, callId, attempt, digest }: TaskCall): string =>
  `${sessionId}/${callId}${attempt === 1 ? '' : `.${attempt}`}.${digest.slice(0, 16)}`;

/** `config`: of an agent with the store. */
export async function childLogOf(config: Config, task: TaskCall): Promise<Replay> {
  const id = childIdOf(task);
  const replay = new Replay(id);
  await new SessionLog(config, id).readAll((records) => replay.take(records));
  return replay;
}

/** A log that is empty is nobody's. */
export const isOfCall = ({ parent }: Replay, { sessionId, callId, digest }: TaskCall): boolean =>
  parent?.sessionId === sessionId && parent.callId === callId && parent.digest === digest;

export const taskOf = (sessionId: string, { callId, attempt, seal: { digest } }: GivenTask): TaskCall => ({
  sessionId,
  callId,
  attempt,
  digest,
});

/** The prices by which the model calls of an agent were paid. */
export type PricesOf = (agent: string) => Config['prices'];

/**
 * What the child of a task has used so far, with its own children that count by no record; `undefined`: there is none.
 * `config`: of an agent with the store.
 */
export async function spentByChild(
  config: Config,
  sessionId: string,
  given: GivenTask,
  pricesOf: PricesOf,
): Promise<Spent | undefined> {
  const task = taskOf(sessionId, given);
  const log = await childLogOf(config, task);
  const run = log.open ?? log.ended?.run;
  if (run === undefined || !isOfCall(log, task)) return undefined;
  const { agent } = ownFields(given.seal.args as { readonly agent: string });
  let spent: Spent = run.used(pricesOf(agent));
  const isTaken = (one: CallProgress): boolean => one.outcome === undefined && hasBegun(one);
  const calls = run.batch?.calls.filter(isTaken).length ?? 0;
  spent = sumOf(spent, { calls, tokens: 0, cost: 0 }); // they were taken, and are not over
  for (const one of run.tasks.left()) {
    const more = await spentByChild(config, childIdOf(task), one, pricesOf);
    if (more !== undefined) spent = sumOf(spent, more);
  }
  return spent;
}
