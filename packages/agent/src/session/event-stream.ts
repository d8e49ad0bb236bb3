/** The stream of a run: events are pushed by the run and pulled by its consumer. */
import { append, closeClass } from '@treblehook/core';
import type { AgentEvent, AgentStream, RunResult } from '../run/run-told.js';

export interface RunInHand {
  /** Rejects for misuse alone. */
  readonly settled: Promise<RunResult>;
  readonly abort: (reason: unknown) => void;
}

/** Each field its own. */
interface End {
  readonly result: RunResult | undefined;
  readonly fault: { readonly error: unknown } | undefined;
}
type Next = IteratorResult<AgentEvent, RunResult>;
interface Reader {
  readonly resolve: (next: Next) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Starts the run when the first event is asked for. The run does not wait for its consumer; a consumer that breaks off
 * aborts it, and gets its answer when it has settled.
 */
export class EventStream implements AgentStream {
  readonly #start: (emit: (event: AgentEvent) => void) => RunInHand;
  #run: RunInHand | undefined;
  #isClosed = false;
  #events: AgentEvent[] = [];
  #at = 0;
  #end: End | undefined;
  readonly #readers: Reader[] = [];

  constructor(start: (emit: (event: AgentEvent) => void) => RunInHand) {
    this.#start = start;
  }

  next(): Promise<Next> {
    if (this.#isClosed) return Promise.resolve(over(undefined));
    if (this.#run === undefined) this.#begin();
    if (this.#at < this.#events.length) return Promise.resolve(next(this.#take()));
    if (this.#end !== undefined) return this.#finish(this.#end);
    return new Promise((resolve, reject) => {
      append(this.#readers, { resolve, reject });
    });
  }

  async return(): Promise<Next> {
    this.#isClosed = true;
    if (this.#run === undefined || this.#end !== undefined) return over(undefined);
    this.#run.abort(new Error('the consumer broke off the stream'));
    return over(await this.#run.settled);
  }

  async throw(error: unknown): Promise<Next> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  /** Runs to the end with nobody reading. */
  drain(): Promise<RunResult> {
    this.#isClosed = true;
    this.#begin();
    return this.#run!.settled;
  }

  #begin(): void {
    this.#run = this.#start((event) => this.#push(event));
    this.#run.settled.then(
      (result) => this.#close({ result, fault: undefined }),
      (error: unknown) => this.#close({ result: undefined, fault: { error } }),
    );
  }

  #take(): AgentEvent {
    const event = this.#events[this.#at++]!;
    if (this.#at === this.#events.length) {
      this.#events = [];
      this.#at = 0;
    }
    return event;
  }

  #push(event: AgentEvent): void {
    const reader = this.#readers.shift();
    if (reader !== undefined) reader.resolve(next(event));
    else if (!this.#isClosed) append(this.#events, event);
  }

  #close(end: End): void {
    this.#end = end;
    for (const { resolve, reject } of this.#readers.splice(0)) this.#finish(end).then(resolve, reject);
  }

  /** The ending is given once; whoever asks again is told that it is over. */
  #finish({ result, fault }: End): Promise<Next> {
    if (this.#isClosed) return Promise.resolve(over(undefined));
    this.#isClosed = true;
    return fault === undefined ? Promise.resolve(over(result)) : Promise.reject(fault.error);
  }
}

/** A result of the iterator goes through a promise, so it inherits nothing. */
class Step {
  readonly done: boolean;
  readonly value: unknown;

  constructor(done: boolean, value: unknown) {
    this.done = done;
    this.value = value;
  }
}
closeClass(Step);

const next = (event: AgentEvent): Next => new Step(false, event) as Next;
const over = (result: RunResult | undefined): Next => new Step(true, result) as Next;

/** Of a run that could not begin: it rejects where its first event is asked for. */
export const refusedStream = (reason: unknown): AgentStream =>
  new EventStream(() => ({ settled: Promise.reject(reason), abort: () => {} }));
