/** The runs of a log that is audited: one after the other, and whether what a record tells could happen in its run there. */
import { closeClass } from '@treblehook/core';
import type { RecordOf } from './audit-calls.js';

interface Run {
  readonly personality: string;
  /** `waits`: it was suspended, or waits for answers. */
  state: 'goes on' | 'waits' | 'over';
}

export class AuditedRuns {
  readonly #runs = new Map<string, Run>();
  #last: string | undefined;

  begin({ runId, personality }: RecordOf<'run'>): void {
    this.#runs.set(runId, { personality, state: 'goes on' });
    this.#last = runId;
  }

  personalityOf(runId: string): string {
    return this.#runs.get(runId)?.personality ?? '';
  }

  /** Says what is wrong with it. */
  takeUp(runId: string): string | undefined {
    const fault = this.fault(runId, true);
    const run = this.#runs.get(runId);
    if (fault === undefined && run !== undefined) run.state = 'goes on';
    return fault;
  }

  settle({ runId, status }: RecordOf<'settled'>): void {
    const run = this.#runs.get(runId);
    if (run !== undefined) run.state = status === 'pending' ? 'waits' : 'over';
  }

  /** Why it cannot happen in this run, there; `mayWait`: it may in one that waits too, since nothing runs by it. */
  fault(runId: string, mayWait: boolean): string | undefined {
    const run = this.#runs.get(runId);
    if (run === undefined) return `the log has no run '${runId}'`;
    if (run.state === 'over') return `the run '${runId}' is over`;
    if (runId !== this.#last) return `the run '${runId}' is not the one in hand`;
    return run.state === 'waits' && !mayWait ? `the run '${runId}' waits, and nobody has gone on with it` : undefined;
  }
}
closeClass(AuditedRuns);
