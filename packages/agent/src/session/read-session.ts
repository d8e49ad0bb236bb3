/** What a log tells, as data to show: its runs with their calls, questions and answers. No lease is taken for it. */
import { append, closeClass, frozen } from '@treblehook/core';
import {
  HookError,
  ownFields,
  type Grant,
  type Message,
  type SessionRecord,
  type StoredRecord,
} from '@treblehook/types';
import { messageText } from './message-text.js';
import type { CallView, QuestionView, RunView, SessionView, TurnView } from './session-view.js';
import { takenRecord } from './taken-record.js';

/**
 * Reads the records of one session, from the first one on. A pure function: the records that a store gives are enough.
 * Throws `TH_HISTORY_INVALID` for a log that contradicts itself, or has what is no record.
 */
export function readSession(records: readonly StoredRecord[]): SessionView {
  const reader = new Reader();
  for (const stored of records) reader.read(stored);
  return frozen(reader.view());
}

type Open<T> = { -readonly [K in keyof T]: T[K] };
type CallDraft = Open<Omit<CallView, 'questions'>> & { readonly questions: Open<QuestionView>[]; late: string[] };
type TurnDraft = Open<Omit<TurnView, 'calls'>> & { readonly calls: CallDraft[] };
type RunDraft = Open<Omit<RunView, 'turns'>> & { readonly turns: TurnDraft[] };
type OfCall = Extract<SessionRecord, { readonly type: 'started' | 'outcome' | 'request' }>;

class Reader {
  #agent: string | undefined;
  #seq = 0;
  readonly #runs = new Map<string, RunDraft>();
  /** Runs whose input stands in the log. */
  readonly #begun = new Set<string>();
  readonly #questions = new Map<string, { readonly question: Open<QuestionView>; readonly call: CallDraft }>();
  readonly #grants = new Map<string, Grant>();

  read(stored: StoredRecord): void {
    const taken = takenRecord(stored);
    if (typeof taken === 'string') return this.#refuse(taken, this.#seq + 1);
    const { seq, at, record } = taken;
    if (seq !== this.#seq + 1) this.#refuse(`record ${this.#seq + 1} is missing`);
    this.#seq = seq;
    switch (record.type) {
      case 'opened':
        this.#agent = record.agent;
        return;
      case 'run': {
        const { runId, input, personality, note, chat } = ownFields(record);
        const begun = { runId, input, personality, startedAt: at, status: undefined, resumed: 0, turns: [] };
        this.#runs.set(runId, { ...begun, ...(note !== undefined && { note }), ...(chat !== undefined && { chat }) });
        return;
      }
      case 'resumed': {
        const run = this.#run(record.runId);
        run.resumed++;
        run.status = undefined;
        delete run.endedAt;
        return;
      }
      case 'message':
        return this.#message(record.runId, record.message);
      case 'answer':
        return this.#answer(record, at);
      case 'started':
      case 'outcome':
      case 'request':
        return this.#call(record, at);
      case 'attempt': // the call goes on: what is shown is its last attempt
      case 'unused': // an answer that stands in no history
      case 'personality': // each run says who it is
        return;
      case 'late': {
        const call = this.#run(record.runId)
          .turns.flatMap(({ calls }) => calls)
          .find(({ callId }) => callId === record.callId);
        if (call !== undefined) append(call.late, record.text);
        return;
      }
      case 'answered': {
        const asked = this.#questions.get(record.answer.id);
        if (asked === undefined) return this.#refuse(`nothing has asked '${record.answer.id}'`);
        const { question, call } = asked;
        question.answer = record.answer;
        question.answeredAt = at;
        if (call.state === 'waits' && call.questions.at(-1) === question) call.state = 'answered';
        return;
      }
      case 'grant':
        this.#grants.set(record.grant.id, record.grant);
        return;
      case 'revoked':
        this.#grants.delete(record.grantId);
        return;
      case 'settled': {
        const { runId, status, limit, reason, error } = record;
        Object.assign(this.#run(runId), {
          status,
          endedAt: at,
          ...(limit !== undefined && { limit }),
          ...(reason !== undefined && { reason }),
          ...(error !== undefined && { error }),
        });
        return;
      }
      case 'spent': // what was paid for beside the answers, and nothing of what was said or done
      case 'edited': // the answer shows what it has given, the call what it was sealed with
      case 'compaction': // it changes what the next request is made of, and nothing of what was said or done
    }
  }

  view(): SessionView {
    return {
      agent: this.#agent,
      runs: [...this.#runs.values()],
      grants: [...this.#grants.values()],
    };
  }

  /** The first message of the user is the input of its run; a later one says what to revise. */
  #message(runId: string | undefined, message: Message): void {
    if (runId === undefined || message.role !== 'user') return;
    const run = this.#run(runId);
    if (!this.#begun.has(runId)) return void this.#begun.add(runId);
    const turn = run.turns.at(-1) ?? this.#refuse('a revision of no answer');
    turn.revise = messageText(message);
  }

  #answer(record: Extract<SessionRecord, { readonly type: 'answer' }>, at: number): void {
    const { runId, turn, model, message, calls, finishReason, usage } = record;
    append(this.#run(runId).turns, {
      turn,
      at,
      model,
      text: messageText(message),
      finishReason,
      usage,
      calls: calls.map(({ callId, name, args }) => ({
        callId,
        name,
        args,
        state: 'asked' as const,
        questions: [],
        late: [],
      })),
    });
  }

  #call(record: OfCall, at: number): void {
    const call = this.#callOf(record);
    if (record.type === 'started') {
      call.state = 'started';
      call.sealed = record.sealed;
    } else if (record.type === 'request') {
      const { request, by, sealed } = record;
      const question = { request, by, askedAt: at };
      append(call.questions, question);
      this.#questions.set(request.id, { question, call });
      call.state = 'waits';
      call.sealed = sealed;
    } else {
      const { outcome, result, ms, record: evidence, args } = record;
      const { tool, digest } = evidence;
      call.state = 'over';
      call.end = { at, outcome, result, ms, record: evidence };
      if (tool !== undefined && digest !== undefined) call.sealed = { tool, args, digest };
    }
  }

  #callOf(record: OfCall): CallDraft {
    const { runId, callId, parent } = record;
    const { turns } = this.#run(runId);
    const last = turns.at(-1);
    const call = last?.calls.find((one) => one.callId === callId);
    if (call !== undefined) return call;
    if (last === undefined || parent === undefined) return this.#refuse(`no answer has asked for the call '${callId}'`);
    const { name, args } =
      record.type === 'outcome' ? record : { name: record.sealed.tool.name, args: record.sealed.args };
    const nested: CallDraft = { callId, parent, name, args, state: 'asked', questions: [], late: [] };
    append(last.calls, nested);
    return nested;
  }

  #run(runId: string): RunDraft {
    return this.#runs.get(runId) ?? this.#refuse(`there is no run '${runId}'`);
  }

  #refuse(what: string, seq = this.#seq): never {
    throw new HookError('TH_HISTORY_INVALID', { what: `the log, record ${seq}: ${what}` });
  }
}
closeClass(Reader);
