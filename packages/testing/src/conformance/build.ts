/** From the set-up of a case to what an agent is made of: a registry, tools, hooks, sinks. */
import { chainHooks, type Answerer, type Hooks, type Metric, type MetricSink } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { install } from '@treblehook/plugin-compaction';
import {
  agentHooks,
  defineTool,
  type AgentHooks,
  type Answer,
  type HookRegistry,
  type StandardSchema,
  type Tool,
  type ToolAnswer,
} from '@treblehook/types';
import type { ScriptedStep } from '@treblehook/agent/testing';
import { acting, compactionOf, type Effects } from './actions.js';
import type {
  Actions,
  ChainStage,
  HandlerSpec,
  Level,
  ModelAnswer,
  RegistrySpec,
  StageSpec,
  ToolSpec,
} from './fixture.js';

const kinds = ['beforeLLM', 'afterLLM', 'beforeTool', 'afterTool'] as const;

export function hooksOf(spec: StageSpec, effects: Effects): Hooks {
  const hooks: Record<string, unknown> = {};
  for (const kind of kinds) {
    if (spec[kind] === undefined) continue;
    hooks[kind] = acting(spec.as === undefined ? undefined : `${spec.as}.${kind}`, spec[kind], effects);
  }
  return hooks;
}

export function chainOf(stages: readonly ChainStage[], effects: Effects): Hooks | undefined {
  return chainHooks(
    ...stages.map((stage) => {
      if (stage === null) return undefined;
      return isList(stage) ? chainOf(stage, effects) : hooksOf(stage, effects);
    }),
  );
}
const isList = (stage: ChainStage | readonly StageSpec[]): stage is readonly ChainStage[] => Array.isArray(stage);

/** A level with the keys that it has: what a chain of nothing gives is no value. */
export function levelOf(
  { hooks: given, onMetric }: Level,
  effects: Effects,
  sinkOf: (name: string) => MetricSink,
): { readonly hooks?: Hooks; readonly onMetric?: MetricSink } {
  let hooks: Hooks | undefined;
  if (given !== undefined) hooks = isList(given) ? chainOf(given, effects) : hooksOf(given, effects);
  return {
    ...(hooks === undefined ? {} : { hooks }),
    ...(onMetric === undefined ? {} : { onMetric: sinkOf(onMetric) }),
  };
}

export function registryOf({ handlers = [], compaction }: RegistrySpec, effects: Effects): HookRegistry<AgentHooks> {
  const registry = createHookRegistry(agentHooks);
  if (compaction !== undefined) install(registry, compactionOf(compaction, effects));
  for (const handler of handlers) register(registry, handler, effects);
  return registry;
}

/** The names of a fixture are checked by the registry itself, so an unknown one goes there, too. */
function register(
  registry: HookRegistry<AgentHooks>,
  { on, id, do: actions, ...more }: HandlerSpec,
  effects: Effects,
): void {
  const act = acting(id === undefined ? undefined : `${id}.${on}`, actions, effects);
  const hook = on as never;
  const handler = ((payload: object) => act(payload)) as never;
  const options = { ...more, ...(id === undefined ? {} : { id }) } as never;
  const model = Object.hasOwn(agentHooks, on) ? agentHooks[on as keyof AgentHooks].model : 'void';
  if (model === 'modifying') registry.registerModifying(hook, handler, options);
  else if (model === 'claiming') registry.registerClaiming(hook, handler, options);
  else registry.registerVoid(hook, handler, options);
}

const anyObject: StandardSchema<unknown, object> = {
  '~standard': {
    version: 1,
    vendor: 'conformance',
    validate: (value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? { value }
        : { issues: [{ message: 'it is no object' }] },
  },
};

/** `starts` outlives the process: what a body has done stays done. */
export const toolOf = ({ name, concurrency, does }: ToolSpec, effects: Effects, starts: Map<string, number>): Tool => {
  const act = acting(`${name}.execute`, does, effects);
  return defineTool({
    name,
    description: `the tool '${name}' of a fixture`,
    input: anyObject,
    inputSchema: { type: 'object' },
    ...(concurrency === undefined ? {} : { concurrency }),
    execute: async (args, { answer }) => {
      const run = (starts.get(name) ?? 0) + 1;
      starts.set(name, run);
      const given = await act({ args, run, ...(answer === undefined ? {} : { answer }) });
      return (given ?? '') as ToolAnswer;
    },
  });
};

export function answererOf(actions: Actions, effects: Effects): Answerer {
  const act = acting('answerer', actions, effects);
  return {
    answer: async (request) => ({ id: request.id, ...((await act({ request })) as Omit<Answer, 'id'>) }),
  };
}

export function stepOf(answer: ModelAnswer): ScriptedStep {
  if (typeof answer === 'string') return answer;
  const { error, ...rest } = answer;
  return error === undefined ? rest : new Error(error);
}

/** A metric without what differs from run to run. */
export function shortMetric(metric: Metric): object {
  const { origin, ms: _, ...rest } = metric;
  const short: Record<string, unknown> = { ...rest, agent: origin.agentPath.join('/'), turn: origin.turn };
  delete short['callId'];
  if (metric.type === 'tool') {
    const { callId: _id, guardMs: _ms, ...evidence } = metric.record;
    short['record'] = evidence;
  }
  if (metric.type === 'hook') short['handlers'] = metric.handlers.map(({ id }) => id);
  return short;
}
