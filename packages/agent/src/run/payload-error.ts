/** Errors as payloads may carry them. */
import { textOf } from '@treblehook/types';

/**
 * An error object is opaque to the kernel and passes as it is. A plain object that somebody threw could hold anything,
 * so it travels as the cause of one.
 */
export const payloadError = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && !(error instanceof Error)
    ? new Error(textOf(error), { cause: error })
    : error;
