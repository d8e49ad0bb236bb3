/** The budgets of one run: what is used, and which limit is hit. */
import { estimateTokens, type LLMRequest, type ModelUsage, type Spent, type TaskBudget } from '@treblehook/types';
import type { ModelAnswer } from '../model/answer.js';
import { adopt, closeClass } from '@treblehook/core';
import type { AgentLimits, Clock } from '../contract.js';
import type { Limits } from '../config.js';
import { totalOf } from './usage.js';

/** What a run has used; times in ms. */
export interface Used {
  readonly steps: number;
  readonly calls: number;
  readonly tokens: number;
  readonly cost: number;
  readonly deniedSteps: number;
  readonly usedMs: number;
  /** Children of its tasks that are over. */
  readonly children: number;
}

export const noneSpent: Spent = adopt({ calls: 0, tokens: 0, cost: 0 });

export const sumOf = (one: Spent, other: Spent): Spent => ({
  calls: one.calls + other.calls,
  tokens: one.tokens + other.tokens,
  cost: one.cost + other.cost,
});

/**
 * What the child of a task has used of its parent's budget. A child that is taken up again, in the same process, counts
 * anew from what its log has: what was counted of it before is not counted twice.
 */
export class Share {
  readonly of: Budget;
  #counted: Spent = noneSpent;

  constructor(of: Budget) {
    this.of = of;
  }

  /** What its parent has counted of it. */
  get counted(): Spent {
    return this.#counted;
  }

  /** The child has used this much in all: what is more than was counted is its parent's too. */
  reach(spent: Spent): void {
    const { calls, tokens, cost } = this.#counted;
    const reached: Spent = {
      calls: Math.max(calls, spent.calls),
      tokens: Math.max(tokens, spent.tokens),
      cost: Math.max(cost, spent.cost),
    };
    this.#counted = reached;
    this.of.count({ calls: reached.calls - calls, tokens: reached.tokens - tokens, cost: reached.cost - cost });
  }
}
closeClass(Share);

export class Budget {
  #limits: Limits;
  readonly #clock: Clock;
  /** Of a child: each count is one of its parent's too. */
  readonly #share: Share | undefined;
  /** Of the children that have run in this process, by their sessions. */
  readonly #shares = new Map<string, Share>();
  #childrenBefore = 0;
  #began: number;
  #steps = 0;
  #calls = 0;
  #tokens = 0;
  #cost = 0;
  #deniedSteps = 0;
  #paused = 0;
  /** Tokens that the last answer of a turn counted, for its record; absent without a limit of tokens. */
  lastCounted: number | undefined;
  #pausedAt = 0;

  constructor(limits: Limits, clock: Clock, share?: Share) {
    this.#limits = limits;
    this.#share = share;
    this.#clock = clock;
    this.#began = clock.now();
  }

  /** Those of who the run is. */
  within(limits: Limits): void {
    this.#limits = limits;
  }

  /** The time of the run begins when it has its turn, not while it waits for one. */
  begin(): void {
    this.#began = this.#clock.now();
  }

