/** Metrics of a run: what the sink is told, and the adding up. */
import {
  HookError,
  textOf,
  type ModelUsage,
  type Origin,
  type RunLimit,
  type RunStatus,
  type ToolCallRecord,
  type ToolOutcome,
} from '@treblehook/types';
import { closeClass, frozen } from '@treblehook/core';
import { memberOf } from './shared-prototypes.js';

/** Per million tokens, in whatever currency. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Default: as `input`. */
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** A count that the provider did not report is absent, which is not zero. */
export interface MetricTokens {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

interface OfRun {
  readonly origin: Origin;
  readonly ms: number;
}

export type Metric =
  /** One model call, its attempts together: what failed ones are known to have used is in it. */
  | (OfRun & {
      readonly type: 'llm';
      readonly model: string;
      readonly status: 'ok' | 'error' | 'aborted';
      readonly attempts: number;
      readonly finishReason?: string;
      readonly tokens: MetricTokens;
      /** Absent: the price of the model, or the tokens, are not known. */
      readonly cost?: number;
      /** What a handler asked the model for by `ctx.callModel`. */
      readonly purpose?: string;
    })
  | (OfRun & {
      readonly type: 'tool';
      readonly callId: string;
      /** Of the call, from 1. */
      readonly attempt: number;
      readonly name: string;
      readonly status: ToolOutcome;
      /** Which guards ran, on which digest, and what each said. */
      readonly record: ToolCallRecord;
    })
  | (OfRun & {
      readonly type: 'run';
      readonly status: RunStatus;
      readonly limit?: RunLimit;
      readonly turns: number;
      readonly toolCalls: number;
      readonly tokens: MetricTokens;
      readonly cost?: number;
    })
  | (OfRun & {
      readonly type: 'compaction';
      readonly status: 'done' | 'failed' | 'vetoed';
      readonly tokensBefore: number;
      readonly tokensAfter?: number;
    })
  /** One fire of a hook point that somebody listened to. */
  | (OfRun & {
      readonly type: 'hook';
      readonly hook: string;
      /** Ids of the handlers that ran, with what came of each. */
      readonly handlers: readonly { readonly id: string; readonly outcome: string; readonly ms: number }[];
    });

/** A throwing sink is contained: it costs the run nothing. */
export type MetricSink = (metric: Metric) => void;

const measureNothing = (): void => {};

/** How one run tells its sink. What the sink throws is its own, and said once: one that is down is down for every metric. */
export function measuring(sink: MetricSink | undefined): (build: () => Metric) => void {
  if (sink === undefined) return measureNothing;
  let hasFailed = false;
  const fail = (error: unknown): void => {
    if (hasFailed) return;
    hasFailed = true;
    const { message, code } = new HookError('TH_METRIC_FAILED', { what: textOf(error), cause: error });
    process.emitWarning(message, { type: 'TreblehookWarning', code });
  };
  return (build) => {
    try {
      const told: unknown = sink(frozen(build()));
      if (typeof told === 'object' && told !== null && typeof memberOf(told, 'then') === 'function') {
        Promise.resolve(told).catch(fail);
      }
    } catch (error) {
      fail(error);
    }
  };
}

export function tokensOf({ inputTokens, outputTokens }: ModelUsage): MetricTokens {
  const { total: input, cacheRead, cacheWrite } = inputTokens;
  const { total: output, reasoning } = outputTokens;
  return {
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

/** `undefined` when the price or the tokens are not known. */
export function costOf(price: Price | undefined, { inputTokens, outputTokens }: ModelUsage): number | undefined {
  if (price === undefined || inputTokens.total === undefined || outputTokens.total === undefined) return undefined;
  const { cacheRead = 0, cacheWrite = 0 } = inputTokens;
  const plain = inputTokens.noCache ?? Math.max(0, inputTokens.total - cacheRead - cacheWrite);
  const input =
    plain * price.input + cacheRead * (price.cacheRead ?? price.input) + cacheWrite * (price.cacheWrite ?? price.input);
  return (input + outputTokens.total * price.output) / 1_000_000;
}

/** The cost of several calls: known only as long as each one's is. */
export class Cost {
  #sum = 0;
  #isKnown = true;
  #calls = 0;

  add(cost: number | undefined): void {
    this.#calls++;
    if (cost === undefined) this.#isKnown = false;
    else this.#sum += cost;
  }

  get total(): number | undefined {
    return this.#isKnown && this.#calls > 0 ? this.#sum : undefined;
  }
}
closeClass(Cost);
