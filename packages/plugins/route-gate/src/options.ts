/** What the route gate is told: routes, rules, budget. */
import type { CountTokens } from '@treblehook/types';

/** Per million tokens, in the currency of your choice. A price that is absent is unknown, never zero. */
export interface Price {
  readonly input?: number;
  readonly output?: number;
  /** Absent: cached tokens are taken at the input price, and the sum is called an estimate. */
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface Route {
  /** A word of yours, such as `small` or `frontier`; rules speak of it. */
  readonly tier: string;
  readonly price?: Price;
  /** Tokens of input and output together. Absent: unknown, so nothing is refused for its length. */
  readonly contextWindow?: number;
}

/** What becomes of a request that is turned away. Absent: the default route, and without one a veto. */
export type Instead = 'veto' | { readonly downgrade: string };

/** Who may use a tier. A request must satisfy every rule of its tier, in whatever order they stand. */
export interface TierRule {
  readonly tier: string;
  /** Name globs. One entry must match, with all that it names. Absent: anybody. */
  readonly for?: readonly { readonly personality?: string; readonly job?: string }[];
  /** `true`: the job must say why. A number: in at least so many characters. */
  readonly justification?: true | number;
  readonly otherwise?: Instead;
}

export interface RouteGateOptions {
  /** Model key → route. A request for a model that has none is vetoed. */
  readonly routes: Readonly<Record<string, Route>>;
  readonly rules?: readonly TierRule[];
  /** Where a request goes that is turned away and whose rule names no other route. */
  readonly default?: string;
  readonly budget?: {
    /** In the currency of the prices. Each route must then have an input and an output price. */
    readonly perSession: number;
    /** What happens when the call would go beyond. A route to downgrade to is open beyond the budget. */
    readonly over?: Instead;
  };
  /** What happens to a request that does not fit the window of its route. */
  readonly tooLong?: 'veto' | { readonly use: string };
  /** Default `estimateTokens`. What it gives for a list must be the sum of its parts. */
  readonly countTokens?: CountTokens;
  /** Told each decision, for a trace. A throw is reported as a warning of the process and changes nothing. */
  readonly onDecision?: (decision: RouteDecision) => void;
}

/** What the gate decided about one model call, and why. */
export interface RouteDecision {
  readonly runId: string;
  readonly sessionId: string;
  readonly turn: number;
  /** The model as the stages before the gate left it. */
  readonly asked: string;
  readonly action: 'keep' | 'move' | 'veto';
  /** The model that is called; absent when vetoed. */
  readonly model?: string;
  readonly reason: string;
  /** Of the request, as counted. */
  readonly tokens: number;
  /** Of the session so far, as far as known. */
  readonly spent: number;
  /** Calls in `spent` whose cost is not known or estimated. */
  readonly inexact: number;
}
