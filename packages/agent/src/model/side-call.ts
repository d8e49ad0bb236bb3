/** A model call that a handler makes by `ctx.callModel`: a request pipeline of its own, and no place in the history. */
import { adopt, frozen } from '@treblehook/core';
import {
  HookError,
  historyFault,
  messageFault,
  ownFields,
  settingsFault,
  type LLMRequest,
  type SideCallAnswer,
  type SideCallRequest,
} from '@treblehook/types';
import { assertKnown } from '../read-option.js';
import { fireStepOf } from '../run/fire-step.js';
import { sendRequest } from './model-call.js';
import type { RunState } from '../run/run-state.js';
import { toWire } from './wire.js';

/**
 * Every tenant of `beforeLLM` is asked but those whose calls are in hand; nothing of what they replace stays. Limits, usage,
 * cost and metrics are the run's. Rejects with `TH_CALL_VETOED`, `TH_REENTRANT` from inside itself, `TH_OPTION_INVALID`
 * for a request that is none, and with the fault of the model.
 */
export async function sideCall(
  run: RunState,
  given: SideCallRequest,
  purpose: string,
  inHand: readonly string[],
): Promise<SideCallAnswer> {
  const { config } = run;
  const { messages, model = config.model, settings = config.settings } = readRequest(given, config.models);
  const vetoed = (what: string): HookError => new HookError('TH_CALL_VETOED', { purpose, what });
  const limit = run.budget.hitBeforeSideCall();
  if (limit !== undefined) throw vetoed(`the run has reached its limit '${limit}'`);
  const scope = {
    plugins: config.personality.plugins,
    without: inHand,
    callModel: () => {
      const chain = 'callModel > callModel';
      return Promise.reject(new HookError('TH_REENTRANT', { hook: 'beforeLLM', chain }));
    },
  };
  const until = (signal: AbortSignal) => config.registry.scoped(ownFields({ ...scope, signal }));
  const caller = until(run.abort.signal);
  const none = adopt([]);
  const asked: LLMRequest = {
    origin: run.origin,
    messages: frozen(messages),
    tools: none,
    toolSet: none,
    model,
    models: config.modelKeys,
    settings: frozen(settings),
    inject: none,
    job: run.job,
    purpose,
  };
  const { amended, by } = await fireStepOf(run, caller, 'beforeLLM', asked);
  if (amended.veto !== undefined) throw vetoed(`'${by?.id ?? 'a stage'}' says: ${amended.veto}`);
  const request: LLMRequest = {
    ...asked,
    messages: amended.messages ?? asked.messages,
    model: amended.model ?? model,
    settings: amended.settings ?? asked.settings,
    inject: adopt([...(amended.replaceInject ?? none), ...(amended.inject ?? none)]),
  };
  const { text, message, finishReason, usage } = await sendRequest(run, request, {
    caller,
    tells: { closing: config.registry.scoped(ownFields(scope)), until },
    messages: (isV4, tail) => request.messages.map((one) => toWire(one, isV4)).concat(tail),
    onDelta: () => {}, // a handler's answer is no answer of the run
    gate: undefined,
    purpose,
  });
  return Object.freeze(ownFields({ text, message, model: request.model, finishReason, usage }));
}

const requestNames: Readonly<Record<keyof SideCallRequest, true>> = { messages: true, model: true, settings: true };

function readRequest(given: unknown, models: ReadonlyMap<string, unknown>): SideCallRequest {
  const refuse = (what: string): never => {
    throw new HookError('TH_OPTION_INVALID', { what: `ctx.callModel takes { messages, model?, settings? }: ${what}` });
  };
  if (typeof given !== 'object' || given === null) return refuse('it was given no object');
  assertKnown(given, requestNames, 'key of a request of ctx.callModel');
  const request = ownFields(given as SideCallRequest);
  if (!Array.isArray(request.messages) || request.messages.length === 0)
    refuse('messages must be a list that is not empty');
  for (const [at, message] of request.messages.entries()) {
    const fault = messageFault(message);
    if (fault !== undefined) refuse(`message ${at} ${fault}`);
  }
  const pairing = historyFault(request.messages);
  if (pairing !== undefined) refuse(pairing);
  const { model, settings } = request;
  if (model !== undefined && !models.has(model)) refuse(`'${model}' is no key of models`);
  const fault = settings === undefined ? undefined : settingsFault(settings);
  if (fault !== undefined) refuse(fault);
  return request;
}
