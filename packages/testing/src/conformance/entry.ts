/** The ways into the loop: each takes the same parts, and gives agents of one contract. */
import {
  createAgent,
  createRuntime,
  type Agent,
  type AgentOptions,
  type Answerer,
  type Clock,
  type Hooks,
  type MetricSink,
  type Personality,
} from '@treblehook/agent';
import type { AgentHooks, HookRegistry, ModelPort, SessionStore, Tool } from '@treblehook/types';

/** The seam of two levels. A key that is not there is inherited. */
interface LevelParts {
  readonly hooks?: Hooks;
  readonly onMetric?: MetricSink;
}
export interface AgentParts extends LevelParts {
  readonly personality: Personality;
  readonly unguarded?: string;
  readonly onAsk?: 'deny';
}
/** One process, as the set-up of a case describes it. */
export interface Parts {
  readonly registry: HookRegistry<AgentHooks>;
  readonly model: ModelPort;
  readonly tools: readonly Tool[];
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly answerer?: Answerer;
  readonly runtime: LevelParts;
  readonly agents: Readonly<Record<string, AgentParts>>;
}

export interface Entry {
  readonly name: string;
  readonly open: (parts: Parts) => {
    readonly agent: (name: string) => Agent;
    readonly close: () => Promise<void>;
  };
}

/** A fault of the script is the fault of its step, not of a wait that no case advances. */
const retry = { attempts: 1 };

/** Has one level alone: what a definition leaves out is taken from the runtime here. */
export const agentEntry: Entry = {
  name: 'createAgent',
  open({ runtime, agents, ...shared }) {
    const made = new Map(
      Object.entries(agents).map(([name, definition]) => {
        const options: AgentOptions = { ...shared, name, retry, ...runtime, ...definition };
        return [name, createAgent(options)];
      }),
    );
    return {
      agent: (name) => known(made.get(name), name),
      close: async () => void (await Promise.all([...made.values()].map((agent) => agent.close()))),
    };
  },
};

/** Both levels are the runtime's own. */
export const runtimeEntry: Entry = {
  name: 'createRuntime',
  open({ runtime: level, agents, tools, ...shared }) {
    const definitions = Object.entries(agents).map(([name, definition]) => [name, { tools, ...definition }] as const);
    const runtime = createRuntime({
      ...shared,
      retry,
      ...level,
      agents: Object.fromEntries(definitions),
    });
    return { agent: runtime.agent, close: async () => void (await runtime.shutdown()) };
  },
};

function known(agent: Agent | undefined, name: string): Agent {
  if (agent === undefined) throw new TypeError(`the set-up has no agent '${name}'`);
  return agent;
}
