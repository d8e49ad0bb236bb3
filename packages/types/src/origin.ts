/** Where a payload comes from: on every payload of the agent's hook points. */
export interface Origin {
  readonly runId: string;
  readonly sessionId: string;
  /** The names of the agents from the root to this one. */
  readonly agentPath: readonly string[];
  readonly personality: string;
  /** Of an agent that was given a task: the personalities of those above it, from the root. */
  readonly above?: readonly string[];
  /** Model calls of the run so far, from 0. */
  readonly turn: number;
}

/** Which call of which batch: on every payload about one tool call. */
export interface CallOrigin {
  readonly callId: string;
  /** From 1. */
  readonly attempt: number;
  readonly batch: {
    readonly id: string;
    readonly index: number;
    readonly size: number;
    readonly names: readonly string[];
  };
}

/** What every payload of the agent's points carries. */
export interface FromRun {
  readonly origin: Origin;
}
/** What every payload about one tool call carries. */
export interface FromCall extends FromRun, CallOrigin {}
