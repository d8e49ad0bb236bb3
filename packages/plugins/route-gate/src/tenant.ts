/** The route gate as a tenant of `beforeLLM`, and as a pair of plain callbacks. */
import type {
  AgentHooks,
  HookRegistrar,
  Job,
  LLMAnswer,
  Message,
  ModelUsage,
  ToolDescriptor,
  Unregister,
} from '@treblehook/types';
import { ownFields, textOf } from '@treblehook/types';
import { costOf, guessOf, Purses, type Purse } from './cost.js';
import { decide } from './decide.js';
import type { RouteDecision, RouteGateOptions } from './options.js';
import { tableOf, type Table } from './table.js';

const id = 'route-gate';

export interface Routed {
  readonly model?: string;
  readonly veto?: string;
}

/**
 * Installs the host handler `route-gate` on `beforeLLM` (`onError: 'abort'`) and, to count what was spent, on `afterLLM`.
 * Behind it `model` is final, by the house lock. Throws `TH_OPTION_INVALID`, `TH_ROUTE_UNKNOWN`, `TH_ID_TAKEN`. A fire
 * rejects with `TH_ROUTE_UNKNOWN` when a rule sends it to a model that the agent lacks.
 */
export function install(registry: HookRegistrar<AgentHooks>, options: RouteGateOptions): Unregister {
  const gate = gateOf(options);
  const ends = [
    registry.registerModifying(
      'beforeLLM',
      (request) => {
        const { origin, model, models, job, settings, purpose } = ownFields(request);
        return gate.route({
          messages: request.messages,
          tools: request.tools,
          inject: request.inject,
          runId: origin.runId,
          sessionId: origin.sessionId,
          kind: kindOf(purpose),
          turn: origin.turn,
          personality: origin.personality,
          maxOutputTokens: ownFields(settings).maxOutputTokens ?? 0,
          job,
          model,
          models,
        });
      },
      { id, onError: 'abort' },
    ),
  ];
  try {
    ends.push(
      registry.registerVoid(
        'afterLLM',
        (outcome) => {
          const { origin, model, usage, response, purpose } = ownFields(outcome);
          gate.count(origin.sessionId, kindOf(purpose), model, usage, response?.message);
        },
        { id },
      ),
    );
  } catch (error) {
    ends[0]!();
    throw error;
  }
  return () => {
    for (const end of ends) end();
  };
}

/** What the plain callbacks read of a call. */
export interface RouteGateEvent {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescriptor[];
  readonly model: string;
  readonly turn: number;
  readonly inject?: readonly Message[];
  readonly runId?: string;
}
export interface RouteGateAnswer {
  readonly model: string;
  readonly response?: LLMAnswer;
  readonly usage?: ModelUsage;
}
/** Who the calls are made for: a plain callback is not told. */
export interface RouteGateClient {
  readonly personality?: string;
  readonly job?: Job;
}

/**
 * The same gate as plain `beforeLLM` and `afterLLM` callbacks, also for `chainHooks`. It always names the model that it
 * decided on: in a chain it does not see what stages before it have named, and so overrules them. The pair has one purse:
 * make one for each session. A crash is an error of the callback. It can lock nothing: put it last.
 */
export function routeGate(
  options: RouteGateOptions,
  client: RouteGateClient = {},
): { beforeLLM: (e: RouteGateEvent) => Routed; afterLLM: (e: RouteGateAnswer) => void } {
  const gate = gateOf(options);
  const { personality, job } = ownFields(client);
  return {
    beforeLLM: (event) => {
      const { messages, tools, inject = [], runId = '', turn, model } = ownFields(event);
      const of = { sessionId: '', kind: 'turn' as const, personality, maxOutputTokens: 0, job, models: undefined };
      return gate.route({ messages, tools, inject, runId, turn, model, ...of }) ?? { model };
    },
    afterLLM: (event) => {
      const { model, usage, response } = ownFields(event);
      gate.count('', 'turn', model, usage, response?.message);
    },
  };
}

type Kind = keyof Purse['lastTokens'];
const kindOf = (purpose: string | undefined): Kind => (purpose === undefined ? 'turn' : 'side');

interface Call {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescriptor[];
  readonly inject: readonly Message[];
  readonly runId: string;
  readonly sessionId: string;
  readonly kind: Kind;
  readonly turn: number;
  readonly personality: string | undefined;
  readonly job: Job | undefined;
  readonly maxOutputTokens: number;
  readonly model: string;
  readonly models: readonly string[] | undefined;
}

function gateOf(options: RouteGateOptions) {
  const table = tableOf(options);
  const purses = new Purses();
  return {
    route(call: Call): Routed | undefined {
      const purse = purses.of(call.sessionId);
      const tokens = table.tally(call.messages, call.tools) + (call.inject.length > 0 ? table.count(call.inject) : 0);
      const { model, reason } = decide(table, { ...call, tokens }, purse);
      if (model !== undefined) purse.lastTokens[call.kind] = tokens;
      tell(table, {
        runId: call.runId,
        sessionId: call.sessionId,
        turn: call.turn,
        asked: call.model,
        action: model === undefined ? 'veto' : model === call.model ? 'keep' : 'move',
        ...(model === undefined ? {} : { model }),
        reason,
        tokens,
        spent: purse.spent,
        inexact: purse.inexact,
      });
      if (model === undefined) return { veto: `route gate: ${reason}` };
      return model === call.model ? undefined : { model };
    },
    count(
      sessionId: string,
      kind: Kind,
      model: string,
      usage: ModelUsage | undefined,
      answer: Message | undefined,
    ): void {
      const purse = purses.of(sessionId);
      const cost = costOf(usage, table.routes.get(model)?.price, guessOf(purse.lastTokens[kind], answer));
      purse.spent += cost.amount;
      if (!cost.exact) purse.inexact++;
    },
  };
}

function tell({ onDecision }: Table, decision: RouteDecision): void {
  if (onDecision === undefined) return;
  try {
    onDecision(Object.freeze(decision));
  } catch (error) {
    process.emitWarning(`onDecision of the route gate threw: ${textOf(error)}`, { code: 'TH_HANDLER_FAILED' });
  }
}
