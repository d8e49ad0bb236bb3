/** A model that says what its script says, and keeps what it was asked. */
import {
  ownFields,
  type ModelCallOptions,
  type ModelFinishReason,
  type ModelPort,
  type ModelStreamPart,
  type ModelUsage,
  type ProviderData,
} from '@treblehook/types';

export interface ScriptedCall {
  readonly name: string;
  /** A text is sent as it is, anything else as JSON. Default `{}`. */
  readonly args?: unknown;
  /** The provider's id. Default `wire-<step>-<call>`. */
  readonly id?: string;
}

/** What one call of the model answers, part by part in the order of these keys. */
export interface ScriptedAnswer {
  /** Nothing is sent before it settles; a rejection breaks the stream. */
  readonly wait?: PromiseLike<unknown>;
  /** A list is sent as so many deltas. */
  readonly reasoning?: string | readonly string[];
  /** What the provider wants back with the reasoning. */
  readonly reasoningMetadata?: ProviderData;
  readonly text?: string | readonly string[];
  readonly calls?: readonly ScriptedCall[];
  /** Other parts, as they are. */
  readonly parts?: readonly ModelStreamPart[];
  /** The finish is not sent before it settles. */
  readonly hold?: PromiseLike<unknown>;
  /** The stream breaks with it. */
  readonly error?: unknown;
  /** Sent as an `error` part. */
  readonly errorPart?: unknown;
  /** `null`: the stream ends without a finish. Default `tool-calls` with calls, else `stop`. */
  readonly finish?: ModelFinishReason['unified'] | ModelFinishReason | null;
  /** Default 10 in, 5 out. */
  readonly usage?: ScriptedUsage;
}
export interface ScriptedUsage {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/** A text; an answer; an error, with which the call rejects; or a function that gives one of them. */
export type ScriptedStep =
  | string
  | Error
  | ScriptedAnswer
  | ((call: ModelCallOptions, index: number) => ScriptedStep | PromiseLike<ScriptedStep>);

export interface ScriptedModelOptions {
  readonly modelId?: string;
  readonly provider?: string;
  readonly specificationVersion?: string;
  /** Give the stream as a `ReadableStream`. */
  readonly readable?: boolean;
}

export interface ScriptedModel extends ModelPort {
  /** What it was asked, call by call. */
  readonly calls: readonly ModelCallOptions[];
  /** Streams that were begun and neither ended nor broken off. */
  readonly openStreams: () => number;
}

/**
 * One step per call. It never looks at the abort signal: whoever drives it has to do without its help. A call beyond the
 * script rejects.
 */
export function scriptedModel(script: readonly ScriptedStep[], options: ScriptedModelOptions = {}): ScriptedModel {
  const { modelId = 'scripted', provider = 'scripted', specificationVersion = 'v3', readable = false } = options;
  const calls: ModelCallOptions[] = [];
  let open = 0;

  async function* streamOf(answer: ScriptedAnswer, index: number): AsyncGenerator<ModelStreamPart, void, undefined> {
    open++;
    try {
      yield* partsOf(answer, index);
    } finally {
      open--;
    }
  }

  return {
    specificationVersion,
    provider,
    modelId,
    calls,
    openStreams: () => open,
    async doStream(call) {
      const index = calls.length;
      calls.push(call);
      let step: ScriptedStep | undefined = script[index];
      while (typeof step === 'function') step = await step(call, index);
      if (step === undefined) throw new Error(`the script ends before call ${index + 1}`);
      if (step instanceof Error) throw step;
      const stream = streamOf(typeof step === 'string' ? { text: step } : step, index);
      return { stream: readable ? readableOf(stream) : stream };
    },
  };
}

async function* partsOf(given: ScriptedAnswer, index: number): AsyncGenerator<ModelStreamPart, void, undefined> {
  const answer = ownFields(given);
  await answer.wait;
  yield* block('reasoning', answer.reasoning, answer.reasoningMetadata);
  yield* block('text', answer.text, undefined);
  for (const [at, call] of (answer.calls ?? []).entries()) {
    const { name, args = {}, id } = ownFields(call);
    const input = typeof args === 'string' ? args : JSON.stringify(args);
    yield { type: 'tool-call', toolCallId: id ?? `wire-${index}-${at}`, toolName: name, input };
  }
  yield* answer.parts ?? [];
  await answer.hold;
  if ('error' in answer) throw answer.error;
  if ('errorPart' in answer) yield { type: 'error', error: answer.errorPart };
  const { finish = (answer.calls ?? []).length > 0 ? 'tool-calls' : 'stop' } = answer;
  if (finish === null) return;
  const finishReason = typeof finish === 'string' ? { unified: finish, raw: finish } : finish;
  yield { type: 'finish', usage: usageOf(answer.usage), finishReason };
}

function* block(
  type: 'text' | 'reasoning',
  said: string | readonly string[] | undefined,
  providerMetadata: ProviderData | undefined,
): Generator<ModelStreamPart, void, undefined> {
  if (said === undefined) return;
  const metadata = providerMetadata === undefined ? {} : { providerMetadata };
  yield { type: `${type}-start`, id: type };
  for (const delta of typeof said === 'string' ? [said] : said) yield { type: `${type}-delta`, id: type, delta };
  yield { type: `${type}-end`, id: type, ...metadata };
}

function usageOf({ input = 10, output = 5, cacheRead, cacheWrite, reasoning }: ScriptedUsage = {}): ModelUsage {
  return {
    inputTokens: { total: input, noCache: input - (cacheRead ?? 0) - (cacheWrite ?? 0), cacheRead, cacheWrite },
    outputTokens: { total: output, text: output - (reasoning ?? 0), reasoning },
  };
}

const readableOf = (parts: AsyncGenerator<ModelStreamPart>): ReadableStream<ModelStreamPart> =>
  new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
