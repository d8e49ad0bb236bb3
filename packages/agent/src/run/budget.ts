/** The budgets of one run: what is used, and which limit is hit. */
import { estimateTokens, type LLMRequest, type ModelUsage } from '@treblehook/types';
import type { Answer } from '../model/answer.js';
import { closeClass } from '@treblehook/core';
import type { AgentLimits, Clock } from '../contract.js';
import type { Cost } from './metrics.js';
import type { Limits } from '../options.js';
import { totalOf } from './usage.js';

/** What a run has used; times in ms. */
export interface Used {
  readonly steps: number;
  readonly calls: number;
  readonly tokens: number;
  readonly deniedSteps: number;
  readonly usedMs: number;
}

export class Budget {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #cost: Cost;
  #began: number;
  #steps = 0;
  #calls = 0;
  #tokens = 0;
  #deniedSteps = 0;
  #paused = 0;
  /** Tokens that the last answer of a turn counted; absent without a limit of tokens. */
  lastCounted: number | undefined;
  #pausedAt = 0;

  constructor(limits: Limits, clock: Clock, cost: Cost) {
    this.#limits = limits;
    this.#cost = cost;
    this.#clock = clock;
    this.#began = clock.now();
  }

  /** The time of the run begins when it has its turn, not while it waits for one. */
  begin(): void {
    this.#began = this.#clock.now();
  }

  /** The time of the run stands still while an answer is awaited; several may be. */
  pause(): void {
    if (this.#paused++ === 0) this.#pausedAt = this.#clock.now();
  }

  resume(): void {
    if (--this.#paused === 0) this.#began += this.#clock.now() - this.#pausedAt;
  }

  /** ms of the run's own time so far. */
  get usedMs(): number {
    return (this.#paused > 0 ? this.#pausedAt : this.#clock.now()) - this.#began;
  }

  /** What a run that goes on had used when it was left. */
  restore({ steps, calls, tokens, deniedSteps, usedMs }: Used): void {
    this.#steps = steps;
    this.#calls = calls;
    this.#tokens = tokens;
    this.#deniedSteps = deniedSteps;
    this.#began -= usedMs;
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
    const { toolCalls } = this.#limits;
    if (toolCalls !== undefined && this.#calls >= toolCalls) return 'toolCalls';
    const hit = this.#spent();
    if (hit === undefined) this.#calls++;
    return hit;
  }

  #spent(): keyof AgentLimits | undefined {
    const { tokens, cost } = this.#limits;
    if (tokens !== undefined && this.#tokens >= tokens) return 'tokens';
    if (cost !== undefined && this.#cost.atLeast >= cost) return 'cost';
    return this.wallLeft() <= 0 ? 'wallMs' : undefined;
  }

  /** ms until `wallMs` is over. */
  wallLeft(): number {
    const { wallMs } = this.#limits;
    return wallMs === undefined ? Infinity : wallMs - this.usedMs;
  }

  /**
   * What a provider does not report of an answer is estimated, so that the limit holds all the same; without an answer
   * nothing is. Gives what counts: nothing without the limit.
   */
  countTokens(usage: ModelUsage, request: LLMRequest, answer: Answer | undefined): number | undefined {
    if (this.#limits.tokens === undefined) return undefined;
    const { inputTokens, outputTokens } = usage;
    const tokens =
      answer === undefined
        ? totalOf(usage)
        : (inputTokens.total ?? estimateTokens([...request.messages, ...request.inject], request.tools)) +
          (outputTokens.total ?? estimateTokens([answer.message]));
    this.#tokens += tokens;
    return tokens;
  }

  /** The calls of a step are over. */
  countStep(wereAllDenied: boolean): void {
    this.#deniedSteps = wereAllDenied ? this.#deniedSteps + 1 : 0;
  }
}
closeClass(Budget);
