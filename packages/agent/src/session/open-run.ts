/** A run as its records tell it, as long as it has not ended: what is done, what is open. */
import { adopt, append, closeClass } from '@treblehook/core';
import {
  ownFields,
  type Answer,
  type Chat,
  type Job,
  type Message,
  type ModelUsage,
  type Request,
  type SessionRecord,
  type Spent,
} from '@treblehook/types';
import { noneSpent, sumOf, type Used } from '../run/budget.js';
import { costOf, type Price } from '../run/metrics.js';
import type { RunToolCall } from '../run/run-told.js';
import { notBegun, refusedIn, refusedOf, type CallRequest, type OpenBatch } from './call-progress.js';
import { OwnTime } from './own-time.js';
import type { RunState } from '../run/run-state.js';
import { GivenTasks } from './given-tasks.js';
import { messageText } from './message-text.js';
import { addUsage, noUsage, totalOf } from '../run/usage.js';

type RecordOf<T extends SessionRecord['type']> = Extract<SessionRecord, { readonly type: T }>;

export class OpenRun {
  readonly runId: string;
  readonly input: string;
  readonly personality: string;
  readonly job: Job | undefined;
  readonly context: readonly string[];
  /** Where its reply goes, when its input was a message. */
  readonly chat: Chat | undefined;
  /** It waits for answers; otherwise its process has died. */
  isPending = false;
  /** Model calls so far. */
  steps = 0;
  /** Where the next turn is counted from. */
  nextTurn = 0;
  /** Steps in a row in which every call was denied. */
  deniedSteps = 0;
  usage: ModelUsage = noUsage;
  model: string | undefined;
  text = '';
  /** Its own, as far as the log knows. */
  readonly time = new OwnTime();
  /** The last answer asks for no calls, and nothing has followed it. */
  last: RecordOf<'answer'> | undefined;
  /** What each model call used, those included that gave no answer of the history. */
  readonly answers: { readonly model: string; readonly usage: ModelUsage }[] = [];
  continuations: RunState['continuations'] = { count: 0, last: undefined };
  #inputs = 0;
  #tokens = 0;
  #taken = 0;
  /** By children of its tasks that are over. */
  #spent: Spent = noneSpent;
  #children = 0;
  readonly tasks = new GivenTasks();
  /** Calls that bodies have made, and that are not over: none of them is taken up. */
  readonly #nested = new Set<string>();
  readonly #rejected: string[] = [];
  readonly toolCalls: RunToolCall[] = [];
  batch: OpenBatch | undefined;

  constructor({ runId, input, personality, job, context = [], chat }: RecordOf<'run'>) {
    this.runId = runId;
    this.input = input;
    this.personality = personality;
    this.job = job;
    this.context = context;
    this.chat = chat;
  }

  answer(record: RecordOf<'answer'>): void {
    const { calls, model, message, turn } = record;
    if (record.by === undefined) this.#step(record); // else no model was called for it
    this.nextTurn = turn + 1;
    this.model = model;
    this.text = messageText(message);
    this.isPending = false;
    this.last = calls.length === 0 ? record : undefined;
    this.batch = calls.length === 0 ? undefined : { turn, answer: record, calls: calls.map(notBegun) };
  }

  /** An answer in whose place another one was used. */
  unused(record: RecordOf<'unused'>): void {
    this.#step(record);
  }

