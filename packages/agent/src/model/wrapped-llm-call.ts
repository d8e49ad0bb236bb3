/** The model call of a turn inside `around.llmCall`: pipeline and call as often as its wrapper says, one answer at the end. */
import { adopt, append, closeClass, frozen } from '@treblehook/core';
import { HookError, isHookError, ownFields, textOf } from '@treblehook/types';
import { nameOf, readGiven, type LLMCallChange, type LLMCallDone, type LLMCallProposal } from '../around.js';
import type { ModelAnswer } from './answer.js';
import type { AgentLimits } from '../contract.js';
import type { AttemptOptions } from './attempt.js';
import { readLLMChange } from './llm-change.js';
import { callModel } from './model-call.js';
import { outputGate } from './output-gate.js';
import { outOf } from '../plain-hooks.js';
import { askedOf, buildRequest } from './request.js';
import { Aborted } from '../run/run-abort.js';
import type { RunState } from '../run/run-state.js';
import { noUsage } from '../run/usage.js';
import { warnOfThrow, Wrapper } from '../run/wrapper.js';

type Delta = readonly [Parameters<AttemptOptions['onDelta']>[0], string];

const proposalNames: Readonly<Record<keyof LLMCallProposal, true>> = {
  text: true,
  by: true,
  status: true,
  answer: true,
  reason: true,
};

/** Deltas wait until the wrapper has settled: of an answer that is not used nobody sees anything. */
export class WrappedLLMCall {
  readonly #run: RunState;
  readonly #wrapper: Wrapper<LLMCallChange | undefined, LLMCallDone>;
  #deltas: Delta[] = [];
  #requests = 0;
  /** The last request was answered by a fault. */
  #fault: { readonly error: unknown } | undefined;
  /** It forbids a further request. */
  #limit: keyof AgentLimits | undefined;
  /** Absent when the run is at its end. */
  answer: ModelAnswer | undefined;
  /** Who has given it in place of the model. */
  by: string | undefined;

