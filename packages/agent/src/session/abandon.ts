/** A run that was left open, and that nobody resumes: its open calls get results, and it is over. */
import { adopt, append } from '@treblehook/core';
import type {
  AgentHooks,
  Message,
  Origin,
  SessionRecord,
  ToolCallRecord,
  ToolOutcome,
  ToolResultPart,
} from '@treblehook/types';
import type { Config } from '../config.js';
import type { Ids } from '../contract.js';
import { errorResult } from '../door/tool-result.js';
import type { Tells } from '../run/grace.js';
import type { RunToolCall } from '../run/run-told.js';
import { tellAbandoned } from '../calls/tool-end.js';
import { type OpenRun } from './open-run.js';
import { evidenceIn, isBetween, sealedIn, type CallProgress } from './call-progress.js';

type Outcome = Extract<SessionRecord, { readonly type: 'outcome' }>;

export interface Abandoned {
  /** What is to be logged, but for how the run has ended. */
  readonly records: readonly SessionRecord[];
  readonly settled: SessionRecord;
  /** It closes the open calls, if there are any. */
  readonly message: Message | undefined;
  /** Ends that nobody was told yet. */
  readonly ends: readonly Outcome[];
}

/** `told`: calls that were over before, whether or not `open` knows it. */
export function abandon({ runId, batch, isPending }: OpenRun, ids: Ids, told: readonly RunToolCall[] = []): Abandoned {
  const records: SessionRecord[] = [];
  const ends: Outcome[] = [];
  const parts: ToolResultPart[] = [];
  for (const progress of batch?.calls ?? []) {
    const { callId, name } = progress.call;
    let result: Pick<Outcome['result'], 'output' | 'isError'> | undefined =
      progress.outcome?.result ?? told.find(({ id }) => id === callId);
    if (result === undefined) {
      const end = endOf(runId, progress, isPending);
      result = end.result;
      append(ends, end);
      append(records, end);
    }
    append(parts, { type: 'tool-result', callId, name, output: result.output, isError: result.isError });
  }
  const message: Message | undefined =
    batch === undefined ? undefined : { id: ids('message'), role: 'tool', content: parts };
  if (message !== undefined) append(records, { type: 'message', runId, message });
  const reason = { text: 'the conversation went on without it' };
  return { records, settled: { type: 'settled', runId, status: 'aborted', reason }, message, ends };
}

/** Who tells of calls that are given up: the next run, or a switch. */
export interface Teller extends Tells<AgentHooks> {
  readonly config: Config;
  readonly origin: Origin;
}

/** `toolEnd` of calls that were left open, once their ends are durable: each call has one. */
export async function tellEnds(
  by: Teller,
  { runId, batch, personality }: OpenRun,
  ends: readonly Outcome[],
): Promise<void> {
  if (ends.length === 0) return;
  const { calls, turn } = batch!;
  const origin = adopt({ ...by.origin, runId, personality, turn });
  const told = { id: by.config.ids('batch'), size: calls.length, names: adopt(calls.map(({ call }) => call.name)) };
  for (const { callId, name, args, outcome, result, ms, record } of ends) {
    const index = calls.findIndex(({ call }) => call.callId === callId);
    const attempt = attemptOf(calls[index]!);
    const end = { origin, callId, attempt, batch: adopt({ ...told, index }), name, outcome, result, ms, record };
    await tellAbandoned(by, end, args);
  }
}

/** The last one that has begun, or was to. */
const attemptOf = (progress: CallProgress): number =>
  progress.earlier === undefined ? 1 : progress.earlier.attempt + (isBetween(progress) ? 0 : 1);

function endOf(runId: string, progress: CallProgress, isPending: boolean): Outcome {
  const { callId, name } = progress.call;
  const { earlier } = progress;
  const { args } = sealedIn(progress) ?? earlier ?? progress.call;
  const of = { type: 'outcome', runId, callId, name, args } as const;
  if (earlier !== undefined && isBetween(progress)) {
    const { outcome, result, ms, record } = earlier;
    return { ...of, outcome, result, ms, record, ofAttempt: true };
  }
  const [outcome, text] = fateOf(progress, isPending);
  return { ...of, outcome, result: errorResult(text), ms: 0, record: recordOf(progress, outcome, text) };
}

function fateOf({ started, isUnbegun, requests }: CallProgress, isPending: boolean): readonly [ToolOutcome, string] {
  if (isUnbegun) return ['not-started', 'not-started: the conversation went on before it began'];
  if (started !== undefined) {
    return ['outcome-unknown', 'it was running when its process ended; what it has done is not known'];
  }
  if (requests.length > 0) return ['cancelled', 'cancelled: it waited for an answer, and the conversation went on'];
  const why = isPending ? 'the conversation went on' : 'the process ended before it began';
  return ['not-started', `not-started: ${why}`];
}

const recordOf = (progress: CallProgress, outcome: ToolOutcome, reason: string): ToolCallRecord => {
  const sealed = sealedIn(progress);
  return {
    callId: progress.call.callId,
    tool: sealed?.tool,
    digest: sealed?.digest,
    ...evidenceIn(progress),
    reason,
    outcome,
  };
};