  #step(record: RecordOf<'answer' | 'unused'>): void {
    this.steps++;
    this.addSpent(record);
  }

  /** A model call that is no answer counts all the same. */
  addSpent({ model, usage, tokens }: RecordOf<'answer' | 'unused' | 'spent'>): void {
    this.usage = addUsage(this.usage, usage);
    this.#tokens += tokens ?? totalOf(usage);
    append(this.answers, { model, usage });
  }

  call(record: RecordOf<'started' | 'outcome' | 'request' | 'attempt'>, unknown: () => never): void {
    this.tasks.take(record);
    if (record.parent !== undefined) return this.#ofBody(record);
    const progress = this.batch?.calls.find(({ call }) => call.callId === record.callId) ?? unknown();
    if (record.type === 'started') {
      progress.started = record.sealed;
      progress.isUnbegun = false;
      progress.cleared = record.cleared;
    } else if (record.type === 'request') {
      const { by, request, sealed, supplied } = record;
      progress.started = undefined; // what the body waits for is known: it is not in flight
      progress.isUnbegun = false;
      append(progress.requests, { by, request, sealed, supplied, answer: undefined, edited: undefined });
    } else if (record.type === 'attempt') {
      this.#attempted(record);
      for (const digest of refusedOf(progress)) append(this.#rejected, digest);
      progress.earlier = record;
      progress.started = undefined;
      progress.isUnbegun = false;
      progress.requests = []; // what was answered was answered for that attempt
    } else {
      progress.outcome = record;
      this.#over(record);
    }
  }

  #over({ callId: id, name, args, outcome, result, spent, ofAttempt }: RecordOf<'outcome'>): void {
    if (outcome !== 'not-started' && ofAttempt !== true) this.#taken++;
    this.#childOver(spent);
    const { output, isError } = result;
    append(this.toolCalls, adopt({ id, name, args, output, isError, outcome }));
  }

  #attempted({ spent }: RecordOf<'attempt'>): void {
    this.#taken++;
    this.#childOver(spent);
  }

  #childOver(spent: Spent | undefined): void {
    if (spent === undefined) return; // the call had no child
    this.#spent = sumOf(this.#spent, spent);
    this.#children++;
  }

  /** A call that a body has made has no place in the history: whether that body is over is what counts. */
  #ofBody(record: RecordOf<'started' | 'outcome' | 'request' | 'attempt'>): void {
    const { type, callId } = record;
    if (type === 'started' || type === 'request') return void this.#nested.add(callId);
    this.#nested.delete(callId);
    if (type === 'outcome') this.#over(record);
    else this.#attempted(record);
  }

  /** It is suspended; `unbegun`: calls of which only the start was written. */
  suspended(unbegun: readonly string[] = []): void {
    this.isPending = true;
    for (const progress of this.batch?.calls ?? []) {
      if (progress.started !== undefined && unbegun.includes(progress.call.callId)) progress.isUnbegun = true;
    }
  }

  answered(answer: Answer): void {
    for (const one of this.#asked(answer.id)) one.answer = answer;
  }

  edited({ request, sealed }: RecordOf<'edited'>): void {
    for (const one of this.#asked(request)) one.edited = sealed;
  }

  #asked(id: string): readonly CallRequest[] {
    return (this.batch?.calls ?? []).flatMap(({ requests }) => requests.filter(({ request }) => request.id === id));
  }

  /** A message that is no answer: the first of the user is the input, later ones say what to revise. */
  message(message: Message): void {
    const { role } = message;
    if (role === 'tool') return this.closeBatch();
    this.last = undefined;
    if (role !== 'user' || this.#inputs++ === 0) return;
    const last = { text: messageText(message), toolCalls: this.toolCalls.length };
    this.continuations = { count: this.continuations.count + 1, last };
  }

  get turn(): number {
    return this.batch?.turn ?? this.last?.turn ?? this.nextTurn;
  }

  /** Requests that nobody has answered. */
  requests(): readonly Request[] {
    const calls = this.batch?.calls ?? [];
    return calls.flatMap(({ requests }) =>
      requests.filter(({ answer }) => answer === undefined).map(({ request }) => request),
    );
  }

  /** Digests of the calls that answers have refused, and that are over. */
  rejections(): readonly string[] {
    return this.#rejected.concat(refusedIn(this.batch));
  }

  /** Of its own model calls; what is not known is `undefined`. */
  costs(prices: Readonly<Record<string, Price>>): readonly (number | undefined)[] {
    const known = ownFields(prices);
    return this.answers.map(({ model, usage }) => costOf(known[model], usage));
  }

  /** With what the children used that count by a record of it. */
  used(prices: Readonly<Record<string, Price>>): Used {
    const { calls, tokens, cost } = this.#spent;
    return {
      steps: this.steps,
      deniedSteps: this.deniedSteps,
      usedMs: this.time.used,
      calls: this.#taken + this.#nested.size + calls,
      tokens: this.#tokens + tokens,
      cost: this.costs(prices).reduce<number>((sum, one) => sum + (one ?? 0), cost),
      children: this.#children,
    };
  }

  /** The results of the open calls stand in the history. */
  closeBatch(): void {
    if (this.batch === undefined) return;
    const allDenied = this.batch.calls.every(({ outcome }) => outcome?.outcome === 'denied');
    this.deniedSteps = allDenied ? this.deniedSteps + 1 : 0;
    for (const digest of refusedIn(this.batch)) append(this.#rejected, digest);
    this.batch = undefined;
    this.isPending = false;
  }
}
closeClass(OpenRun);
