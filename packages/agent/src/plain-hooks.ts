/** Plain hooks as an option: read once, asked by the tenant `hooks`, their errors unwrapped. */
import { HookError, isHookError } from '@treblehook/types';
import { assertHooks } from './chain-hooks.js';
import { hookKinds, type Hooks } from './hooks.js';
import { Aborted, type RunAbort } from './run/run-abort.js';
import { memberOf } from './run/shared-prototypes.js';

/** Its own callbacks alone, each bound to the object that had it. */
export type ReadHooks = { readonly [K in keyof Hooks]?: NonNullable<Hooks[K]> };

/** Throws `TH_HOOKS_INVALID`. A callback that is put there later is not asked. */
export function readHooks(hooks: Hooks | undefined): ReadHooks | undefined {
  if (hooks === undefined) return undefined;
  assertHooks(hooks, 'hooks');
  const read = Object.create(null) as Record<string, unknown>;
  for (const kind of hookKinds) {
    const callback = memberOf(hooks, kind) as ((e: unknown) => unknown) | null | undefined;
    if (callback !== undefined && callback !== null) {
      read[kind] = (e: unknown): unknown => Reflect.apply(callback, hooks, [e]);
    }
  }
  return read;
}

/** A callback of plain hooks has thrown: the run ends with that very error. */
export class HooksFailed extends Error {
  readonly error: unknown;

  constructor(error: unknown) {
    super('a plain hook failed');
    this.error = error;
  }
}

/** What a fire has rejected with, for the one handler whose errors pass unwrapped. */
export const asOfHooks = (error: unknown): unknown =>
  isHookError(error) && error.handlerId === 'hooks' && error.owner === 'host'
    ? new HooksFailed(error.code === 'TH_HANDLER_FAILED' ? error.cause : error)
    : error;

/** What ended a run, without the wrap. */
export const unwrapped = (error: unknown): unknown => (error instanceof HooksFailed ? error.error : error);

/** The same, as a wrapper may see it: what the loop throws at itself stays inside. */
export const outOf = ({ abort }: { readonly abort: RunAbort }, error: unknown, hook: string): unknown =>
  error instanceof Aborted || abort.isAborted
    ? new HookError('TH_ABORTED', { hook, cause: abort.signal.reason })
    : unwrapped(error);
