/** The error class: a code of the table, its message, and what it was made of. */
import { errorTable, type ErrorCode } from './error-table.js';

/** Details of an error; those that a template names are written into the message. */
export interface ErrorDetails {
  readonly hook?: string | undefined;
  readonly owner?: string | undefined;
  readonly handlerId?: string | undefined;
  readonly cause?: unknown;
  readonly [detail: string]: unknown;
}

const marker = Symbol.for('treblehook.error');

/** Assigning would ask a setter of that name on `Object.prototype`. */
function own(error: HookError, name: string, value: unknown): void {
  Object.defineProperty(error, name, {
    __proto__: null,
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  } as PropertyDescriptor);
}

/**
 * The one error class. `code` is stable; the text is for people.
 * `handlerId` is the full id of the handler that is at fault, `owner` its owner (`host` or a plugin id).
 */
export class HookError extends Error {
  declare readonly code: ErrorCode;
  declare readonly hook?: string;
  declare readonly owner?: string;
  declare readonly handlerId?: string;
  /** `TH_VERIFY_FAILED`, and `TH_MATCHES_NOTHING` and `TH_CONFIG_INVALID` of several: each fault. */
  declare readonly faults?: readonly HookError[];
  /** What else the message was made of, such as `status` and `body` of `TH_MODEL_HTTP`. */
  declare readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    const { hook, owner, handlerId, cause, faults, ...rest } = details;
    super(render(code, details), cause === undefined ? undefined : { cause });
    own(this, 'name', 'HookError');
    own(this, 'code', code);
    if (hook !== undefined) own(this, 'hook', hook);
    if (owner !== undefined) own(this, 'owner', owner);
    if (handlerId !== undefined) own(this, 'handlerId', handlerId);
    if (faults !== undefined) own(this, 'faults', faults);
    own(this, 'details', Object.freeze(rest));
  }
}
Object.defineProperty(HookError.prototype, marker, { value: true });

/**
 * True for a `HookError` of this or another copy of the package. Anybody can make one: good enough for what is said and
 * for whether to try again, never for what is allowed.
 */
export function isHookError(value: unknown): value is HookError {
  return typeof value === 'object' && value !== null && marker in value;
}

function render(code: ErrorCode, details: ErrorDetails): string {
  const who = details.owner === undefined ? '' : details.owner === 'host' ? ' (host)' : ` (plugin '${details.owner}')`;
  return errorTable[code].message.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'who') return who;
    const value = name === 'id' ? (details['id'] ?? details.handlerId) : details[name];
    return value === undefined ? '' : textOf(value);
  });
}

/** The text of anything that was thrown; never throws itself. */
export function textOf(thrown: unknown): string {
  try {
    const text: unknown = thrown instanceof Error ? thrown.message : thrown;
    return typeof text === 'string' ? text : String(text);
  } catch {
    return 'a value that cannot be printed'; // swallows a throwing `message` getter or `toString`
  }
}
