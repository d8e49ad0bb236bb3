// Owns the law of order faults: one that may still be mended is no end, whichever copy of the contracts has thrown it.
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, HookError, type HookRegistry } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { assertOrder } from '../../src/plugins/order-faults.js';

const copied = new URL('../../../types/src/errors.ts?copy', import.meta.url).href;
const copy = ((await import(/* @vite-ignore */ copied)) as { readonly HookError: typeof HookError }).HookError;

/** A registry whose orders are found at fault with this error. */
const registryAtFault = (error: unknown): HookRegistry<typeof agentHooks> => ({
  ...createHookRegistry(agentHooks),
  verify: () => {
    throw error;
  },
});

describe.each([
  ['of this copy of the contracts', HookError],
  ['of another copy', copy],
])('an order fault %s', (_, Fault) => {
  const unknown = (id: string): HookError => new Fault('TH_ORDER_UNKNOWN', { hook: 'agentDone', id });

  it('that names nobody who has registered is left for the run to say', () => {
    const faults = new Fault('TH_VERIFY_FAILED', { faults: [unknown('later')] });
    expect(() => assertOrder(registryAtFault(unknown('later')), ['acme'], [])).not.toThrow();
    expect(() => assertOrder(registryAtFault(faults), ['acme'], [])).not.toThrow();
  });

  it('that names a plugin which has registered is thrown, the one out of several', () => {
    const mine = unknown('acme/x');
    const faults = new Fault('TH_VERIFY_FAILED', { faults: [unknown('later'), mine] });
    expect(() => assertOrder(registryAtFault(faults), ['acme'], [])).toThrow(mine);
  });
});

it('what is no error of the contracts is thrown on', () => {
  expect(() => assertOrder(registryAtFault(new RangeError('a bug')), [], [])).toThrow(RangeError);
});
