/** What the calls of one session show: what was changed last, and which checks have passed behind it. */
import type { JsonValue, ToolCallResult, ToolCallStart, ToolEnd, ToolOutcome } from '@treblehook/types';
import { isCallOf, type Check } from './checks.js';

/** With these nothing was done. */
const idle: ReadonlySet<ToolOutcome> = new Set(['denied', 'not-started', 'suspended']);

interface Standing {
  /** When the last change was over, and by which tool; 0: there was none. */
  changed: { at: number; by: string };
  /** When the call began that passed, and in which run; 0: none has. */
  passed: { from: number; run: string };
}

export class Evidence {
  /** Counts the beginnings and ends of calls: what was first. */
  #now = 0;
  readonly #begun = new Map<string, number>();
  readonly #args = new Map<string, JsonValue>();
  readonly #standings = new Map<Check, Standing>();

  begin({ callId }: Pick<ToolCallStart, 'callId'>): void {
    this.#begun.set(callId, ++this.#now);
  }

  /** A body has answered: these are the arguments that it had. */
  ran({ callId, args }: Pick<ToolCallResult, 'callId' | 'args'>): void {
    this.#args.set(callId, args);
  }

  end({ origin, callId, name, outcome, result, record }: ToolEnd, checks: readonly Check[]): void {
    if (outcome === 'suspended') return; // it goes on, and began when it did
    const from = this.#begun.get(callId) ?? 0;
    const hasRun = this.#args.has(callId);
    const args = this.#args.get(callId);
    this.#begun.delete(callId);
    this.#args.delete(callId);
    const at = ++this.#now;
    for (const check of checks) {
      const standing = this.#of(check);
      if ('tool' in check && check.tool === name && hasRun && isCallOf(check, args)) {
        const isOk = outcome === 'ok' && record.by === undefined && result.output.includes(check.includes ?? '');
        standing.passed = { from: isOk ? from : 0, run: origin.runId };
      } else if (check.after?.includes(name) === true && !idle.has(outcome)) standing.changed = { at, by: name };
    }
  }

  /** A function has said that it is so. `since` is what `now` was before it was asked. */
  pass(check: Check, since: number, runId: string): void {
    this.#of(check).passed = { from: since, run: runId };
  }

  /** A place in time, for what begins now. */
  mark(): number {
    return ++this.#now;
  }

  /** Why the check has to pass yet, or `undefined`. */
  lacks(check: Check, runId: string): string | undefined {
    const { changed, passed } = this.#of(check);
    if (check.after === undefined) return passed.from > 0 && passed.run === runId ? undefined : 'in this run';
    return changed.at === 0 || passed.from > changed.at ? undefined : `since the last call of ${changed.by}`;
  }

  #of(check: Check): Standing {
    let standing = this.#standings.get(check);
    if (standing === undefined) {
      standing = { changed: { at: 0, by: '' }, passed: { from: 0, run: '' } };
      this.#standings.set(check, standing);
    }
    return standing;
  }
}
