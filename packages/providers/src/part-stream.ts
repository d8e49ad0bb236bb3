/** The parts of one answer as an async iterator: it ends with `finish`, or it throws. */
import type { HookError, ModelStreamPart, ModelUsage, ReadableLike } from '@treblehook/types';
import { brokenOff, ownFault, type Call } from './call.js';
import { cutFault, streamFault } from './stream-fault.js';

type Part = ModelStreamPart;
type Read = IteratorResult<Part, undefined>;
const over: Read = { done: true, value: undefined };

/**
 * Reads a stream of a provider package. A tool call whose arguments were cut is never handed out: calls are held until
 * the part behind them has come. What comes behind `finish` changes nothing. Breaking off closes the connection.
 */
export class PartStream implements AsyncIterableIterator<Part, undefined> {
  readonly #reader: ReturnType<ReadableLike<Part>['getReader']>;
  readonly #call: Call;
  readonly #usage: (usage: ModelUsage) => ModelUsage;
  /** Calls, and the input events among them, that wait for the part behind them. */
  #held: Part[] = [];
  #ready: Part[] = [];
  #over = false;

  constructor(stream: ReadableLike<Part>, call: Call, usage: (usage: ModelUsage) => ModelUsage) {
    this.#reader = stream.getReader();
    this.#call = call;
    this.#usage = usage;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Read> {
    if (this.#over) return over;
    if (this.#call.aborted) throw this.#fail(this.#call.reason);
    for (let value = this.#ready.shift(); ; value = this.#ready.shift()) {
      if (value !== undefined) {
        if (value.type === 'finish') this.#finish();
        return { done: false, value };
      }
      try {
        const read = await this.#call.wait(this.#reader.read());
        if (read.done || read.value === undefined) throw cutFault(this.#call);
        this.#take(read.value);
      } catch (error) {
        if (error === brokenOff && this.#over) return over;
        throw this.#fail(this.#faultOf(error));
      }
    }
  }

  return(): Promise<Read> {
    this.#close();
    return Promise.resolve(over);
  }

  #take(part: Part): void {
    switch (part.type) {
      case 'error':
        throw streamFault(this.#call, part.error);
      case 'tool-call':
        this.#held.push(part.input.trim() === '' ? { ...part, input: '{}' } : part);
        return;
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
        (this.#held.length > 0 ? this.#held : this.#ready).push(part);
        return;
      case 'finish':
        // each dialect names a reason; a package that was not told one makes one up
        if (part.finishReason.raw === undefined) throw cutFault(this.#call);
        this.#ready.push(...this.#held, { ...part, usage: this.#usage(part.usage) });
        this.#held = [];
        return;
      default:
        this.#ready.push(...this.#held, part);
        this.#held = [];
    }
  }

  #faultOf(error: unknown): unknown {
    if (this.#call.aborted) return this.#call.reason;
    return ownFault(error) ?? streamFault(this.#call, error);
  }

  #fail(error: unknown): HookError {
    this.#close();
    return error as HookError;
  }

  /** The rest is read to its end, so that the connection can serve the next call. */
  #finish(): void {
    this.#over = true;
    this.#call.unlink();
    const drain = (): Promise<void> =>
      this.#reader.read().then(
        ({ done }) => (done ? undefined : drain()),
        () => undefined, // swallows what breaks behind a finished answer
      );
    void drain();
  }

  #close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#call.end();
    this.#reader.cancel(brokenOff).catch(() => {}); // swallows that the stream has failed already
  }
}
