/** The body of a call from its start to its result, or to the end of the run's patience. */
import { closeClass } from '@treblehook/core';
import { ownFields, textOf, type RequestDraft } from '@treblehook/types';
import { errorResult, isPending, pendingFault, resultOf } from '../door/tool-result.js';
import type { RunState } from '../run/run-state.js';
import { isPromiseLike, promiseOf } from '../run/shared-prototypes.js';
import type { ToolCall } from './tool-call.js';

/** What a body waits for. It goes through a promise, so it inherits nothing. */
export type Held = RequestDraft;

/** A body from its start to its result, or to the end of the run's patience. */
export class BodyRun {
  readonly #run: RunState;
  readonly #call: ToolCall;
  readonly #began: number;
  #pending: PromiseLike<unknown> | undefined;
  /** It has answered, or thrown. */
  isOver = false;
  /** What it waits for. */
  held: Held | undefined;

  constructor(run: RunState, call: ToolCall) {
    this.#run = run;
    this.#call = call;
    this.#began = run.config.clock.now();
  }

  start(body: () => unknown): void {
    try {
      const answer = body();
      if (isPromiseLike(answer)) this.#pending = answer;
      else this.#answered(answer);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Resolves with the body, or `graceMs` after the abort of the run. What comes later is told to the log alone. */
  settled(): Promise<void> {
    const { abort, config } = this.#run;
    return new Promise((resolve) => {
      let isWaitedFor = true;
      let cancelGrace: (() => void) | undefined;
      const over = (settle?: () => void): void => {
        if (!isWaitedFor) return;
        isWaitedFor = false;
        off();
        cancelGrace?.();
        this.#call.ms += config.clock.now() - this.#began;
        settle?.();
        resolve();
      };
      let off = (): void => {};
      // the run of a child ends by itself
      if (!this.#call.tool!.isRun)
        off = abort.onAbort(() => {
          cancelGrace = config.clock.after(config.graceMs, () => over());
        });
      promiseOf(this.#pending).then(
        (answer) => (isWaitedFor ? over(() => this.#answered(answer)) : this.#late('it ended')),
        (error: unknown) => (isWaitedFor ? over(() => this.#failed(error)) : this.#late(`it failed: ${textOf(error)}`)),
      );
    });
  }

  #late(text: string): void {
    this.#run.tellLate(this.#call.origin.callId, text);
  }

  #answered(answer: unknown): void {
    this.isOver = true;
    if (this.#pending === undefined) this.#call.ms += this.#run.config.clock.now() - this.#began;
    try {
      if (isPending(answer)) {
        const fault = pendingFault(answer);
        if (fault === undefined) this.held = ownFields(answer.pending);
        else this.#call.raw = errorResult(`what '${this.#call.name}' waits for ${fault}`);
      } else this.#call.raw = resultOf(answer, `the tool '${this.#call.name}'`);
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (this.#pending === undefined && !this.isOver) this.#call.ms += this.#run.config.clock.now() - this.#began;
    this.isOver = true;
    this.#call.wasCancelled = this.#run.abort.isAborted;
    const what = this.#call.wasCancelled ? 'was cancelled while it ran' : 'failed';
    this.#call.raw = errorResult(`'${this.#call.name}' ${what}: ${textOf(error)}`);
  }
}
closeClass(BodyRun);
