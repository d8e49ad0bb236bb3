/** A run that was left open is given up, by the next one or by a switch: what waits is settled, its calls and children get their ends. */
import { textOf, type SessionRecord } from '@treblehook/types';
import { abandon, tellEnds, type Abandoned, type Teller } from './abandon.js';
import { endChildrenOf } from './end-children.js';
import type { Switched } from './in-force.js';
import type { OpenRun } from './open-run.js';
import type { SessionState } from './session-state.js';

/** `write` makes the records durable; what it rejects with leaves the run open. The ends are to be told yet. */
export async function giveUp(
  state: SessionState,
  left: OpenRun,
  write: (...records: readonly SessionRecord[]) => void | Promise<void>,
): Promise<Pick<Abandoned, 'message' | 'ends'>> {
  const { config, id, log } = state;
  for (const { id: request } of left.requests()) {
    await log.settle({ id: request, ok: false, reason: 'the conversation went on without an answer' });
  }
  const { records, settled, message, ends } = abandon(left, config.ids);
  await write(...records, settled);
  state.open = undefined;
  state.children.clear();
  await endChildrenOf(config, id, left);
  return { message, ends };
}

/** Durable with the switch, all or none: then it is in force, whatever those say who are told. */
export async function giveUpBySwitch(
  state: SessionState,
  left: OpenRun,
  switched: Switched,
  by: Teller,
): Promise<void> {
  const { ends } = await giveUp(state, left, (...records) => state.append(...records, switched));
  await state.reload();
  try {
    await tellEnds(by, left, ends);
  } catch (error) {
    // its handler says that it aborts what is under way: nothing is any more
    process.emitWarning(`toolEnd failed on a call that a switch gave up: ${textOf(error)}`, 'TreblehookWarning');
  }
}
