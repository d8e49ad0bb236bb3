/** What a compaction remembers of a run: small, keyed by run, bounded. */
import type { Message } from '@treblehook/types';
import { newestPrompt } from './units.js';

export interface RunState {
  /** Ids of the messages that were the prompt when the run was first seen. */
  readonly promptIds: ReadonlySet<string>;
  /** Failed attempts in a row. */
  failures: number;
  /** A compaction of this run is under way. */
  busy: boolean;
}

/** Runs that are remembered; of more, the one that was seen first goes. Each takes some hundred bytes. */
const most = 4_096;

export class RunStates {
  readonly #byRun = new Map<string, RunState>();

  /** The state of a run; the first sight of it notes its prompt. Of a request without a run nothing is kept. */
  of(runId: string | undefined, messages: readonly Message[]): RunState {
    const known = runId === undefined ? undefined : this.#byRun.get(runId);
    if (known !== undefined) return known;
    const promptIds = new Set<string>();
    for (const message of newestPrompt(messages)) if (message.id !== undefined) promptIds.add(message.id);
    const state: RunState = { promptIds, failures: 0, busy: false };
    if (runId === undefined) return state;
    this.#byRun.set(runId, state);
    if (this.#byRun.size > most) this.#byRun.delete(this.#byRun.keys().next().value as string);
    return state;
  }

  isBusy(runId: string | undefined): boolean {
    return runId !== undefined && this.#byRun.get(runId)?.busy === true;
  }

  get size(): number {
    return this.#byRun.size;
  }
}
