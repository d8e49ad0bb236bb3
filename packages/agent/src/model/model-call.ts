/** A request is sent, again where the fault is transient, and its answer or its fault is told. */
import { frozen } from '@treblehook/core';
import {
  ownFields,
  type AgentHooks,
  type HookCaller,
  type LLMAttempt,
  type LLMOutcome,
  type LLMRequest,
  type ModelCallOptions,
  type ModelMessage,
  type ModelPort,
  type ModelUsage,
  type SessionRecord,
} from '@treblehook/types';
import type { ModelAnswer } from './answer.js';
import { Attempt, type AttemptOptions } from './attempt.js';
import { assertGoesOn } from '../run/fire-step.js';
import { tellBy, type TellsBy } from '../run/grace.js';
import type { AfterLLMEvent } from '../hooks.js';
import { costOf, tokensOf } from '../run/metrics.js';
import { outputGate } from './output-gate.js';
import { HooksFailed } from '../plain-hooks.js';
import { Aborted } from '../run/run-abort.js';
import { payloadError } from '../run/payload-error.js';
import { delayOf, isTransient } from './retry.js';
import type { RunState } from '../run/run-state.js';
import { addUsage, noUsage } from '../run/usage.js';
import { markCache, settingsOnWire, toolsOnWire, toWire } from './wire.js';

/** How a request is sent: who observes it, what stands on the wire, who sees what comes. */
export interface Sending {
  readonly caller: HookCaller<AgentHooks>;
  /** Of the same handlers, and not bound to the run's signal. */
  readonly tells: TellsBy<AgentHooks>;
  /** One copy, with `tail` behind. */
  readonly messages: (isV4: boolean, tail: readonly ModelMessage[]) => ModelMessage[];
  readonly onDelta: AttemptOptions['onDelta'];
  readonly gate: AttemptOptions['gate'];
  /** Of a call that a handler makes. */
  readonly purpose: string | undefined;
}

/** The call of a turn. Rejects with the last attempt's fault, and with `Aborted`; `afterLLM` is told of an aborted call too. */
export function callModel(run: RunState, request: LLMRequest, onDelta?: Sending['onDelta']): Promise<ModelAnswer> {
  const { turn } = run;
  run.budget.takeStep();
  return sendRequest(run, request, {
    caller: run.caller,
    tells: run,
    messages: (isV4, tail) => {
      const front = run.system === undefined ? [] : [toWire(run.system, isV4)];
      return front.concat(run.working.wire(isV4), tail); // a spread of a long list is many times dearer
    },
    onDelta: onDelta ?? ((type, text) => run.emit({ type, turn, text })),
    gate: outputGate(run),
    purpose: undefined,
  });
}

export async function sendRequest(run: RunState, request: LLMRequest, sending: Sending): Promise<ModelAnswer> {
  const { config } = run;
  const { caller, tells, purpose } = sending;
  const price = Object.hasOwn(config.prices, request.model) ? config.prices[request.model] : undefined;
  const began = config.clock.now();
  const attempts: Attempts = { count: 0, lost: undefined };
  type Told = Pick<LLMOutcome, 'response' | 'error' | 'usage' | 'finishReason'>;
  /** What the call has used, of all its attempts. */
  const use = (usage: ModelUsage, answer: ModelAnswer | undefined): Promise<void> | undefined => {
    run.usage = addUsage(run.usage, usage);
    const cost = costOf(price, usage);
    run.cost.add(cost);
    run.budget.countCost(cost);
    const tokens = run.budget.countTokens(usage, request, answer);
    if (answer === undefined || purpose !== undefined) {
      return run.logSpent(spentOf(run, request.model, usage, purpose, tokens));
    }
    run.budget.lastCounted = tokens;
    return undefined;
  };
  /** An answer that is there is told, whatever has become of the run while it came. */
  const tell = async (outcome: Told, status: 'ok' | 'error' | 'aborted'): Promise<void> => {
    const ms = config.clock.now() - began;
    const { origin } = run;
    const { model } = request;
    const payload = { origin, model, purpose, ...outcome, attempts: attempts.count, ms };
    await (run.abort.isAborted ? tellBy(run, tells, 'afterLLM', payload) : caller.fireVoid('afterLLM', payload));
    run.measure(() => {
      const { usage = noUsage, finishReason } = outcome;
      const cost = costOf(price, usage);
      return {
        type: 'llm',
        origin,
        ms,
        model,
        status,
        attempts: attempts.count,
        ...(finishReason === undefined ? {} : { finishReason: finishReason.unified }),
        tokens: tokensOf(usage),
        ...(cost === undefined ? {} : { cost }),
        ...(purpose === undefined ? {} : { purpose }),
      };
    });
  };
  let answer: ModelAnswer;
  try {
    answer = await attemptAll(run, request, attempts, sending);
  } catch (error) {
    const spent = attempts.lost === undefined ? {} : { usage: attempts.lost };
    if (attempts.lost !== undefined) await use(attempts.lost, undefined);
    if (!run.abort.isAborted) await tell({ error: payloadError(error), ...spent }, 'error');
    else await tell({ error: payloadError(run.abort.signal.reason), ...spent }, 'aborted');
    throw error;
  }
  const { message, raw, usage, finishReason } = answer;
  const logged = use(usage, answer);
  if (logged !== undefined) await logged;
  const response = { message, ...(raw === undefined ? {} : { raw }) };
  try {
    await askPlainHook(run, { response, usage, model: request.model });
  } finally {
    await tell({ response, usage, finishReason }, 'ok');
  }
  return answer;
}

