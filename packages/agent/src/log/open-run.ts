/** A run as its records tell it, as long as it has not ended: what is done, what is open. */
import { append, closeClass } from '@treblehook/core';
import type { Answer, Job, LoggedCall, LoggedSeal, ModelUsage, Request, SessionRecord } from '@treblehook/types';
import type { RunToolCall } from '../contract.js';
import { addUsage, noUsage } from '../usage.js';

type RecordOf<T extends SessionRecord['type']> = Extract<SessionRecord, { readonly type: T }>;

/** What became of a call so far. */
export interface CallProgress {
  readonly call: LoggedCall;
  /** Its body was about to start. */
  started: LoggedSeal | undefined;
  outcome: RecordOf<'outcome'> | undefined;
  readonly requests: CallRequest[];
}
export interface CallRequest {
  readonly request: Request;
  readonly sealed: LoggedSeal | undefined;
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
  /** It waits for answers; otherwise its process has died. */
  isPending = false;
  /** Model calls so far. */
  steps = 0;
  /** Steps in a row in which every call was denied. */
  deniedSteps = 0;
  usage: ModelUsage = noUsage;
  model: string | undefined;
  text = '';
  readonly toolCalls: RunToolCall[] = [];
  batch: OpenBatch | undefined;

  constructor({ runId, input, personality, job }: RecordOf<'run'>) {
    this.runId = runId;
    this.input = input;
    this.personality = personality;
    this.job = job;
  }

  answer(record: RecordOf<'answer'>): void {
    const { calls, usage, model, message, turn } = record;
    this.steps++;
    this.usage = addUsage(this.usage, usage);
    this.model = model;
    this.text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    this.isPending = false;
    this.batch =
      calls.length === 0
        ? undefined
        : {
            turn,
            answer: record,
            calls: calls.map((call) => ({ call, started: undefined, outcome: undefined, requests: [] })),
          };
  }

  call(record: RecordOf<'started' | 'outcome' | 'request'>, unknown: () => never): void {
    const progress = this.batch?.calls.find(({ call }) => call.callId === record.callId) ?? unknown();
    if (record.type === 'started') progress.started = record.sealed;
    else if (record.type === 'request') {
      append(progress.requests, { request: record.request, sealed: record.sealed, answer: undefined });
    } else {
      progress.outcome = record;
      const { callId: id, name, args, outcome, result } = record;
      const { output, isError } = result;
      append(this.toolCalls, Object.freeze({ id, name, args, output, isError, outcome }));
    }
  }

  answered(answer: Answer): void {
    for (const { requests } of this.batch?.calls ?? []) {
      for (const one of requests) if (one.request.id === answer.id) one.answer = answer;
    }
  }

  /** The results of the open calls stand in the history. */
  closeBatch(): void {
    if (this.batch === undefined) return;
    const allDenied = this.batch.calls.every(({ outcome }) => outcome?.outcome === 'denied');
    this.deniedSteps = allDenied ? this.deniedSteps + 1 : 0;
    this.batch = undefined;
    this.isPending = false;
  }
}
closeClass(OpenRun);
