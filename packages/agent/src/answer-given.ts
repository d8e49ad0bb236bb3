/** Reading an answer to a request: it comes from outside, typed or not. */
import { HookError, ownFields, type Answer } from '@treblehook/types';
import { plainJson } from './plain-json.js';

/** The answer as frozen plain JSON. Throws `TH_OPTION_INVALID` when it is none, or names another request than `id`. */
export function readAnswer(given: unknown, id?: string): Answer {
  const refuse = (what: string): never => {
    throw new HookError('TH_OPTION_INVALID', { what: `an answer ${what}: { id, ok, data?, reason? }` });
  };
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return refuse('must be an object');
  for (const key of Object.keys(given))
    if (!['id', 'ok', 'data', 'reason'].includes(key)) refuse(`has the key '${key}'`);
  const { id: of, ok, data, reason } = ownFields(given as Partial<Answer>);
  if (typeof of !== 'string' || of === '') refuse('must name its request: id');
  if (id !== undefined && of !== id) refuse(`must name the request '${id}', not '${String(of)}'`);
  if (typeof ok !== 'boolean') refuse('must say ok: true or false');
  if (reason !== undefined && typeof reason !== 'string') refuse('has a reason that is no text');
  return Object.freeze(
    ownFields({
      id: of!,
      ok: ok!,
      ...(data === undefined ? {} : { data: plainJson(data) }),
      ...(reason === undefined ? {} : { reason }),
    }),
  );
}
