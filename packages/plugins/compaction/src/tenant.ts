/** Compaction as a tenant of `beforeLLM`, and as a plain callback. */
import type {
  AgentHooks,
  Awaitable,
  ContextOf,
  HookRegistrar,
  LLMRequest,
  Message,
  ToolDescriptor,
  Unregister,
} from '@treblehook/types';
import { ownFields } from '@treblehook/types';
import { compact, type Surroundings } from './compact.js';
import {
  settingsByAgent,
  settingsOf,
  type CompactionOptions,
  type CompactionTenantOptions,
  type Settings,
} from './options.js';
import type { Request } from './plan.js';
import { RunStates } from './run-states.js';

const id = 'compaction';
/** Of a summariser that calls a model; the kernel gives up on the handler behind it. */
const budgetMs = 120_000;

export interface Compacted {
  readonly messages: readonly Message[];
}

/**
 * Installs the host handler `compaction` on `beforeLLM` (`onError: 'abort'`, 120,000 ms). It fires `beforeCompaction`
 * and `afterCompaction`. Throws `TH_OPTION_INVALID`, `TH_ID_TAKEN`. A run fails with `TH_COMPACTION_STUCK` on the second
 * failed attempt in a row.
 */
export function install(registry: HookRegistrar<AgentHooks>, options: CompactionTenantOptions): Unregister {
  const settingsFor = settingsByAgent(options);
  const check = checking();
  return registry.registerModifying(
    'beforeLLM',
    (request, ctx) => {
      const { runId, agentPath } = request.origin;
      const settings = settingsFor(agentPath.at(-1));
      const of = { runId, isSide: ownFields(request).purpose !== undefined };
      return settings && check(settings, request, of, () => surroundingsOf(registry, settings, request, ctx));
    },
    { id, onError: 'abort', timeoutMs: budgetMs },
  );
}

/** What the plain callback reads of a request. */
export interface CompactorEvent {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescriptor[];
  readonly inject?: readonly Message[];
  /**
   * Ties the calls of one run together: its prompt, its failed attempts in a row, a compaction that is under way. Without
   * it each call stands alone, and the newest user message is the prompt.
   */
  readonly runId?: string;
  /** Of a call that a handler makes: it is another conversation than that of the run. */
  readonly purpose?: string | undefined;
  readonly signal?: AbortSignal;
}

/**
 * The same cut as a plain `beforeLLM` callback, also for `chainHooks`. It fires no hook point. Throws
 * `TH_OPTION_INVALID`; the callback rejects with `TH_COMPACTION_STUCK`.
 */
export function compactor(options: CompactionOptions): (e: CompactorEvent) => Awaitable<Compacted | undefined> {
  const settings = settingsOf(options);
  const check = checking();
  return (event) => {
    const e = ownFields(event);
    const request = { messages: e.messages, tools: e.tools, inject: e.inject ?? [] };
    const of = { runId: e.runId, isSide: e.purpose !== undefined };
    return check(settings, request, of, () => ({ signal: e.signal, timeoutMs: settings.timeoutMs }));
  };
}

type Check = (
  settings: Settings,
  request: Request,
  of: { readonly runId: string | undefined; readonly isSide: boolean },
  around: () => Surroundings,
) => Awaitable<Compacted | undefined>;

/** One check for all agents: what it remembers is of a run. */
function checking(): Check {
  const runs = new RunStates();
  return (settings, request, { runId, isSide }, around) => {
    if (runs.isBusy(runId)) return undefined;
    const state = runs.of(isSide ? undefined : runId, request.messages);
    const tokens = settings.tally(request.messages, request.tools) + settings.count(request.inject);
    if (tokens <= settings.maxTokens) {
      state.failures = 0;
      return undefined;
    }
    return compact(settings, request, tokens, state, around()).then((messages) => messages && { messages });
  };
}

function surroundingsOf(
  registry: HookRegistrar<AgentHooks>,
  settings: Settings,
  { origin }: Pick<LLMRequest, 'origin'>,
  ctx: ContextOf<AgentHooks, 'beforeLLM'>,
): Surroundings {
  const budget = registry.plan('beforeLLM').find((row) => row.id === ctx.id)?.budgetMs ?? budgetMs;
  return {
    signal: ctx.signal,
    timeoutMs: Math.max(1, Math.min(settings.timeoutMs, Math.floor(budget * 0.9))),
    callModel: ctx.callModel,
    before: async (event) => ctx.fire.fireModifying('beforeCompaction', { origin, trigger: 'auto', ...event }),
    after: async (event) => ctx.fire.fireVoid('afterCompaction', { origin, trigger: 'auto', ...event }),
  };
}
