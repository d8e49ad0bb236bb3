/** Causes that may be handed out: name, message and code of an error and of its causes, and nothing else of them. */
import { textOf } from '@treblehook/types';
import type { Redact } from './secrets.js';

const deepest = 5;
const longest = 1_000;

/**
 * Copies an error without its other properties: requests, headers and bodies hang on the errors of transports and
 * provider packages, with keys in them.
 */
export function cleanCause(error: unknown, redact: Redact, depth = 0): Error {
  const { name, code, cause, errors } = membersOf(error);
  const inner = cause ?? errors?.[0];
  const clean = new Error(
    redact(textOf(error)).slice(0, longest),
    inner === undefined || depth === deepest ? undefined : { cause: cleanCause(inner, redact, depth + 1) },
  );
  const shown = typeof name === 'string' && name !== '' ? redact(name) : 'Error';
  Object.defineProperty(clean, 'name', { value: shown, configurable: true, writable: true });
  // the frames of this file say nothing about the fault
  Object.defineProperty(clean, 'stack', { value: `${shown}: ${clean.message}`, configurable: true, writable: true });
  if (typeof code === 'string') Object.assign(clean, { code: redact(code) });
  return clean;
}

/** The first code in a chain of causes, such as `ECONNREFUSED`. */
export function codeIn(error: unknown, depth = 0): string | undefined {
  const { code, cause, errors } = membersOf(error);
  if (typeof code === 'string' && code !== '') return code;
  return depth === deepest || (cause ?? errors?.[0]) === undefined
    ? undefined
    : codeIn(cause ?? errors?.[0], depth + 1);
}

interface Members {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
}
function membersOf(error: unknown): Members {
  return typeof error === 'object' && error !== null ? error : {};
}
