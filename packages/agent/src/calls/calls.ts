/** The calls of one answer, before anything is done about them. */
import { adopt } from '@treblehook/core';
import type { CallOrigin } from '@treblehook/types';
import type { ModelToolCall } from '../model/answer.js';
import type { Ending } from '../run/ending.js';
import type { RunState } from '../run/run-state.js';
import { ToolCall } from './tool-call.js';

/** Why no further call of a batch starts. */
export interface Stop {
  readonly ending: Ending;
  /** What the calls that did not start say. */
  readonly text: string;
}

export interface Batch {
  /** Each as its last attempt. */
  readonly calls: ToolCall[];
  /** Names of the tools that the request offered. */
  readonly offered: readonly string[];
  /** Set before the first call: none starts. */
  readonly stop: Stop | undefined;
}

/** The calls of an answer, as the model gave them; `attemptOf` tells those that were attempted before. */
export function callsOf(
  run: RunState,
  calls: readonly ModelToolCall[],
  attemptOf: (at: number) => number = first,
): ToolCall[] {
  const size = calls.length;
  const batch = { id: run.config.ids('batch'), size, names: adopt(calls.map(({ name }) => name)) };
  return calls.map((call, index) => new ToolCall(call, originOf(call.callId, attemptOf(index), { ...batch, index })));
}

const first = (): number => 1;

const originOf = (callId: string, attempt: number, batch: CallOrigin['batch']): CallOrigin =>
  adopt({ callId, attempt, batch: adopt(batch) });
