/** A registration: one handler with its id, owner, constraints and policies. */
import type { GuardVerdict, HandlerRef } from '@treblehook/types';

/** Everything of one owner between `forPlugin` and its end; when it is gone, so are all its handlers. */
export interface Home {
  readonly owner: string;
  gone: boolean;
  /** Somebody holds a registrar of this name. */
  isNamed: boolean;
  /** Of the registrars that may register; `replace` makes another. */
  edition: number;
  /** Handlers that were replaced: fires that began with them may still run them, unless the owner goes. */
  replaced: readonly WeakRef<Registration>[];
}

export interface Registration {
  readonly handler: (payload: any, ctx: any) => unknown;
  readonly ref: HandlerRef;
  readonly id: string;
  readonly owner: string;
  readonly home: Home;
  /** Counts registrations of the registry: the order inside one owner. */
  readonly seq: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** ms; `Infinity`: the caller's signal alone ends the call. */
  readonly budgetMs: number;
  readonly aborts: boolean;
  /** Of a guard: shared by all records, so that a pass costs no allocation. */
  readonly passed: GuardVerdict | undefined;
  /** A fire that began with it and has not started it passes it over. A replaced handler is not removed. */
  removed: boolean;
}

export const host = 'host';
