/** The body of a call runs against its clearance, and nothing leaves before `afterTool` has settled. */
import { closeClass } from '@treblehook/core';
import { textOf, type ToolContext, type ToolResult } from '@treblehook/types';
import { endByFault } from './before-tool.js';
import { digestOf } from './canonical.js';
import { Clearance } from './clearance.js';
import { fireStep, type Step } from './fire-step.js';
import type { RunState } from './run-state.js';
import type { ToolCall } from './tool-call.js';
import { errorResult, resultOf } from './tool-result.js';

/** The body starts before this returns: nothing comes between the look at `generation` and the body. */
export async function executeCall(run: RunState, call: ToolCall, generation: number): Promise<void> {
  const { clearance } = call;
  call.clearance = undefined;
  if (call.supplied !== undefined) {
    Clearance.spend(clearance, call.tool!, generation);
    call.by = call.suppliedBy;
    return amendResult(run, call, call.supplied);
  }
  const ctx: ToolContext = Object.freeze({
    signal: run.abort.signal,
    callId: call.origin.callId,
    origin: run.origin,
  });
  const body = new BodyRun(run, call);
  body.start(() => call.tool!.run(clearance!, generation, ctx));
  if (body.raw === undefined) await body.settled();
  if (body.raw !== undefined) return amendResult(run, call, body.raw, body.wasCancelled);
  const text = 'it did not stop when the run was aborted and may still be running; what it has done is not known';
  call.end('outcome-unknown', `'${call.name}': ${text}`, 'may still be running');
}

/** A body from its start to its result, or to the end of the run's patience. */
class BodyRun {
  readonly #run: RunState;
  readonly #call: ToolCall;
  readonly #began: number;
  #pending: PromiseLike<unknown> | undefined;
  raw: ToolResult | undefined;
  wasCancelled = false;

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

  /** Resolves with the body, or `graceMs` after the abort of the run. What comes later is dropped. */
  settled(): Promise<void> {
    const { abort, config } = this.#run;
    return new Promise((resolve) => {
      let isOver = false;
      let cancelGrace: (() => void) | undefined;
      const over = (settle?: () => void): void => {
        if (isOver) return;
        isOver = true;
        off();
        cancelGrace?.();
        this.#call.ms = config.clock.now() - this.#began;
        settle?.();
        resolve();
      };
      let off = (): void => {};
      off = abort.onAbort(() => {
        cancelGrace = config.clock.after(config.graceMs, () => over());
      });
      Promise.resolve(this.#pending).then(
        (answer) => over(() => this.#answered(answer)),
        (error: unknown) => over(() => this.#failed(error)),
      );
    });
  }

  #answered(answer: unknown): void {
    this.#call.ms = this.#run.config.clock.now() - this.#began;
    try {
      this.raw = resultOf(answer, `the tool '${this.#call.name}'`);
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.#call.ms = this.#run.config.clock.now() - this.#began;
    this.wasCancelled = this.#run.abort.isAborted;
    const what = this.wasCancelled ? 'was cancelled while it ran' : 'failed';
    this.raw = errorResult(`'${this.#call.name}' ${what}: ${textOf(error)}`);
  }
}

closeClass(BodyRun);

/** Of a plain object only its own `then` counts: a result is no promise because of `Object.prototype`. */
function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof Promise) return true;
  const proto: unknown = Object.getPrototypeOf(value);
  if ((proto === Object.prototype || proto === null) && !Object.hasOwn(value, 'then')) return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

async function amendResult(run: RunState, call: ToolCall, raw: ToolResult, wasCancelled = false): Promise<void> {
  const { name, args, ms } = call;
  call.rawDigest = digestOf({ ...raw });
  let step: Step<'afterTool'>;
  try {
    const payload = { origin: run.origin, ...call.origin, name, args, result: raw, ms };
    step = await fireStep(run, 'closing', 'afterTool', payload);
  } catch (error) {
    return endByFault(call, error, 'afterTool', 'the tool has run, its result is withheld');
  }
  const { result } = step.amended;
  call.answer(result === undefined ? raw : resultOf(result, 'a hook'));
  if (wasCancelled) call.outcome = 'cancelled';
}
