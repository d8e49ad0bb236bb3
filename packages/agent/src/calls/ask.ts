/** Questions about a call: put to the answerer, or left for later. */
import { randomBytes } from 'node:crypto';
import { frozen } from '@treblehook/core';
import type { Answerer } from '../contract.js';
import {
  HookError,
  ownFields,
  textOf,
  type Answer,
  type ApprovalAsk,
  type ApprovalData,
  type Ask,
  type Request,
  type RequestDraft,
  type RequestSource,
  type ToolIdentity,
} from '@treblehook/types';
import { approvalFault, readAnswer } from './answer-given.js';
import { shownAsk } from './grants.js';
import { assertGoesOn } from '../run/fire-step.js';
import { plainJson } from '../door/plain-json.js';
import type { RunState } from '../run/run-state.js';
import { takeAnswer } from './take-answer.js';
import type { ToolCall } from './tool-call.js';

/** 128 random bits: who does not know a request cannot answer it. */
const requestId = (): string => `request_${randomBytes(16).toString('base64url')}`;

/** What a stage or a body waits for, as a request. Throws `TH_OPTION_INVALID`. */
export function requestOf(run: RunState, draft: RequestDraft): Request {
  const { kind, prompt, url, data, expiresAt } = ownFields(draft);
  return frozen(
    ownFields({
      id: requestId(),
      kind,
      prompt,
      ...(url === undefined ? {} : { url }),
      ...(data === undefined ? {} : { data: plainJson(data) }),
      ...(expiresAt === undefined ? {} : { expiresAt: Math.ceil(expiresAt) }),
      ...pathOf(run),
    }),
  );
}

/** Whoever answers for a whole tree has to see whose question it is. */
const pathOf = ({ config: { path } }: RunState): Pick<Request, 'path'> => (path.length === 1 ? {} : { path });

export const approvalPrompt = ({ name }: Pick<ToolIdentity, 'name'>, asks: readonly ApprovalAsk[]): string =>
  `${name}: ${asks.map(({ question }) => question).join('; ')}`;

/** A call shown with every question about it. */
export function approvalRequest(run: RunState, call: ToolCall, asks: readonly Ask[]): Request {
  const { tool, args, digest } = call.sealed!;
  const shown = asks.map(shownAsk);
  const data: ApprovalData = ownFields({ tool: ownFields(tool), args, digest, asks: shown });
  return frozen(
    ownFields({
      id: requestId(),
      kind: 'approval',
      prompt: approvalPrompt(tool, shown),
      data,
      ...pathOf(run),
    }),
  );
}

/**
 * Makes the request durable and puts it to the answerer. Leaves the call as the answer has it, or waiting: without an
 * answerer, and when that fails.
 */
export async function putRequest(run: RunState, call: ToolCall, by: RequestSource, request: Request): Promise<void> {
  if (run.config.onAsk === 'deny') {
    return call.deny(
      `denied: nobody can be asked here: ${request.prompt}`,
      "nobody is asked (onAsk: 'deny')",
      undefined,
    );
  }
  if (call.parent !== undefined && run.config.answerer === undefined) return denyUnanswered(call);
  await run.write({
    type: 'request',
    ...call.logged(run.id),
    by,
    request,
    sealed: call.sealed!,
    ...(call.supplied === undefined
      ? {}
      : { supplied: { result: call.supplied, ...(call.suppliedBy === undefined ? {} : { by: call.suppliedBy }) } }),
  });
  call.isStartLogged = false;
  call.isInBody = false;
  call.isStartLost = false;
  await awaitAnswer(run, call, by, request);
}

/** As `putRequest`, for a request that is durable. */
export async function awaitAnswer(run: RunState, call: ToolCall, by: RequestSource, request: Request): Promise<void> {
  run.emit({ type: 'request', turn: run.turn, callId: call.origin.callId, request });
  run.asking.add(request);
  // whoever answers a suspended run does so in the next process
  const answer = run.abort.isSuspended ? undefined : await answered(run, request);
  run.asking.delete(request);
  if (answer !== undefined) return takeAnswer(run, call, by, request, answer);
  if (call.parent === undefined) {
    call.waiting = request;
    return;
  }
  await run.log.settle(declined(request, 'it cannot wait')); // nobody is to find it open
  denyUnanswered(call);
}

function denyUnanswered(call: ToolCall): void {
  call.deny('denied: nobody has answered, and a call that a tool makes cannot wait', 'it cannot wait', undefined);
}

/** `undefined`: there is none yet. The time of the run stands still meanwhile. */
async function answered(run: RunState, request: Request): Promise<Answer | undefined> {
  const { answerer } = run.config;
  if (answerer === undefined) return undefined;
  run.budget.pause();
  try {
    const box: { given: unknown } = { given: undefined };
    try {
      if (!(await isGiven(run, request, answerer, box))) return declined(request, 'it has expired');
      assertGoesOn(run);
      box.given = readAnswer(box.given, request.id);
      const fault = request.kind === 'approval' ? approvalFault(box.given as Answer) : undefined;
      if (fault !== undefined)
        throw new HookError('TH_OPTION_INVALID', { what: `the answer to '${request.id}' ${fault}` });
    } catch (error) {
      assertGoesOn(run);
      const { message, code } = new HookError('TH_ANSWERER_FAILED', { what: textOf(error), cause: error });
      process.emitWarning(message, { type: 'TreblehookWarning', code });
      return undefined;
    }
    const answer = box.given as Answer;
    const outcome = await run.log.settle(answer);
    if (outcome.state === 'settled') return answer;
    return outcome.state === 'taken' ? ownFields(outcome.answer) : declined(request, `the request is ${outcome.state}`);
  } finally {
    run.budget.resume();
  }
}

/** Leaves the answer in the box: it goes through no promise of ours, which would ask it for `then`. False: too late. */
async function isGiven(run: RunState, request: Request, answerer: Answerer, box: { given: unknown }): Promise<boolean> {
  const { abort, config } = run;
  const given = answerer.answer(request, abort.signal);
  if (!(given instanceof Promise) && typeof (given as { then?: unknown }).then !== 'function') {
    box.given = given;
    return true;
  }
  const { expiresAt } = request;
  let cancel = (): void => {};
  const late =
    expiresAt === undefined
      ? undefined
      : new Promise<boolean>((resolve) => {
          cancel = config.clock.after(Math.max(0, expiresAt - config.clock.date()), () => resolve(false));
        });
  const there = Promise.resolve(given).then((answer) => {
    box.given = answer;
    return true;
  });
  try {
    return await abort.race(late === undefined ? there : Promise.race([there, late]));
  } finally {
    cancel();
  }
}

export const declined = ({ id }: Request, reason: string): Answer => ownFields({ id, ok: false, reason });
