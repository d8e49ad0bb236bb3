/** Keeping what handlers did wrong, as rows that a test can compare. */
import type { ErrorCode, HandlerRef, HookError, HookEventSource } from '@treblehook/types';

export interface KeptFault {
  readonly hook: string;
  /** Full id of the handler. */
  readonly id: string;
  readonly code: ErrorCode;
  readonly message: string;
  /** The key that was refused or taken, when it was one key. */
  readonly key?: string;
}

interface Told {
  readonly by: HandlerRef;
  readonly code: ErrorCode;
  readonly error: HookError;
  readonly key?: string;
}

/** Keeps every fault from now on: a throw, a budget that ran over, an answer or a key that was refused, a taken key. */
export function keepFaults(events: HookEventSource): readonly KeptFault[] {
  const kept: KeptFault[] = [];
  const keep = ({ by: { hook, id }, code, error, key }: Told): void => {
    kept.push(Object.freeze({ hook, id, code, message: error.message, ...(key === undefined ? {} : { key }) }));
  };
  events.on('handlerFailed', keep);
  events.on('handlerTimedOut', keep);
  events.on('amendmentRefused', keep);
  events.on('keyShadowed', keep);
  // an answer of a guard that is refused is told as the denial that it is, and as nothing else
  events.on('denied', ({ by: { hook, id }, kind, code, reason }) => {
    if (kind === 'invalid' && code !== undefined) kept.push(Object.freeze({ hook, id, code, message: reason }));
  });
  return kept;
}
