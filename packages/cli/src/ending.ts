/** How a run ended: as a document, as a line, as an exit code. */
import type { RunResult } from '@treblehook/agent';
import { isHookError, textOf, type ErrorCode } from '@treblehook/types';
import { exitCodes } from './io.js';
import type { TraceRow } from './trace.js';

/** The document that `--json` prints. */
export interface RunDocument extends Pick<
  RunResult,
  'runId' | 'sessionId' | 'status' | 'limit' | 'reason' | 'text' | 'model' | 'turns' | 'usage' | 'toolCalls'
> {
  /** When `failed`. */
  readonly error?: { readonly code?: ErrorCode; readonly message: string };
  /** With `--trace`. */
  readonly trace?: readonly TraceRow[];
}

/** `trace` when it was asked for. */
export function documentOf(result: RunResult, trace: readonly TraceRow[] | undefined): RunDocument {
  const { runId, sessionId, status, limit, reason, error, text, model, turns, usage, toolCalls } = result;
  return {
    runId,
    sessionId,
    status,
    ...(limit !== undefined && { limit }),
    ...(reason !== undefined && { reason }),
    ...(status === 'failed' && { error: { ...(isHookError(error) && { code: error.code }), message: textOf(error) } }),
    text,
    model,
    turns,
    usage,
    toolCalls,
    ...(trace !== undefined && { trace }),
  };
}

/** One line about an ending that is not `done`. */
export function endingOf({ status, limit, reason, error }: RunResult): string | undefined {
  if (status === 'done') return undefined;
  if (status === 'failed')
    return isHookError(error) ? `${error.message} (${error.code})` : `the run failed: ${textOf(error)}`;
  if (status === 'vetoed')
    return `vetoed${reason?.by === undefined ? '' : ` by ${reason.by}`}: ${reason?.text ?? 'no reason was given'}`;
  if (status === 'incomplete') return `stopped before the end: the limit '${limit ?? 'unknown'}' was reached`;
  return status === 'aborted' ? 'interrupted' : `the run is ${status}`;
}

export function codeOf(status: RunResult['status']): number {
  if (status === 'done') return exitCodes.done;
  if (status === 'failed') return exitCodes.failed;
  return status === 'aborted' ? exitCodes.interrupted : exitCodes.unfinished;
}
