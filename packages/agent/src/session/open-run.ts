/** A run as its records tell it, as long as it has not ended: what is done, what is open. */
import { adopt, append, closeClass } from '@treblehook/core';
import {
  ownFields,
  type Answer,
  type Chat,
  type Job,
  type LoggedCall,
  type LoggedClearance,
  type LoggedSeal,
  type Message,
  type ModelUsage,
  type Request,
  type RequestSource,
  type SessionRecord,
  type Spent,
  type ToolCallRecord,
} from '@treblehook/types';
import { noneSpent, sumOf, type Used } from '../run/budget.js';
import { costOf, type Price } from '../run/metrics.js';
import type { RunToolCall } from '../run/run-told.js';
import { OwnTime } from './own-time.js';
import type { RunState } from '../run/run-state.js';
import { GivenTasks } from './given-tasks.js';
import { messageText } from './message-text.js';
import { addUsage, noUsage, totalOf } from '../run/usage.js';

type RecordOf<T extends SessionRecord['type']> = Extract<SessionRecord, { readonly type: T }>;

/** What became of a call so far. */
export interface CallProgress {
  readonly call: LoggedCall;
  /** The last attempt that another one was to follow. */
  earlier: RecordOf<'attempt'> | undefined;
  /** Its body was about to start, and nothing came of it. */
  started: LoggedSeal | undefined;
  /** What the guards had said then. */
  cleared: LoggedClearance | undefined;
  outcome: RecordOf<'outcome'> | undefined;
  requests: CallRequest[];
}
export interface CallRequest {
  readonly by: RequestSource;
  readonly request: Request;
  readonly sealed: LoggedSeal;
  readonly supplied: RecordOf<'request'>['supplied'];
  answer: Answer | undefined;
}

/** The calls of an answer whose results do not stand in the history yet. */
export interface OpenBatch {
  readonly turn: number;
  readonly answer: RecordOf<'answer'>;
  readonly calls: readonly CallProgress[];
}

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
    this.batch =
      calls.length === 0
        ? undefined
        : {
            turn,
            answer: record,
            calls: calls.map((call) => ({
              call,
              earlier: undefined,
              started: undefined,
              cleared: undefined,
              outcome: undefined,
              requests: [],
            })),
          };
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
      progress.cleared = record.cleared;
    } else if (record.type === 'request') {
      const { by, request, sealed, supplied } = record;
      progress.started = undefined; // what the body waits for is known: it is not in flight
      append(progress.requests, { by, request, sealed, supplied, answer: undefined });
    } else if (record.type === 'attempt') {
      this.#attempted(record);
      for (const digest of refusedOf(progress)) append(this.#rejected, digest);
      progress.earlier = record;
      progress.started = undefined;
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

  answered(answer: Answer): void {
    for (const { requests } of this.batch?.calls ?? []) {
      for (const one of requests) {
        if (one.request.id !== answer.id) continue;
        one.answer = answer;
      }
    }
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

/** What the guards have said, in the record of a call. */
export type Evidence = Pick<ToolCallRecord, 'decision' | 'verdicts' | 'asks' | 'guardMs' | 'rule'>;

/** What a log knows of it: of a call whose body was about to start, that it was cleared, and by whom. */
export function evidenceIn(progress: Pick<CallProgress, 'started' | 'cleared'> | undefined): Evidence {
  const cleared = progress?.started && progress.cleared;
  if (cleared === undefined) return { decision: undefined, verdicts: [], asks: [] };
  const { verdicts, asks, ms } = cleared;
  return { decision: 'clear', verdicts, asks, guardMs: ms };
}

/** One attempt is over, and nothing is known of the next: that one stands. */
export const isBetween = ({ earlier, started, requests }: CallProgress): boolean =>
  earlier !== undefined && started === undefined && requests.length === 0;

/** It was taken, and more than that: it was asked about, or its body was about to start. */
export const hasBegun = ({ started, requests }: CallProgress): boolean => started !== undefined || requests.length > 0;

const refusedIn = (batch: OpenBatch | undefined): string[] =>
  (batch?.calls ?? []).filter(({ outcome }) => outcome !== undefined).flatMap(refusedOf);

const refusedOf = ({ requests }: CallProgress): string[] =>
  requests.filter(({ by, answer }) => by === 'guards' && answer?.ok === false).map(({ sealed }) => sealed.digest);
