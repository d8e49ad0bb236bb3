/** What an untyped tool or stage may have got wrong in the request that it waits for. */
import { ownFields } from './own-fields.js';
import type { Request } from './request.js';

/** What is wrong with it, as the end of a sentence, or `undefined`. Whether `data` is JSON is not looked at. */
export function requestFault(request: unknown): string | undefined {
  if (typeof request !== 'object' || request === null)
    return 'is no request: { kind, prompt, url?, data?, expiresAt? }';
  const { kind, prompt, url, expiresAt } = ownFields(request as Partial<Request>);
  if (typeof kind !== 'string' || kind === '') return "has no text 'kind'";
  if (typeof prompt !== 'string') return "has no text 'prompt'";
  if (url !== undefined && typeof url !== 'string') return "has a 'url' that is no text";
  if (expiresAt !== undefined && !isDate(expiresAt)) return "has an 'expiresAt' that is no date, in ms since the epoch";
  return undefined;
}

/** A `Date` can be made of it: whoever asks a person shows it. */
const isDate = (ms: unknown): boolean => typeof ms === 'number' && !Number.isNaN(new Date(ms).getTime());
