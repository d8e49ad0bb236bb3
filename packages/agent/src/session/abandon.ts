/** A run that was left open, and that nobody resumes: its open calls get results, and it is over. */
import { append } from '@treblehook/core';
import type { Message, SessionRecord, ToolCallRecord, ToolOutcome, ToolResultPart } from '@treblehook/types';
import type { Ids } from '../contract.js';
import { errorResult } from '../door/tool-result.js';
import type { CallProgress, OpenRun } from './open-run.js';

/** What is to be logged; the message that closes the open calls, if there are any. */
export function abandon(
  { runId, batch, isPending }: OpenRun,
  ids: Ids,
): { readonly records: readonly SessionRecord[]; readonly message: Message | undefined } {
  const records: SessionRecord[] = [];
  const parts: ToolResultPart[] = [];
  for (const progress of batch?.calls ?? []) {
    const { callId, name, args } = progress.call;
    let result = progress.outcome?.result;
    if (result === undefined) {
      const { earlier } = progress;
      if (earlier !== undefined && isBetween(progress)) {
        const { outcome, ms, record } = earlier;
        result = earlier.result;
        append(records, { type: 'outcome', runId, callId, name, args, outcome, result, ms, record });
      } else {
        const [outcome, text] = fateOf(progress, isPending);
        result = errorResult(text);
        const record = recordOf(progress, outcome, text);
        append(records, { type: 'outcome', runId, callId, name, args, outcome, result, ms: 0, record });
      }
    }
    append(parts, { type: 'tool-result', callId, name, output: result.output, isError: result.isError });
  }
  const message: Message | undefined =
    batch === undefined ? undefined : { id: ids('message'), role: 'tool', content: parts };
  if (message !== undefined) append(records, { type: 'message', runId, message });
  append(records, {
    type: 'settled',
    runId,
    status: 'aborted',
    reason: { text: 'the conversation went on without it' },
  });
  return { records, message };
}

/** One attempt is over, and nothing is known of the next: that one stands. */
const isBetween = ({ started, requests }: CallProgress): boolean => started === undefined && requests.length === 0;

function fateOf({ started, requests }: CallProgress, isPending: boolean): readonly [ToolOutcome, string] {
  if (started !== undefined) {
    return ['outcome-unknown', 'it was running when its process ended; what it has done is not known'];
  }
  if (requests.length > 0) return ['cancelled', 'cancelled: it waited for an answer, and the conversation went on'];
  const why = isPending ? 'the conversation went on' : 'the process ended before it began';
  return ['not-started', `not-started: ${why}`];
}

const recordOf = ({ call, started, requests }: CallProgress, outcome: ToolOutcome, reason: string): ToolCallRecord => {
  const sealed = started ?? requests.at(-1)?.sealed;
  return {
    callId: call.callId,
    tool: sealed?.tool,
    digest: sealed?.digest,
    decision: undefined,
    verdicts: [],
    asks: [],
    reason,
    outcome,
  };
};
