/** The log of a task's child: which it is, whether it is that of a call, and what it says was used. */
import { ownFields, type LoggedSeal, type Spent } from '@treblehook/types';
import type { Config } from '../config.js';
import { sumOf } from '../run/budget.js';
import { hasBegun, type CallProgress } from '../session/open-run.js';
import { Replay } from '../session/replay.js';
import { SessionLog } from '../session/session-log.js';

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

/** As it was sealed when its body started, or asked about; `undefined`: its body has not begun. */
export function sealOf({ started, requests }: CallProgress): LoggedSeal | undefined {
  return started ?? requests.at(-1)?.sealed;
}

/**
 * What the child of an open call has used so far, its own children included that are open too; `undefined`: there is none.
 * `agentOf` knows the agents by name, for their prices.
 */
export async function spentByChild(
  config: Config,
  sessionId: string,
  progress: CallProgress,
  agentOf: (name: string) => Config | undefined,
): Promise<Spent | undefined> {
  const seal = sealOf(progress);
  if (seal === undefined) return undefined;
  const { callId } = progress.call;
  const task = { sessionId, callId, attempt: (progress.earlier?.attempt ?? 0) + 1, digest: seal.digest };
  const log = await childLogOf(config, task);
  const run = log.open ?? log.ended?.run;
  if (run === undefined || !isOfCall(log, task)) return undefined;
  const agent = agentOf(ownFields(seal.args as { readonly agent: string }).agent);
  let spent: Spent = run.used(agent?.prices ?? {});
  for (const one of run.batch?.calls ?? []) {
    if (one.outcome !== undefined || !hasBegun(one)) continue;
    spent = sumOf(spent, { calls: 1, tokens: 0, cost: 0 }); // it was taken, and is not over
    if (one.call.name !== seal.tool.name) continue;
    const more = await spentByChild(config, childIdOf(task), one, agentOf);
    if (more !== undefined) spent = sumOf(spent, more);
  }
  return spent;
}
