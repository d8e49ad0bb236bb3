/** The seals of a log that is audited: each names its call, and one attempt of a call goes on with one of them. */
import type { LoggedSeal } from '@treblehook/types';
import { seal } from '../door/seal.js';
import type { Given, OfCall, Open, RecordOf } from './audit-calls.js';
import { isTask } from './audit-ends.js';
import type { Consents } from './audit-consents.js';

/** Says what is wrong with it. */
export function sealFault({ tool, args, digest }: LoggedSeal): string | undefined {
  let found: string;
  try {
    found = seal(tool, args).digest;
  } catch (error) {
    return `its arguments cannot be sealed: ${(error as Error).message}`;
  }
  return found === digest ? undefined : `the log says ${digest}, and the call has ${found}`;
}

/**
 * Its arguments are those that were sealed, unless an answer changes them; or its wrapper does, which its records say: once,
 * and once more where the call is taken up.
 */
export function boundFault(consents: Consents, open: Open, { digest }: LoggedSeal, record: OfCall): string | undefined {
  const { started, requests } = open;
  const last = requests.at(-1);
  const bound = started?.record.sealed.digest ?? (last && consents.approved(last));
  // a wrapper has changed them when the attempt begins, or when the call is taken up: nowhere else
  const mayChange = bound === undefined || open.isTakenUp === true;
  const isByWrapper = record.changed === true && open.changedTo === undefined && mayChange;
  if (isByWrapper) open.changedTo = digest;
  if (isByWrapper || bound === undefined || bound === digest) return undefined;
  return `it goes on with the digest ${digest}, and was sealed as ${bound}`;
}

/** Why a call cannot have been sealed at all: the answer that asks for it says so. */
export function callFault({ name, fault, offered }: Given, { isChanged }: Open): string | undefined {
  if (offered !== undefined && !offered.includes(name)) return `'${name}' was not offered where it was asked for`;
  return fault === undefined || isChanged === true ? undefined : `the arguments that the model gave ${fault}`;
}

/** A body starts anew only where it has not begun, and a task has its child go on, in whichever process. */
export function startFault({ sealed, anew }: RecordOf<'started'>, open: Open): string | undefined {
  const { started, left, isTakenUp, isUnbegun } = open;
  if (started === undefined) return anew === true ? 'it starts anew, and had not started before' : undefined;
  const isGoneOn = isTakenUp === true && isTask(sealed);
  const isAnew = anew === true && (started !== left || isUnbegun === true);
  return isGoneOn || isAnew ? undefined : 'its body had started before';
}
