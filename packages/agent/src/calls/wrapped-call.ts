/** A call inside `around.toolCall`: its steps are the group's to take, when and how often is its wrapper's to say. */
import { adopt, closeClass } from '@treblehook/core';
import { HookError, ownFields, textOf, type JsonValue } from '@treblehook/types';
import type { AroundToolCall, ToolCallDone } from '../around.js';
import { endByAbort, limitStop, settled, stopOf } from './call-step.js';
import type { Stop } from './calls.js';
import { clearCall } from './clear-call.js';
import { executeCall, settleResult } from './execute.js';
import { prepareCall } from './prepare-call.js';
import { endByWrapper, readChange, readProposal, replaceResult, type Proposal } from './proposal.js';
import { canonicalJson } from '../door/canonical.js';
import { errorResult } from '../door/tool-result.js';
import type { RunState } from '../run/run-state.js';
import { Wrapper } from '../run/wrapper.js';
import type { ToolCall } from './tool-call.js';
import { suspendedResult } from './tool-end.js';

/**
 * The wrapper goes on between the steps: `core` is answered when its attempt is over. The first attempt keeps the law of
 * its group: it is cleared in its turn (`clear`), its body runs beside the others, its result is settled in its turn
 * (`finish`). An attempt anew is made where the one before it ended: in front of the bodies when no guard had cleared it,
 * else alone behind them.
 */
export class WrappedCall {
  /** The attempt in hand. */
  call: ToolCall;
  readonly #run: RunState;
  readonly #offered: readonly string[];
  readonly #stops: { readonly stop: Stop | undefined };
  readonly #wrapper: Wrapper<{ readonly args: JsonValue } | undefined, ToolCallDone>;
  /** As the wrapper was shown them: of a call that is taken up, as it was sealed. */
  readonly #shown: JsonValue;
  /** What an attempt starts from when the wrapper changes nothing: the model's, in whichever process. */
  readonly #args: JsonValue;
  #attempts = 0;
  #isStopped = false;
  #isConcluded = false;