/** The plain hook of the answer is no handler: it is awaited in front of the observers, and its error ends the run. */
async function askPlainHook(
  { config: { hooks }, origin, abort }: RunState,
  answer: Omit<AfterLLMEvent, 'turn' | 'runId' | 'signal'>,
): Promise<void> {
  if (hooks?.afterLLM === undefined) return;
  const { turn, runId } = origin;
  try {
    await abort.race(Promise.resolve(hooks.afterLLM(frozen({ ...answer, turn, runId, signal: abort.signal }))));
  } catch (error) {
    throw error instanceof Aborted ? error : new HooksFailed(error);
  }
}

interface Attempts {
  count: number;
  /** What failed ones have used, as far as the provider has said so. */
  lost: ModelUsage | undefined;
}

function spentOf(
  { id }: RunState,
  model: string,
  usage: ModelUsage,
  purpose: string | undefined,
  tokens: number | undefined,
): Extract<SessionRecord, { type: 'spent' }> {
  const { inputTokens, outputTokens } = usage; // what the provider has sent unread stands in no log
  return {
    type: 'spent',
    runId: id,
    model,
    usage: { inputTokens, outputTokens },
    ...(purpose === undefined ? {} : { purpose }),
    ...(tokens === undefined ? {} : { tokens }),
  };
}

/**
 * An attempt of which a delta has gone out is not repeated: its reader would see two answers glued together. The model
 * stays the one that was decided; another route is another request.
 */
async function attemptAll(
  run: RunState,
  request: LLMRequest,
  attempts: Attempts,
  sending: Sending,
): Promise<ModelAnswer> {
  const { abort, config, turn } = run;
  const port = config.models.get(request.model)!;
  let waited = 0;
  for (;;) {
    const count = ++attempts.count;
    await sending.caller.fireVoid('llmRequest', attemptOf(request, count));
    assertGoesOn(run);
    const attempt = new Attempt({
      port,
      call: wireCall(run, request, port, sending),
      resolve: (wireName) => config.toolbox.byWireName.get(wireName),
      ids: config.ids,
      onDelta: sending.onDelta,
      gate: sending.gate,
    });
    try {
      const answer = await abort.race(attempt.read());
      const { lost } = attempts;
      if (lost === undefined) return answer;
      return Object.freeze(ownFields({ ...answer, usage: addUsage(lost, answer.usage) }));
    } catch (error) {
      attempt.drop();
      if (attempt.usage !== undefined) attempts.lost = addUsage(attempts.lost ?? noUsage, attempt.usage);
      abort.throwIfAborted();
      if (attempt.hasEmitted || count >= config.retry.attempts || !isTransient(error)) throw error;
      const waitMs = delayOf(error, count, config.retry, config.clock.date(), config.random());
      waited += waitMs;
      if (waited > config.retry.maxTotalMs || waitMs >= run.budget.wallLeft()) throw error;
      if (sending.purpose === undefined) run.emit({ type: 'retry', turn, attempt: count, waitMs, error });
      await run.pause(waitMs);
    }
  }
}

/** With every field: none is forgotten that is added to the payload. */
type Whole<T> = { readonly [K in keyof Required<T>]: T[K] };

/** Field by field: a spread of an object of this size costs more than the fire. */
const attemptOf = (request: LLMRequest, attempt: number): Whole<LLMAttempt> => ({
  origin: request.origin,
  messages: request.messages,
  tools: request.tools,
  toolSet: request.toolSet,
  model: request.model,
  models: request.models,
  settings: request.settings,
  inject: request.inject,
  job: request.job,
  purpose: request.purpose,
  attempt,
});

function wireCall(run: RunState, request: LLMRequest, port: ModelPort, sending: Sending): ModelCallOptions {
  const isV4 = port.specificationVersion === 'v4';
  const tail = request.inject.map((message) => toWire(message, isV4));
  const tools = toolsOnWire(request.tools);
  const prompt = sending.messages(isV4, tail);
  const { cacheAfter } = ownFields(request.settings);
  if (cacheAfter != null) markCache(prompt, cacheAfter, request.messages.length);
  return {
    prompt,
    ...(tools.length === 0 ? {} : { tools }),
    ...settingsOnWire(request.settings, tools.length > 0),
    ...(sending.caller.hasHandlers('afterLLM') ? { includeRawChunks: true } : {}),
    abortSignal: run.abort.signal,
  };
}
