/** What the log tells of the time that a run has used: never more than it was. */
import { closeClass } from '@treblehook/core';
import type { SessionRecord } from '@treblehook/types';
import { taskName } from './given-tasks.js';

/**
 * The time between two records of one process counts, but for that in which an answer may have been awaited, by the run or
 * by a child of it; what is behind the last record of a process that has died is not known, and counts nothing.
 */
export class OwnTime {
  /** ms. */
  used = 0;
  /** Of the last record of the process that has it in hand, ms since the epoch. */
  #last: number | undefined;
  /** Calls, by the requests that nobody has answered. */
  readonly #asked = new Map<string, string>();
  /** Calls whose children may be in hand. */
  readonly #tasks = new Set<string>();

  take(record: SessionRecord, at: number): void {
    if (record.type === 'settled') {
      this.used = record.usedMs ?? this.used;
      this.#last = undefined;
    } else if (record.type === 'run' || record.type === 'resumed') this.#last = at;
    else if (record.type === 'answered') {
      if (this.#last !== undefined) this.#goes(at);
      this.#asked.delete(record.answer.id);
    } else if (isOwn(record) && this.#last !== undefined) {
      this.#goes(at);
      this.#call(record);
    }
  }

  #goes(at: number): void {
    const isBusy = this.#asked.size === 0 && this.#tasks.size === 0;
    if (isBusy) this.used += Math.max(0, at - this.#last!);
    this.#last = at;
  }

  #call(record: SessionRecord): void {
    if (record.type === 'request') this.#asked.set(record.request.id, record.callId);
    else if (record.type === 'started') {
      const { name, source } = record.sealed.tool;
      if (name === taskName && source === 'host') this.#tasks.add(record.callId);
    } else if (record.type === 'outcome' || record.type === 'attempt') {
      this.#tasks.delete(record.callId);
      for (const [id, callId] of this.#asked) if (callId === record.callId) this.#asked.delete(id);
    }
  }
}
closeClass(OwnTime);

/** Written by the process that has the run in hand, and by nobody else. */
const isOwn = ({ type }: SessionRecord): boolean => own.has(type);
const own: ReadonlySet<SessionRecord['type']> = new Set([
  'message',
  'answer',
  'unused',
  'started',
  'attempt',
  'outcome',
  'request',
  'edited',
  'spent',
  'compaction',
]);
