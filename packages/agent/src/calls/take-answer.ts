/** What an answer does to the call that it is about: it goes on, is denied, or has other arguments. */
import {
  approvalOf,
  ownFields,
  textOf,
  type Answer,
  type JsonObject,
  type JsonValue,
  type Request,
  type RequestSource,
} from '@treblehook/types';
import { approvalFault } from './answer-given.js';
import { checkArgs } from './check-args.js';
import { isRevoked, rememberGrants } from './grants.js';
import type { RunState } from '../run/run-state.js';
import { seal, sealedArgs } from '../door/seal.js';
import type { ToolCall } from './tool-call.js';

/** What a settled request does to its call. */
export async function takeAnswer(
  run: RunState,
  call: ToolCall,
  by: RequestSource,
  request: Request,
  given: Answer,
): Promise<void> {
  const answer = ownFields(given);
  call.waiting = undefined;
  run.emit({ type: 'answered', turn: run.turn, callId: call.origin.callId, requestId: request.id, ok: answer.ok });
  if (by === 'tool') {
    call.answer = answer;
    return;
  }
  if (!answer.ok) {
    const reason = answer.reason ?? 'no reason was given';
    if (by === 'guards') run.countRejection(call.sealed!.digest);
    return call.end('denied', `refused: ${reason}`, reason, 'answer');
  }
  if (by === 'stage' && request.kind !== 'approval') return;
  const fault = approvalFault(answer);
  if (fault !== undefined) {
    return call.end('denied', `refused: the answer cannot be read, it ${fault}`, `the answer ${fault}`, 'answer');
  }
  const { args: edited, remember } = dataOf(answer);
  if (by === 'stage') {
    // the call has no sealed arguments yet that a person could have edited: none may run in place of the edited ones
    if (edited !== undefined)
      call.end('denied', 'refused: a question of a stage takes no edited arguments', 'edited arguments', 'answer');
    return;
  }
  const asks = (approvalOf(request)?.asks ?? []).map((ask) => ownFields(ask));
  if (edited !== undefined) await reseal(run, call, edited);
  if (call.isOver) return;
  for (const ask of asks) if (!isRevoked(run, request.id, ask)) call.grant(ask, { request: request.id });
  await rememberGrants(run, call, request.id, asks, remember);
}

/** It inherits nothing, also where there are none: a name that stands on `Object.prototype` is nobody's answer. */
const dataOf = ({ data }: Answer): { readonly [K in 'args' | 'remember']?: JsonValue } =>
  ownFields(typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as JsonObject) : {});

/** Edited arguments are another call: checked and sealed anew. */
async function reseal(run: RunState, call: ToolCall, args: JsonValue): Promise<void> {
  try {
    call.args = sealedArgs(call.name, args);
    await checkArgs(run, call, 'the arguments as the answer has edited them');
    if (call.isOver) return;
    call.sealed = seal(call.tool!.identity, call.checked);
    call.args = call.sealed.args;
    call.supplied = undefined; // it was a result for other arguments
  } catch (error) {
    run.abort.throwIfAborted();
    call.end('error', textOf(error), 'arguments');
  }
}
