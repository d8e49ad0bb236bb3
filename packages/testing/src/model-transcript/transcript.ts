/** The calls of a model as plain JSON that can be committed: taken down once, played back in each test. */
import {
  HookError,
  textOf,
  type JsonValue,
  type ModelCallOptions,
  type ModelPort,
  type ModelStreamPart,
  type ModelStreamResult,
} from '@treblehook/types';
import { differences } from './difference.js';
import { CallIds, plain, plainRequest, revived } from './plain.js';

export interface TranscribedCall {
  /** Without its headers and its signal; ids of tool calls are `call-1`, `call-2` … */
  readonly request: JsonValue;
  /** The parts of the answer, as far as they came. */
  readonly parts: readonly JsonValue[];
  /** With what the call rejected, or its stream broke. */
  readonly error?: { readonly message: string; readonly statusCode?: number };
}

export interface ModelTranscript {
  readonly version: 1;
  readonly provider: string;
  readonly modelId: string;
  readonly specificationVersion?: string;
  readonly calls: readonly TranscribedCall[];
}

export interface RecordedModel extends ModelPort {
  /** What was said until now. It holds what the prompts hold: look at it before it is committed. */
  readonly transcript: () => ModelTranscript;
}

/** A model in front of another one, which takes down what is said. Give it to the host or agent as its model. */
export function recordTranscript(model: ModelPort): RecordedModel {
  const ids = new CallIds();
  const calls: { request: JsonValue; parts: JsonValue[]; error?: NonNullable<TranscribedCall['error']> }[] = [];
  const { provider, modelId, specificationVersion } = model;
  const spelling = specificationVersion === undefined ? {} : { specificationVersion };
  return Object.freeze({
    provider,
    modelId,
    ...spelling,
    async doStream(options: ModelCallOptions): Promise<ModelStreamResult> {
      const call: (typeof calls)[number] = { request: plainRequest(options, ids), parts: [] };
      calls.push(call);
      const failed = (error: unknown): void => {
        const status: unknown = Object(error).statusCode;
        call.error = { message: textOf(error), ...(typeof status === 'number' && { statusCode: status }) };
      };
      try {
        const { stream, ...rest } = await model.doStream(options);
        return { ...rest, stream: heard(partsOf(stream), (part) => void call.parts.push(plain(part)), failed) };
      } catch (error) {
        failed(error);
        throw error;
      }
    },
    transcript: (): ModelTranscript => structuredClone({ version: 1, provider, modelId, ...spelling, calls }),
  });
}

export interface ReplayOptions {
  /** Keys of a request that count nowhere in it, such as `description` or `providerOptions`. */
  readonly ignore?: readonly string[];
}

export interface ReplayModel extends ModelPort {
  /** Calls of the transcript that were not made. */
  readonly left: () => number;
}

/**
 * Answers each call as the transcript does. A request that is another one rejects with what differs, and so does one
 * beyond its end; the run ends `failed` with that error. Throws `TH_OPTION_INVALID` for what is no transcript.
 */
export function replayModel(transcript: ModelTranscript, { ignore = [] }: ReplayOptions = {}): ReplayModel {
  if (Object(transcript).version !== 1 || !Array.isArray(transcript.calls)) {
    const what = 'replayModel takes a transcript, as recordTranscript(model).transcript() gives it';
    throw new HookError('TH_OPTION_INVALID', { what });
  }
  const { provider, modelId, specificationVersion, calls } = transcript;
  const ids = new CallIds();
  const passed = new Set(ignore);
  let made = 0;
  return Object.freeze({
    provider,
    modelId,
    ...(specificationVersion !== undefined && { specificationVersion }),
    // oxlint-disable-next-line require-await -- what it throws is a rejection
    async doStream(options: ModelCallOptions): Promise<ModelStreamResult> {
      const at = made++;
      const call = calls[at];
      if (call === undefined) throw new Error(`the transcript ends before call ${at + 1}: record it anew`);
      const lines = differences(call.request, plainRequest(options, ids), passed);
      if (lines.length > 0) {
        throw new Error(`call ${at + 1} is not the one of the transcript:\n  ${lines.join('\n  ')}`);
      }
      const { parts, error } = call;
      const fault = error && Object.assign(new Error(error.message), { statusCode: error.statusCode });
      if (fault !== undefined && parts.length === 0) throw fault;
      return { stream: played(parts, fault) };
    },
    left: () => Math.max(0, calls.length - made),
  });
}

async function* played(parts: readonly JsonValue[], error: Error | undefined): AsyncGenerator<ModelStreamPart> {
  for (const part of parts) yield revived(part) as ModelStreamPart;
  if (error !== undefined) throw error;
}

async function* heard(
  parts: AsyncIterable<ModelStreamPart>,
  hear: (part: ModelStreamPart) => void,
  failed: (error: unknown) => void,
): AsyncGenerator<ModelStreamPart> {
  try {
    for await (const part of parts) {
      hear(part);
      yield part;
    }
  } catch (error) {
    failed(error);
    throw error;
  }
}

async function* partsOf(stream: ModelStreamResult['stream']): AsyncGenerator<ModelStreamPart> {
  if (Symbol.asyncIterator in stream) return yield* stream;
  const reader = stream.getReader();
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isOver = done;
      if (done) return;
      yield value as ModelStreamPart;
    }
  } finally {
    if (!isOver) await reader.cancel('nobody reads on').catch(() => {}); // it may have failed: whoever read was told
  }
}
