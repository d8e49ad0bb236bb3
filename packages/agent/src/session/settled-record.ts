/** The record of a run that has ended, or waits. */
import { isHookError, ownFields, textOf, type Message, type SessionRecord } from '@treblehook/types';
import type { Ending } from '../run/ending.js';
import type { RunState } from '../run/run-state.js';

/** `before`: the working messages in front of the run, when stages have replaced some of them in it. */
export function settledRecord(run: RunState, ending: Ending, before: readonly Message[] | undefined): SessionRecord {
  const { status, limit, reason, error } = ownFields(ending);
  return {
    type: 'settled',
    runId: run.id,
    status,
    ...(limit === undefined ? {} : { limit }),
    ...(reason === undefined ? {} : { reason }),
    ...(status === 'failed' ? { error: errorOf(error) } : {}),
    ...(before === undefined ? {} : { working: workingOf(run, before) }),
    ...(status === 'pending' ? { usedMs: run.budget.usedMs } : {}),
    ...(status === 'pending' && run.unbegun.size > 0 ? { unbegun: [...run.unbegun] } : {}),
  };
}

/** The messages that the log has stand by their ids, the others whole. */
function workingOf({ original, working }: RunState, before: readonly Message[]): readonly (string | Message)[] {
  const stored = new Map<string | undefined, Message>();
  for (const list of [before, original.list()]) for (const message of list) stored.set(message.id, message);
  return working.list().map((message) => (stored.get(message.id) === message ? message.id! : message));
}

function errorOf(error: unknown): { readonly name: string; readonly message: string; readonly code?: string } {
  return { name: nameOf(error), message: textOf(error), ...(isHookError(error) ? { code: error.code } : {}) };
}

/** Whose error it is decides what its `name` is, and whether asking for it throws. */
function nameOf(error: unknown): string {
  try {
    const name: unknown = error instanceof Error ? error.name : undefined;
    return typeof name === 'string' ? name : 'Error';
  } catch {
    return 'Error'; // what the getter of a foreign error threw is no name
  }
}
