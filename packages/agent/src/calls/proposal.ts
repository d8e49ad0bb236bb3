/** What a wrapper of a tool call gave: a proposal, and what it can be for its call. */
import { HookError, isPlainObject, ownFields, textOf, type JsonValue, type ToolResult } from '@treblehook/types';
import { isOfAround, nameOf, readGiven, type ToolCallChange, type ToolCallProposal } from '../around.js';
import { digestOf } from '../door/canonical.js';
import { sealedArgs } from '../door/seal.js';
import { resultOf } from '../door/tool-result.js';
import { assertKnown } from '../read-option.js';
import { warnOfThrow } from '../run/wrapper.js';
import type { ToolCall } from './tool-call.js';

export interface Proposal {
  readonly result: ToolResult;
  readonly by: string;
}

const changeNames: Readonly<Record<keyof ToolCallChange, true>> = { args: true };
const proposalNames: Readonly<Record<keyof ToolCallProposal, true>> = { result: true, by: true, outcome: true };

/** Boxed, since `null` is an argument too. Throws `TH_OPTION_INVALID` and `TH_ARGS_INVALID`. */
export function readChange(name: string, changed: unknown): { readonly args: JsonValue } | undefined {
  if (changed === undefined) return undefined;
  if (typeof changed !== 'object' || changed === null || !isPlainObject(changed)) {
    throw new HookError('TH_OPTION_INVALID', { what: 'core of around.toolCall takes nothing, or { args }' });
  }
  assertKnown(changed, changeNames, 'key of what core takes');
  const { args } = ownFields(changed as ToolCallChange);
  return args === undefined ? undefined : ownFields({ args: sealedArgs(name, args) });
}

/** Throws `TH_AROUND_FAILED` for what is no proposal. */
export function readProposal(given: unknown): Proposal | undefined {
  if (given === undefined || given === null) return undefined;
  const { result, by } = readGiven('toolCall', given, proposalNames, '{ result, by? }') as ToolCallProposal;
  return result === undefined ? undefined : ownFields({ result: resultOf(result, "'around'"), by: nameOf(by) });
}

/** Only the result of a call that the guards have cleared, and that is over by it, can be another one. */
const isReplaceable = ({ raw, outcome, fatal, isWithheld }: ToolCall): boolean =>
  raw !== undefined && fatal === undefined && !isWithheld && (outcome === 'ok' || outcome === 'error');

/** A result that says the same replaces nothing. */
export function replaceResult(call: ToolCall, { result, by }: Proposal): void {
  if (!isReplaceable(call) || digestOf({ ...result }) === digestOf({ ...call.result! })) return;
  call.settle(result);
  call.by = by;
  call.reason = `'${by}' has replaced its result`;
}

/** What a wrapper threw ends its call, unless what stands is not its to change: then it is told. */
export function endByWrapper(call: ToolCall, error: unknown, hasRun: boolean, isAborted: boolean): void {
  const failed = `'around' failed on the call of '${call.name}'`;
  if (!hasRun) return call.end('error', `${failed}: the call was not run`, textOf(error), 'around');
  if (isReplaceable(call)) {
    const what = call.supplied === undefined ? 'the tool has run, its result is withheld' : 'its result is withheld';
    return call.end('error', `${failed}: ${what}`, textOf(error), 'around');
  }
  if (isAborted) return; // swallows what an abort makes of it: the call says that it was cancelled
  const stands = call.waiting === undefined ? call.outcome! : 'suspended';
  warnOfThrow('toolCall', `failed on the call of '${call.name}', which stays ${stands}: ${textOf(error)}`, error);
}

/** Its wrapper has had its say in front of a wait: what it proposed stands in the log. */
export const isProposed = ({ suppliedBy, supplied }: ToolCall): boolean =>
  supplied !== undefined && isOfAround(suppliedBy);
