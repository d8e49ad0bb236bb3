/** What the model has asked for and is told, in a log that is audited: an answer has the calls of its message, a result is that of an end. */
import type { Part } from '@treblehook/types';
import { canonicalJson } from '../door/canonical.js';
import { cutMiddle } from '../door/tool-result.js';
import type { AuditedCalls, RecordOf } from './audit-calls.js';
import type { Fault } from './audit-clearance.js';

type ToldFault = Fault & { readonly callId: string };
type PartOf<T extends Part['type']> = Extract<Part, { readonly type: T }>;

/** The calls of an answer, and those of its message, are the same ones. */
export function askedFaults({ calls, message }: RecordOf<'answer'>): readonly ToldFault[] {
  const parts = message.content.filter((part): part is PartOf<'tool-call'> => part.type === 'tool-call');
  const faults: ToldFault[] = [];
  const refuse = (callId: string, what: string): void => void faults.push({ code: 'other-call', callId, what });
  for (const { callId, name, args } of calls) {
    const part = parts.find((one) => one.callId === callId);
    if (part === undefined) refuse(callId, 'the message of the answer does not ask for it');
    else if (part.name !== name || !isSame(part.args, args)) {
      refuse(callId, 'the message of the answer asks for another call');
    }
  }
  for (const { callId } of parts) {
    if (!calls.some((call) => call.callId === callId)) refuse(callId, 'the message of an answer asks for it alone');
  }
  return faults;
}

/** What the model is told as the result of a call is durable before, and is that. A transcript that was given is nobody's. */
export function toldFaults(calls: AuditedCalls, { runId, message }: RecordOf<'message'>): readonly ToldFault[] {
  if (message.role !== 'tool') return [];
  return message.content.flatMap((part) => {
    if (part.type !== 'tool-result') return [];
    const { callId } = part;
    if (calls.open(callId) !== undefined) {
      const what = 'the model is told of its result, and it has not ended';
      return { code: 'no-clearance', callId, what };
    }
    if (runId === undefined) return [];
    const what = resultFault(calls, part);
    return what === undefined ? [] : { code: 'other-call', callId, what };
  });
}

function resultFault(calls: AuditedCalls, part: PartOf<'tool-result'>): string | undefined {
  const ended = calls.ended(part.callId);
  const given = calls.given(part.callId);
  if (ended === undefined || given === undefined || 'call' in given.askedBy) {
    return 'the model is told of its result, and has not asked for it';
  }
  const { output, isError } = ended.result;
  const isIts = part.name === given.name && part.isError === isError && isCut(part.output, output);
  return isIts ? undefined : 'the model is told another result than it has';
}

/** The whole, or as it is cut to some room: the note in the middle counts what is gone, so it may be some digits shorter. */
function isCut(told: string, output: string): boolean {
  if (told === output) return true;
  for (let room = told.length; room < told.length + 8; room++) if (cutMiddle(output, room) === told) return true;
  return false;
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one as never) === canonicalJson(other as never);
}