  constructor(run: RunState) {
    this.#run = run;
    this.#wrapper = new Wrapper(run, 'llmCall', {
      read: (changed) => readLLMChange(askedOf(run), changed),
      refusal: () => this.#refusal(),
    });
  }

  /** Leaves the answer, or the ending on the run. Rejects with what ends the run `failed`, and with `Aborted`. */
  async settled(): Promise<void> {
    const asked = Object.freeze(askedOf(this.#run));
    const { llmCall } = this.#run.config.around!;
    this.#wrapper.start((core, signal) => llmCall!(asked, core, signal));
    for (;;) {
      await this.#wrapper.next();
      if (!this.#wrapper.wants || this.#wrapper.isAbandoned) break;
      await this.#request();
    }
    try {
      await this.#conclude(asked.model);
    } catch (error) {
      await this.#drop();
      throw error;
    }
  }

  async #request(): Promise<void> {
    const run = this.#run;
    const { changed } = this.#wrapper;
    try {
      await this.#drop();
      run.abort.throwIfAborted();
      this.#fault = undefined;
      this.#requests++;
      await buildRequest(run, changed);
      if (run.ending === undefined) {
        this.answer = await callModel(run, run.request!, (type, text) => append(this.#deltas, [type, text] as const));
      }
      this.#wrapper.answer(this.#done());
    } catch (error) {
      this.#fault = { error };
      this.#wrapper.reject(outOf(run, error, 'around.llmCall'));
    }
  }

  #done(): LLMCallDone {
    const { ending, model } = this.#run;
    if (this.answer === undefined) {
      return Object.freeze(ownFields<LLMCallDone>({ status: 'vetoed', reason: ending?.reason?.text ?? '' }));
    }
    const { message, text, finishReason, usage } = this.answer;
    const answer = frozen({ message, text, model, finishReason, usage });
    return Object.freeze(ownFields<LLMCallDone>({ status: 'answered', answer }));
  }

  #refusal(): string | undefined {
    const run = this.#run;
    if (run.ending !== undefined) return 'the request was vetoed';
    if (run.abort.isAborted) return 'the run is aborted';
    if (this.#requests > 0) this.#limit ??= run.budget.hitBeforeStep();
    return this.#limit && `the run has reached its limit '${this.#limit}'`;
  }

  async #conclude(model: string): Promise<void> {
    const run = this.#run;
    const { thrown, given, isAbandoned } = this.#wrapper;
    if (isAbandoned) {
      this.#wrapper.reject(new HookError('TH_CORE_REFUSED', { kind: 'llmCall', what: 'the run is aborted' }));
      throw new Aborted();
    }
    run.abort.throwIfAborted(); // swallows what an abort makes of it
    if (run.ending !== undefined) {
      if (thrown !== undefined) {
        warnOfThrow('llmCall', `failed, and the request stays vetoed: ${textOf(thrown.error)}`, thrown.error);
      }
      return;
    }
    if (thrown !== undefined) {
      if (this.#limit === undefined || !isRefusal(thrown.error)) throw thrown.error;
      run.ending = { status: 'incomplete', limit: this.#limit };
      return this.#drop();
    }
    const { text, by } =
      given === undefined || given === null
        ? ownFields<LLMCallProposal>({})
        : (readGiven('llmCall', given, proposalNames, '{ text, by? }') as LLMCallProposal);
    if (text !== undefined) return this.#replace(text, nameOf(by), model);
    if (this.answer !== undefined) return this.#emit();
    if (this.#limit !== undefined) {
      run.ending = { status: 'incomplete', limit: this.#limit };
      return;
    }
    if (this.#fault !== undefined) throw this.#fault.error;
    throw new HookError('TH_AROUND_FAILED', { kind: 'llmCall', what: 'neither called core nor gave a text' });
  }

  /** As any output it passes `beforeOutput`; as no model call it fires neither `llmRequest` nor `afterLLM`. */
  async #replace(given: string, by: string, model: string): Promise<void> {
    const run = this.#run;
    if (typeof given !== 'string') {
      throw new HookError('TH_AROUND_FAILED', { kind: 'llmCall', what: 'gave a text that is none' });
    }
    await this.#drop();
    const gate = given === '' ? undefined : outputGate(run);
    const text = gate === undefined ? given : ((await gate({ type: 'text', text: given })) ?? '');
    if (text !== '') append(this.#deltas, ['text-delta', text] as const);
    const content = adopt(text === '' ? [] : [adopt({ type: 'text' as const, text })]);
    this.by = by;
    if (this.#requests === 0) run.model = model;
    this.answer = Object.freeze(
      ownFields<ModelAnswer>({
        message: adopt({ id: run.config.ids('message'), role: 'assistant', content }),
        text,
        calls: Object.freeze([]),
        finishReason: Object.freeze({ unified: 'stop', raw: undefined }),
        usage: noUsage,
        ranAtProvider: false,
      }),
    );
    this.#emit();
  }

  #emit(): void {
    const { turn } = this.#run;
    for (const [type, text] of this.#deltas) this.#run.emit({ type, turn, text });
  }

  /** The answer in hand is not used: it stays as evidence, and what it used counts. */
  async #drop(): Promise<void> {
    const run = this.#run;
    const { answer } = this;
    this.#deltas = [];
    this.answer = undefined;
    if (answer === undefined || this.by !== undefined) return;
    const { message, finishReason, usage } = answer;
    await run.write({
      type: 'unused',
      runId: run.id,
      turn: run.turn,
      model: run.model,
      message,
      finishReason,
      usage,
      ...(run.budget.lastCounted === undefined ? {} : { tokens: run.budget.lastCounted }),
    });
  }
}
closeClass(WrappedLLMCall);

const isRefusal = (error: unknown): boolean => isHookError(error) && error.code === 'TH_CORE_REFUSED';
