/** The contract of the runtime: several agents in one process, what they share, and how it is shut down. */
import type { ModelPort } from '@treblehook/types';
import type { Agent, AgentOptions } from '../contract.js';
import type { AgentDescription } from '../description.js';

export type Fetch = typeof fetch;

/** What a model is made with. */
export interface ModelPorts {
  /** The runtime's. */
  readonly fetch: Fetch;
}

/** A model, or what makes one with the runtime's ports. It is asked once, as the runtime is made. */
export type ModelSource = ModelPort | ((ports: ModelPorts) => ModelPort);

/** Options that the agents of a runtime share, whatever they are. */
type Shared = 'registry' | 'store' | 'answerer' | 'clock' | 'ids' | 'random' | 'graceMs' | 'lockWaitMs';
/** Options of one agent alone. */
type OfOne = 'name' | 'formerNames' | 'model' | 'models' | 'tools' | 'personality' | 'personalities' | 'unguarded';

/** One agent of a runtime. A field that is given replaces the runtime's whole; one that is `undefined` inherits it. */
export interface AgentDefinition extends Inheriting<Omit<AgentOptions, Shared | 'name' | 'models' | 'model'>> {
  /** A key of the models, or a model. */
  readonly model?: string | ModelSource | undefined;
  readonly models?: Readonly<Record<string, ModelSource>> | undefined;
  /** What it is for, as an agent that may task it reads it. */
  readonly description?: string | undefined;
  /** Names of the agents that it may task: it has the tool `task` then, guarded like any other. */
  readonly agents?: readonly string[] | undefined;
}
type Inheriting<T> = { readonly [K in keyof T]?: T[K] | undefined };

/**
 * What the agents share, and what holds for those that say nothing of it: `hooks`, `onMetric`, `model`, `models`, `prices`,
 * `settings`, `limits`, `retry`, `cwd`, `onAsk` and the like.
 */
export interface RuntimeOptions extends Omit<AgentOptions, OfOne> {
  /** By name, which stands in `origin.agentPath`. */
  readonly agents: Readonly<Record<string, AgentDefinition>>;
  readonly model?: string | ModelSource;
  readonly models?: Readonly<Record<string, ModelSource>>;
  /** Given to what makes a model. Default: the one of Node. */
  readonly fetch?: Fetch;
  /** Runs of all agents that have their turn at the same time; the others wait. Default: no limit. */
  readonly maxConcurrentTurns?: number;
  /** Runs of one agent that may wait for a turn; one more is `TH_INBOX_FULL`. Default 100. */
  readonly inboxCap?: number;
  /** Levels of children below an agent that nobody has tasked. Default 3. */
  readonly maxDepth?: number;
  /** Tasks that one run may give. Default 16. */
  readonly maxChildren?: number;
  /** How long a run waits for its turn, ms; then it is `TH_SESSION_BUSY`. Default 600,000. */
  readonly inboxWaitMs?: number;
  /** They need a registry that has their points: see `ChannelRuntimeOptions`. */
  readonly channels?: never;
  readonly route?: never;
}

export interface ShutdownOptions {
  /** How long runs in hand may go on, ms. Default 10,000. */
  readonly graceMs?: number;
  /**
   * How long a run that was suspended may take to end, beside the agent's own `graceMs` for its bodies, ms; each session
   * has as long to close. What takes longer is `stuck`. Default 5,000.
   */
  readonly settleMs?: number;
}

/** What has not ended in its time, such as a run whose session store does not answer. */
export interface Stuck {
  readonly sessionId: string;
  readonly agent: string;
  /** Absent: a message, or a session, without a run. */
  readonly runId?: string;
  /** What it waits for, in words. */
  readonly what: string;
}

/** What became of whom. */
export interface ShutdownReport {
  /** Runs that were in hand and have ended. */
  readonly finished: number;
  /** Runs that are left open in the store: `agent.resume(sessionId)` goes on with each, in another process too. */
  readonly suspended: readonly { readonly agent: string; readonly sessionId: string; readonly runId: string }[];
  /** Runs that waited for a turn, and were refused with `TH_DISPOSED`. */
  readonly refused: number;
  /**
   * What nobody waits for any more. Nothing of it is written from then on, its lease runs out by itself, and its log stays
   * open as it is: `agent.resume(sessionId)` goes on with it in another process.
   */
  readonly stuck: readonly Stuck[];
}

export interface Runtime {
  /** The names of the agents. */
  readonly names: readonly string[];
  /** The agent of that name: what `createAgent` gives, within the limits of the runtime. Throws `TH_OPTION_INVALID`. */
  readonly agent: (name: string) => Agent;
  readonly describe: () => RuntimeDescription;
  /**
   * Lets no run in any more and waits for those in hand; what runs still after `graceMs` is suspended: it stops at once (a
   * model call is given up, a tool body has the agent's own `graceMs`), stays open in the log and ends `pending`. Then
   * every session is closed. What has not ended `settleMs` later is named as `stuck`, and not waited for. Messages of channels that are on their way have the same time to be sent. The store stays open: it is the host's. Idempotent.
   */
  readonly shutdown: (options?: ShutdownOptions) => Promise<ShutdownReport>;
}

export interface RuntimeDescription {
  readonly agents: readonly AgentDescription[];
  readonly maxConcurrentTurns: number | undefined;
  readonly inboxCap: number;
  readonly inboxWaitMs: number;
  readonly maxDepth: number;
  readonly maxChildren: number;
  /** The platforms of the channels. */
  readonly channels: readonly string[];
  /** Runs in hand, and runs that wait, by agent. */
  readonly running: number;
  readonly waiting: Readonly<Record<string, number>>;
}