  constructor(run: RunState, call: ToolCall, offered: readonly string[], stops: { readonly stop: Stop | undefined }) {
    this.#run = run;
    this.call = call;
    this.#offered = offered;
    this.#stops = stops;
    this.#shown = call.args;
    this.#args = call.progress === undefined ? call.args : call.progress.call.args;
    this.#wrapper = new Wrapper(run, 'toolCall', {
      read: (changed) => readChange(call.name, changed),
      refusal: () => this.#refusal(),
      onLate: (thrown) =>
        run.tellLate(
          call.origin.callId,
          thrown === undefined ? "'around' ended" : `'around' failed: ${textOf(thrown.error)}`,
        ),
    });
    call.wrap = this;
  }

  /** Leaves the attempt in hand cleared, waiting or over. Never rejects. */
  async clear(): Promise<void> {
    const { name, args, origin } = this.call;
    const event: AroundToolCall = adopt({
      origin: this.#run.origin,
      ...origin,
      name,
      args,
      isTakenUp: this.call.sealed !== undefined,
    });
    const { toolCall } = this.#run.config.around!;
    this.#wrapper.start((core, signal) => toolCall!(event, core, signal));
    await this.#advance(false);
  }

  /** Takes the result of the attempt in hand to its end, and its wrapper with it. Never rejects. */
  async finish(): Promise<void> {
    await this.#settleResult();
    if (this.#isConcluded) return;
    if (this.#wrapper.wants) this.#answer();
    await this.#advance(true);
  }

  /** Gives the wrapper the word until it is over; `isAlone` takes attempts through their bodies, else one waits for its. */
  async #advance(isAlone: boolean): Promise<void> {
    while (!this.#isConcluded) {
      await this.#wrapper.next();
      if (!this.#wrapper.wants || this.#wrapper.isAbandoned) return this.#conclude();
      if (!(await this.#begin())) continue;
      await this.#step(() => this.#prepare());
      if (!this.call.isSettled) {
        if (!isAlone) return;
        await this.#step(() => executeCall(this.#run, this.call));
        await this.#settleResult();
      }
      this.#answer();
    }
  }

  /** Whether an attempt begins; one that may not start is none, and the one before it stands. */
  async #begin(): Promise<boolean> {
    const { changed } = this.#wrapper;
    if (this.#attempts++ === 0) {
      // a call that is taken up goes on with its seal unless it is made another one
      const isSame =
        changed === undefined ||
        (this.call.sealed !== undefined && canonicalJson(changed.args) === canonicalJson(this.#shown));
      if (!isSame) this.call = this.call.remade(changed.args);
      return true;
    }
    const { call } = this;
    const stop = this.#stops.stop ?? stopOf(call) ?? limitStop(this.#run);
    if (stop === undefined) await this.#step(() => this.#logAttempt());
    const why = stop ?? stopOf(call);
    if (why !== undefined) {
      call.stoppedBy ??= why;
      this.#isStopped = true;
      const result = errorResult(`not-started: ${why.text}`);
      this.#wrapper.answer(Object.freeze(ownFields<ToolCallDone>({ outcome: 'not-started', result })));
      return false;
    }
    this.call = call.again(changed?.args ?? this.#args, call.origin.attempt + 1, changed !== undefined);
    return true;
  }

  async #logAttempt(): Promise<void> {
    const { call } = this;
    const { attempt } = call.origin;
    await this.#run.write({
      type: 'attempt',
      ...call.logged(this.#run.id),
      name: call.name,
      attempt,
      args: call.args,
      outcome: call.outcome!,
      result: call.result!,
      ms: call.ms,
      record: call.record(),
      ...(call.spent === undefined ? {} : { spent: call.spent }),
    });
  }

  async #prepare(): Promise<void> {
    if (this.call.sealed === undefined) await prepareCall(this.#run, this.call, this.#offered);
    if (!this.call.isSettled) await clearCall(this.#run, this.call);
  }

  #step(step: () => Promise<void>): Promise<void> {
    return settled(this.#run, this.call, step);
  }

  async #settleResult(): Promise<void> {
    const { call } = this;
    if (!call.isSettled && call.raw !== undefined) await this.#step(() => settleResult(this.#run, call));
  }

  #answer(): void {
    const { outcome, result, waiting } = this.call;
    this.#wrapper.answer(
      Object.freeze(
        ownFields<ToolCallDone>(
          outcome === undefined
            ? { outcome: 'suspended', result: suspendedResult(waiting) }
            : { outcome, result: result! },
        ),
      ),
    );
  }

  #refusal(): string | undefined {
    if (this.#attempts === 0) return undefined;
    if (this.call.waiting !== undefined) return 'the call waits for an answer';
    if (this.call.outcome === 'outcome-unknown') return 'its body may still be running';
    if (this.#run.abort.isAborted) return 'the run is aborted';
    return this.#isStopped ? 'no attempt may start any more' : undefined;
  }

  async #conclude(): Promise<void> {
    this.#isConcluded = true;
    const { call } = this;
    const { isAbandoned, given } = this.#wrapper;
    let { thrown } = this.#wrapper;
    const hasRun = this.#attempts > 0;
    if (isAbandoned) {
      this.#wrapper.reject(new HookError('TH_CORE_REFUSED', { kind: 'toolCall', what: 'the run is aborted' }));
      if (!call.isSettled) endByAbort(this.#run, call);
      return;
    }
    if (!hasRun && this.#run.abort.isAborted) return endByAbort(this.#run, call); // swallows what an abort makes of the wrapper
    let proposal: Proposal | undefined;
    try {
      if (thrown === undefined) proposal = readProposal(given);
      if (thrown === undefined && proposal === undefined && !hasRun) throw forgotten();
    } catch (error) {
      thrown = { error };
    }
    if (thrown !== undefined) endByWrapper(call, thrown.error, hasRun, this.#run.abort.isAborted);
    else if (proposal !== undefined && hasRun) replaceResult(call, proposal);
    else if (proposal !== undefined) await this.#supply(proposal);
  }

  /** Nothing has run, and nothing will: the call is sealed and put to the guards all the same. */
  async #supply({ result, by }: Proposal): Promise<void> {
    const { call } = this;
    call.proposed = { result, by };
    if (call.sealed !== undefined) call.takeProposal();
    await this.#step(() => this.#prepare());
  }
}
closeClass(WrappedCall);

const forgotten = (): HookError =>
  new HookError('TH_AROUND_FAILED', { kind: 'toolCall', what: 'neither called core nor gave a result' });
