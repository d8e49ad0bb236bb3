/** What an answer does to the call that it is about: it goes on, is denied, or has other arguments. */
import {
  approvalOf,
  ownFields,
  textOf,
  type Answer,
  type JsonObject,
  type JsonValue,
  type LoggedSeal,
  type Request,
  type RequestSource,
} from '@treblehook/types';
import { approvalFault } from './answer-given.js';
import { checkArgs } from './check-args.js';
import { isRevoked, rememberGrants } from './grants.js';
import type { RunState } from '../run/run-state.js';
import { seal, sealedArgs } from '../door/seal.js';
import type { ToolCall } from './tool-call.js';

/** What a settled request does to its call. `logged`: what its log knows of the arguments that the answer has edited. */
export async function takeAnswer(
  run: RunState,
  call: ToolCall,
  by: RequestSource,
  request: Request,
  given: Answer,
  logged?: LoggedSeal,
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
  if (edited !== undefined) await reseal(run, call, edited, request.id, logged);
  if (call.isOver) return;
  for (const ask of asks) if (!isRevoked(run, request.id, ask)) call.grant(ask, { request: request.id });
  await rememberGrants(run, call, request.id, asks, remember);
}

/** It inherits nothing, also where there are none: a name that stands on `Object.prototype` is nobody's answer. */
const dataOf = ({ data }: Answer): { readonly [K in 'args' | 'remember']?: JsonValue } =>
  ownFields(typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as JsonObject) : {});

/** Edited arguments are another call: checked and sealed anew. What the schema makes of them stands in the log. */
async function reseal(
  run: RunState,
  call: ToolCall,
  args: JsonValue,
  request: string,
  logged: LoggedSeal | undefined,
): Promise<void> {
  try {
    const { identity } = call.tool!;
    const { digest: given } = seal(identity, args);
    call.args = sealedArgs(call.name, args);
    await checkArgs(run, call, 'the arguments as the answer has edited them');
    if (call.isOver) return;
    const sealed = seal(identity, call.checked);
    call.sealed = sealed;
    call.supplied = undefined; // it was a result for other arguments
    if (sealed.digest !== (logged?.digest ?? given)) {
      await run.write({ type: 'edited', ...call.logged(run.id), request, given, sealed });
    }
  } catch (error) {
    run.abort.throwIfAborted();
    call.end('error', textOf(error), 'arguments');
  } finally {
    call.args = call.sealed!.args; // those that do not fit are sealed nowhere
  }
}
