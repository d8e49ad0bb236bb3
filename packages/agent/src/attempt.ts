/** One attempt of a model call: the stream is read to its finish, or dropped. */
import {
  HookError,
  type ModelCallOptions,
  type ModelPort,
  type ModelStreamPart,
  type ModelStreamResult,
} from '@treblehook/types';
import { Assembly, faultOf, finishFault, type Answer } from './answer.js';
import type { Ids } from './contract.js';
import type { RegisteredTool } from './registered-tool.js';

export interface AttemptOptions {
  readonly port: ModelPort;
  readonly call: ModelCallOptions;
  readonly resolve: (wireName: string) => RegisteredTool | undefined;
  readonly ids: Ids;
  readonly onDelta: (type: 'text-delta' | 'reasoning-delta', text: string) => void;
}

export class Attempt {
  readonly #options: AttemptOptions;
  #source: Source | undefined;
  #isDropped = false;
  /** Something of the answer has gone to the consumer: another attempt could only be glued to it. */
  hasEmitted = false;

  constructor(options: AttemptOptions) {
    this.#options = options;
  }

  /** Rejects with what the model threw or sent as an error, and with `TH_MODEL_STREAM` for an answer without an end. */
  async read(): Promise<Answer> {
    const { port, call, resolve, ids, onDelta } = this.#options;
    const endpoint = `${port.provider}/${port.modelId}`;
    const assembly = new Assembly(call.includeRawChunks === true);
    const { stream } = await port.doStream(call);
    const source = (this.#source = sourceOf(stream));
    if (this.#isDropped) source.stop();
    for (;;) {
      const { done, value: part } = await source.next();
      if (this.#isDropped) throw new HookError('TH_MODEL_STREAM', { endpoint, what: 'it was dropped' });
      if (done === true || part === undefined) {
        throw new HookError('TH_MODEL_STREAM', { endpoint, what: 'it ended before its answer was finished' });
      }
      if (part.type === 'error') {
        source.stop();
        throw asError(part.error, endpoint);
      }
      if (part.type === 'finish') {
        source.stop();
        const what = finishFault(part);
        if (what !== undefined) throw new HookError('TH_MODEL_STREAM', { endpoint, what });
        const answer = assembly.finish(part, resolve, ids);
        const fault = faultOf(answer, endpoint);
        if (fault !== undefined) throw fault;
        return answer;
      }
      assembly.take(part);
      if ((part.type !== 'text-delta' && part.type !== 'reasoning-delta') || part.delta === '') continue;
      this.hasEmitted = true;
      onDelta(part.type, part.delta);
    }
  }

  /** Nobody waits for it any more: nothing more is read or emitted. */
  drop(): void {
    this.#isDropped = true;
    this.#source?.stop();
  }
}

interface Source {
  readonly next: () => PromiseLike<{
    readonly done?: boolean | undefined;
    readonly value?: ModelStreamPart | undefined;
  }>;
  readonly stop: () => void;
}

/** A reader is preferred: the iterator of a `ReadableStream` costs several times as much per chunk. */
function sourceOf(stream: ModelStreamResult['stream']): Source {
  if ('getReader' in stream && typeof stream.getReader === 'function') {
    const reader = stream.getReader();
    return { next: () => reader.read(), stop: () => void reader.cancel().then(undefined, ignore) };
  }
  const iterator = (stream as AsyncIterable<ModelStreamPart>)[Symbol.asyncIterator]();
  return {
    next: () => iterator.next(),
    stop: () => void iterator.return?.().then(undefined, ignore),
  };
}
/** What a stream says when it is told to stop concerns nobody. */
const ignore = (): void => {};

function asError(error: unknown, endpoint: string): unknown {
  if (error instanceof Error) return error;
  const said = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : error;
  const what = typeof said === 'string' ? said : 'it sent an error';
  return new HookError('TH_MODEL_STREAM', { endpoint, what, cause: error });
}
