/** One attempt of a model call: the stream is read to its finish, or dropped. */
import {
  HookError,
  type ModelCallOptions,
  type ModelPort,
  type ModelStreamPart,
  type ModelStreamResult,
  type ModelUsage,
} from '@treblehook/types';
import { Assembly, faultOf, type ModelAnswer, type Block } from './answer.js';
import { closeClass } from '@treblehook/core';
import { assertNoThen, memberOf } from '../run/shared-prototypes.js';
import type { Ids } from '../contract.js';
import type { RegisteredTool } from '../door/registered-tool.js';
import { partFault, saidBy, usageOf } from './stream-part.js';

export interface AttemptOptions {
  readonly port: ModelPort;
  readonly call: ModelCallOptions;
  readonly resolve: (wireName: string) => RegisteredTool | undefined;
  readonly ids: Ids;
  readonly onDelta: (type: 'text-delta' | 'reasoning-delta', text: string) => void;
  /** What a finished block becomes, `undefined` when it is kept back. Its deltas wait for it; absent: they go out at once. */
  readonly gate: ((block: Pick<Block, 'type' | 'text'>) => Promise<string | undefined>) | undefined;
}

export class Attempt {
  readonly #options: AttemptOptions;
  #source: Source | undefined;
  #isDropped = false;
  /** Something of the answer has gone to the consumer: another attempt could only be glued to it. */
  hasEmitted = false;
  /** What the provider has reported, also of an answer that is refused. */
  usage: ModelUsage | undefined;

  constructor(options: AttemptOptions) {
    this.#options = options;
  }

  /** Rejects with what the model threw or sent as an error, and with `TH_MODEL_STREAM` for an answer without an end. */
  async read(): Promise<ModelAnswer> {
    const { port, call, resolve, ids, onDelta, gate } = this.#options;
    const endpoint = `${port.provider}/${port.modelId}`;
    const assembly = new Assembly(call.includeRawChunks === true);
    const answered: Partial<ModelStreamResult> | undefined = await port.doStream(call);
    const source = (this.#source = sourceOf(answered?.stream, endpoint));
    if (this.#isDropped) source.stop();
    for (;;) {
      const next = await source.next();
      if (typeof next !== 'object' || next === null) throw garbage(endpoint, 'its stream gave no part');
      const { done, value: part } = next;
      if (this.#isDropped) throw new HookError('TH_MODEL_STREAM', { endpoint, what: 'it was dropped' });
      if (done === true) {
        throw new HookError('TH_MODEL_STREAM', { endpoint, what: 'it ended before its answer was finished' });
      }
      assertPart(part, source, endpoint);
      if (part.type === 'error') {
        source.stop();
        throw asError(part.error, endpoint);
      }
      if (part.type === 'finish') {
        source.stop();
        this.usage = usageOf(part.usage);
        if (gate !== undefined) await this.#pass(assembly, gate, true);
        assertNoThen();
        const answer = assembly.finish(part, resolve, ids);
        const fault = faultOf(answer, endpoint);
        if (fault !== undefined) throw fault;
        return answer;
      }
      assembly.take(part);
      if (gate !== undefined) {
        if (part.type === 'text-end' || part.type === 'reasoning-end') await this.#pass(assembly, gate, false);
        continue;
      }
      if ((part.type !== 'text-delta' && part.type !== 'reasoning-delta') || part.delta === '') continue;
      this.hasEmitted = true;
      onDelta(part.type, part.delta);
    }
  }

  async #pass(assembly: Assembly, gate: NonNullable<AttemptOptions['gate']>, isAtEnd: boolean): Promise<void> {
    for (const block of assembly.unpassed(isAtEnd)) {
      const text = block.text === '' ? '' : await gate(block);
      if (this.#isDropped) return;
      assembly.pass(block, text);
      if (text === undefined || text === '') continue;
      this.hasEmitted = true;
      this.#options.onDelta(`${block.type}-delta`, text);
    }
  }

  /** Nobody waits for it any more: nothing more is read or emitted. */
  drop(): void {
    this.#isDropped = true;
    this.#source?.stop();
  }
}

closeClass(Attempt);

interface Source {
  readonly next: () => PromiseLike<Next | undefined>;
  readonly stop: () => void;
}

interface Next {
  readonly done?: boolean | undefined;
  readonly value?: ModelStreamPart | undefined;
}

const garbage = (endpoint: string, what: string): HookError => new HookError('TH_MODEL_STREAM', { endpoint, what });

function assertPart(part: unknown, source: Source, endpoint: string): asserts part is ModelStreamPart {
  const what = partFault(part);
  if (what === undefined) return;
  source.stop();
  throw garbage(endpoint, what);
}

/** A reader is preferred: the iterator of a `ReadableStream` costs several times as much per chunk. */
function sourceOf(stream: ModelStreamResult['stream'] | undefined, endpoint: string): Source {
  if (typeof stream !== 'object' || stream === null) throw garbage(endpoint, 'it gave no stream');
  const getReader = memberOf(stream, 'getReader');
  if (typeof getReader === 'function') {
    const reader = Reflect.apply(getReader, stream, []) as ReadableStreamDefaultReader<ModelStreamPart>;
    return { next: () => reader.read(), stop: () => quietly(() => reader.cancel()) };
  }
  const open = (stream as Partial<AsyncIterable<ModelStreamPart>>)[Symbol.asyncIterator];
  if (typeof open !== 'function') throw garbage(endpoint, 'what it gave is no stream');
  const iterator: Partial<AsyncIterator<ModelStreamPart>> | null = open.call(stream as AsyncIterable<ModelStreamPart>);
  if (typeof iterator?.next !== 'function') throw garbage(endpoint, 'the iterator of its stream is none');
  return { next: () => iterator.next!(), stop: () => quietly(() => iterator.return?.()) };
}

/** What a stream says when it is told to stop concerns nobody, whether it throws, rejects or gives no promise. */
function quietly(stop: () => unknown): void {
  try {
    Promise.resolve(stop()).then(undefined, ignore);
  } catch {
    // swallows a stream that cannot be stopped: its answer stands
  }
}
const ignore = (): void => {};

function asError(error: unknown, endpoint: string): unknown {
  if (error instanceof Error) return error;
  return new HookError('TH_MODEL_STREAM', { endpoint, ...saidBy(error), cause: error });
}
