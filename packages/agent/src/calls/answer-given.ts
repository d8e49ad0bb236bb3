/** Reading an answer to a request: it comes from outside, typed or not. */
import { didYouMean, HookError, isPlainObject, ownFields, type Answer } from '@treblehook/types';
import { plainJson } from '../door/plain-json.js';
import { idFault } from '../read-option.js';

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
  const fault = idFault(of!);
  if (fault !== undefined) refuse(`names a request whose id ${fault}`);
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

/** What an answer to an approval may carry; anything else was meant as something. */
export function approvalFault({ ok, data }: Answer): string | undefined {
  if (data === undefined) return undefined;
  if (!isObject(data)) return 'has data that are no object: { args?, remember? }';
  const key = unknown(data, ['args', 'remember'], 'data');
  if (key !== undefined) return key;
  if (!ok) return 'is a no, and carries data: give a reason instead';
  const { remember } = ownFields(data as { readonly remember?: unknown });
  if (remember === undefined) return undefined;
  if (!isObject(remember)) return "has a 'remember' that is no object: { for: 'session', args?: 'any', until? }";
  const inside = unknown(remember, ['for', 'args', 'until'], 'data.remember');
  if (inside !== undefined) return inside;
  const { for: scope, args, until } = ownFields(remember as { readonly [key: string]: unknown });
  if (scope !== 'session') return "must say for: 'session' in data.remember";
  if (args !== undefined && args !== 'any')
    return "can only say args: 'any' in data.remember; without it the same arguments count";
  const isDate = typeof until === 'number' && !Number.isNaN(new Date(until).getTime());
  if (until !== undefined && !isDate) return "must give 'until' in data.remember as ms since the epoch";
  return undefined;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && isPlainObject(value);

function unknown(value: object, known: readonly string[], where: string): string | undefined {
  for (const key of Object.keys(value)) {
    if (!known.includes(key))
      return `has '${key}' in ${where}: ${didYouMean(key, known) ?? `there is ${known.join(', ')}`}`;
  }
  return undefined;
}