  /** The time of the run stands still while an answer is awaited; several may be. */
  pause(): void {
    if (this.#paused++ === 0) this.#pausedAt = this.#clock.now();
    this.#share?.of.pause();
  }

  resume(): void {
    if (--this.#paused === 0) this.#began += this.#clock.now() - this.#pausedAt;
    this.#share?.of.resume();
  }

  /** ms of the run's own time so far. */
  get usedMs(): number {
    return (this.#paused > 0 ? this.#pausedAt : this.#clock.now()) - this.#began;
  }

  /** What a run that goes on had used when it was left. */
  restore({ steps, calls, tokens, cost, deniedSteps, usedMs, children }: Used): void {
    this.#steps = steps;
    this.#deniedSteps = deniedSteps;
    this.#childrenBefore = children;
    this.#began -= usedMs;
    this.count({ calls, tokens, cost });
  }

  /** The same one for the same child, however often it is taken up. */
  shareOf(childSessionId: string): Share {
    let share = this.#shares.get(childSessionId);
    if (share === undefined) this.#shares.set(childSessionId, (share = new Share(this)));
    return share;
  }

  /** The child was not to be: it has used nothing. */
  dropShareOf(childSessionId: string): void {
    this.#shares.delete(childSessionId);
  }

  /** How many children the run has, those included that are over. */
  get children(): number {
    return this.#childrenBefore + this.#shares.size;
  }

  get steps(): number {
    return this.#steps;
  }

  /** Names the limit that forbids a further model call. */
  hitBeforeStep(): keyof AgentLimits | undefined {
    const { steps, deniedSteps } = this.#limits;
    if (steps !== undefined && this.#steps >= steps) return 'steps';
    if (deniedSteps !== undefined && this.#deniedSteps >= deniedSteps) return 'deniedSteps';
    return this.#spent();
  }

  /** Names the limit that forbids a model call of a handler: it is no step. */
  hitBeforeSideCall(): keyof AgentLimits | undefined {
    return this.#spent();
  }

  /** A request is sent; one that a stage has vetoed was none. */
  takeStep(): void {
    this.#steps++;
  }

  /** Takes one tool call, or names the limit that forbids it. */
  takeCall(): keyof AgentLimits | undefined {
    const hit = this.#hasCall() ? this.#spent() : 'toolCalls';
    if (hit === undefined) this.count({ calls: 1 });
    return hit;
  }

  #hasCall(): boolean {
    const { toolCalls } = this.#limits;
    if (toolCalls !== undefined && this.#calls >= toolCalls) return false;
    // one that it took before it was taken up again is its parents' already
    return this.#share === undefined || this.#share.counted.calls > this.#calls || this.#share.of.#hasCall();
  }

  /** One that was taken before its run was left: it has its place, whatever is reached by now. */
  takeCallAgain(): void {
    this.count({ calls: 1 });
  }

  /** What is used of what its parents share with it. */
  count({ calls = 0, tokens = 0, cost = 0 }: Partial<Spent>): void {
    this.#calls += calls;
    this.#tokens += tokens;
    this.#cost += cost;
    this.#share?.reach({ calls: this.#calls, tokens: this.#tokens, cost: this.#cost });
  }

  /** The known cost of a model call; one that is not known counts nothing. */
  countCost(cost: number | undefined): void {
    if (cost !== undefined) this.count({ cost });
  }

  /** What a child could still use; a key without a limit is absent. */
  left(): TaskBudget {
    const { toolCalls, tokens, cost } = this.#limits;
    const wallMs = this.wallLeft();
    const own = {
      ...(toolCalls === undefined ? {} : { toolCalls: Math.max(0, toolCalls - this.#calls) }),
      ...(tokens === undefined ? {} : { tokens: Math.max(0, tokens - this.#tokens) }),
      ...(cost === undefined ? {} : { cost: Math.max(0, cost - this.#cost) }),
      ...(wallMs === Infinity ? {} : { wallMs: Math.max(0, wallMs) }),
    };
    return this.#share === undefined ? own : least(own, this.#share.of.left());
  }

  #spent(): keyof AgentLimits | undefined {
    const { tokens, cost } = this.#limits;
    if (tokens !== undefined && this.#tokens >= tokens) return 'tokens';
    if (cost !== undefined && this.#cost >= cost) return 'cost';
    if (this.wallLeft() <= 0) return 'wallMs';
    return this.#share === undefined ? undefined : this.#share.of.#spent();
  }

  /** ms until `wallMs` is over. */
  wallLeft(): number {
    const { wallMs } = this.#limits;
    const own = wallMs === undefined ? Infinity : wallMs - this.usedMs;
    return this.#share === undefined ? own : Math.min(own, this.#share.of.wallLeft());
  }

  get countsTokens(): boolean {
    return this.#limits.tokens !== undefined || this.#share?.of.countsTokens === true;
  }

  /**
   * Under a limit of tokens, what a provider does not report of an answer is estimated, so that the limit holds all the
   * same; without an answer nothing is. Without the limit what is reported counts, as it does where the run goes on. Gives
   * what the log has to say beside the usage: nothing without the limit.
   */
  countTokens(usage: ModelUsage, request: LLMRequest, answer: ModelAnswer | undefined): number | undefined {
    if (!this.countsTokens) {
      this.count({ tokens: totalOf(usage) });
      return undefined;
    }
    const { inputTokens, outputTokens } = usage;
    const tokens =
      answer === undefined
        ? totalOf(usage)
        : (inputTokens.total ?? estimateTokens([...request.messages, ...request.inject], request.tools)) +
          (outputTokens.total ?? estimateTokens([answer.message]));
    this.count({ tokens });
    return tokens;
  }

  /** The calls of a step are over. */
  countStep(wereAllDenied: boolean): void {
    this.#deniedSteps = wereAllDenied ? this.#deniedSteps + 1 : 0;
  }
}
closeClass(Budget);

/** Of each key the smaller value; a key that one of the two lacks is the other's. */
export function least(one: TaskBudget, other: TaskBudget): TaskBudget {
  const all: Record<string, number> = { ...one };
  for (const [key, value] of Object.entries(other) as [string, number][]) all[key] = Math.min(all[key] ?? value, value);
  return all;
}
