/** How a run ended: as a document, as a line, as an exit code. */
import type { RunResult } from '@treblehook/agent';
import { isHookError, textOf, type ErrorCode } from '@treblehook/types';
import { exitCodes } from './io.js';
import type { TraceRow } from './trace.js';

/** A fault or a warning as data. The code is absent of what is no `HookError`. */
export interface Told {
  readonly code?: ErrorCode;
  readonly message: string;
}

/** What `--json` prints when nothing was run: this alone. */
export interface RefusalDocument {
  /** With each fault of a file of settings that has several. */
  readonly error: Told & { readonly faults?: readonly Told[] };
}

/** The document that `--json` prints of a run. */
export interface RunDocument extends Pick<
  RunResult,
  'runId' | 'sessionId' | 'status' | 'limit' | 'reason' | 'text' | 'model' | 'turns' | 'usage' | 'toolCalls' | 'pending'
> {
  /** When `failed`. */
  readonly error?: Told;
  /** What stderr shows as `warning:`. */
  readonly warnings: readonly Told[];
  /** With `--trace`. */
  readonly trace?: readonly TraceRow[];
}

/** `trace` when it was asked for; `faultText` is what the words of a fault are shown as. */
export function documentOf(
  result: RunResult,
  warnings: readonly Told[],
  trace: readonly TraceRow[] | undefined,
  faultText: (words: string) => string,
): RunDocument {
  const { runId, sessionId, status, limit, reason, error, text, model, turns, usage, toolCalls, pending } = result;
  return {
    runId,
    sessionId,
    status,
    ...(limit !== undefined && { limit }),
    ...(reason !== undefined && { reason }),
    ...(status === 'failed' && { error: { ...toldOf(error), message: faultText(textOf(error)) } }),
    text,
    model,
    turns,
    usage,
    toolCalls,
    ...(pending !== undefined && { pending }),
    warnings,
    ...(trace !== undefined && { trace }),
  };
}

export const toldOf = (fault: unknown): Told => ({
  ...(isHookError(fault) && { code: fault.code }),
  message: textOf(fault),
});

/** One line about an ending that is not `done`. */
export function endingOf({ status, limit, reason, error, pending = [] }: RunResult): string | undefined {
  if (status === 'done') return undefined;
  if (status === 'failed')
    return isHookError(error) ? `${error.message} (${error.code})` : `the run failed: ${textOf(error)}`;
  if (status === 'vetoed')
    return `vetoed${reason?.by === undefined ? '' : ` by ${reason.by}`}: ${reason?.text ?? 'no reason was given'}`;
  if (status === 'incomplete') return `stopped before the end: the limit '${limit ?? 'unknown'}' was reached`;
  if (status === 'pending')
    return `the run waits for ${pending.length === 1 ? 'an answer' : `${pending.length} answers`}`;
  return status === 'aborted' ? 'interrupted' : `the run is ${String(status)}`;
}

export function codeOf(status: RunResult['status']): number {
  if (status === 'done') return exitCodes.done;
  if (status === 'failed') return exitCodes.failed;
  if (status === 'pending') return exitCodes.waiting;
  return status === 'aborted' ? exitCodes.interrupted : exitCodes.unfinished;
}
