// Owns the law of wrapped faults: a provider package that wraps an error of ours hides neither its code nor its details.
import { HookError } from '@treblehook/types';
import { expect, it } from 'vitest';
import { ownFault } from '../src/call.js';

const copied = new URL('../../types/src/errors.ts?copy', import.meta.url).href;
const copy = ((await import(/* @vite-ignore */ copied)) as { readonly HookError: typeof HookError }).HookError;

it.each([
  ['of this copy of the contracts', HookError],
  ['of another copy', copy],
])('an error %s is found below what wraps it', (_, Fault) => {
  const fault = new Fault('TH_MODEL_HTTP', { endpoint: 'x', status: 503, what: 'no' });
  expect(ownFault(new Error('wrapped', { cause: new Error('again', { cause: fault }) }))).toBe(fault);
  expect(ownFault(fault)).toBe(fault);
});

it('what has none of ours below it has none, a ring of causes too', () => {
  const ring = new Error('ring');
  ring.cause = ring;
  for (const error of [ring, new Error('bare'), 'text', undefined, null]) expect(ownFault(error)).toBeUndefined();
});
