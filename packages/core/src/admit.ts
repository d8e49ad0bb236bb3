/** The door of a fire: what comes in is plain, complete, frozen data. */
import { HookError, isPlainObject, textOf } from '@treblehook/types';
import { copyFrozen, isMarked, NotPlain } from './frozen.js';
import type { Point } from './point.js';
import type { View } from './run.js';

/** The payload as handlers see it. Throws `TH_PAYLOAD_INVALID`. */
export function admit(point: Point, payload: unknown): View {
  if (typeof payload !== 'object' || payload === null) return refusePayload(point, 'it must be a plain object');
  const view = isMarked(payload) && !Array.isArray(payload) ? (payload as View) : copied(point, payload);
  const { fields } = point;
  for (let at = 0; at < fields.length; at++) {
    const fault = fields[at]!.faultIn(view);
    if (fault !== undefined) return refusePayload(point, fault);
  }
  return view;
}

function copied(point: Point, payload: object): View {
  let copy: unknown;
  try {
    if (isPlainObject(payload)) copy = copyFrozen(payload);
  } catch (error) {
    // reading may throw anything: a payload can be a proxy
    const what = NotPlain.is(error) ? `it has ${error.message}` : `it cannot be read: ${textOf(error)}`;
    return refusePayload(point, what, error);
  }
  return copy === undefined ? refusePayload(point, 'it must be a plain object') : (copy as View);
}

function refusePayload({ name: hook }: Point, what: string, cause?: unknown): never {
  throw new HookError('TH_PAYLOAD_INVALID', { hook, where: ` of '${hook}'`, what, cause });
}
