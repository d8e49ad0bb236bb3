/** What a handler is given beside the payload; most of it is made when first read. */
import { HookError, type CallModel, type HookCaller } from '@treblehook/types';
import { append } from './frozen.js';
import type { Registration } from './registration.js';
import type { Run } from './run.js';

/** The fires that led to one, innermost first. */
export interface Chain {
  readonly hook: string;
  readonly id: string;
  readonly up: Chain | undefined;
}

export const isInChain = (chain: Chain | undefined, hook: string): boolean => {
  for (let at = chain; at !== undefined; at = at.up) if (at.hook === hook) return true;
  return false;
};

/** The open call's way of firing, made by the registry. */
export type FireFrom = (registration: Registration, run: Run, chain: Chain, isOpen: () => boolean) => HookCaller<any>;

/** What few handlers ask for. */
interface Asked {
  hasEnded: boolean;
  ended: unknown;
  isOverBudget: boolean;
  controller: AbortController | undefined;
  unlink: (() => void) | undefined;
  fire: HookCaller<any> | undefined;
}
/** Every field its own: none is looked for, or set, on `Object.prototype`. */
const asking = (): Asked => ({
  hasEnded: false,
  ended: undefined,
  isOverBudget: false,
  controller: undefined,
  unlink: undefined,
  fire: undefined,
});

/*
 * The kernel's own way into a context. They are functions of this module and on no object that a handler can reach: what
 * hung on the class could be replaced through `ctx.constructor`.
 */
export let isOpen: (context: Context) => boolean;
export let isOverBudget: (context: Context) => boolean;
export let registrationOf: (context: Context) => Registration;
/** The context before it, of those that were started together. */
export let contextBefore: (context: Context) => Context | undefined;
/** Puts a context behind another; a list costs nothing where an array must grow. */
export let standBehind: (context: Context, before: Context | undefined) => Context;
/** The call is over: its answer is in. */
export let closeCall: (context: Context) => void;
/** The call is over without an answer: its signal aborts. */
export let endCall: (context: Context, reason: unknown, isOverBudget: boolean) => void;

export class Context {
  readonly #run: Run;
  readonly #registration: Registration;
  #isOpen: boolean;
  #asked: Asked | undefined;
  #before: Context | undefined;

  constructor(run: Run, registration: Registration) {
    this.#run = run;
    this.#registration = registration;
    this.#isOpen = true;
    this.#asked = undefined;
    this.#before = undefined;
  }

  static {
    isOpen = (context) => context.#isOpen;
    isOverBudget = (context) => context.#asked?.isOverBudget === true;
    registrationOf = (context) => context.#registration;
    contextBefore = (context) => context.#before;
    standBehind = (context, before) => {
      context.#before = before;
      return context;
    };
    closeCall = (context) => {
      context.#isOpen = false;
      if (context.#asked !== undefined) unlink(context.#asked);
    };
    endCall = (context, reason, isOver) => {
      const asked = (context.#asked ??= asking());
      asked.hasEnded = true;
      asked.ended = reason;
      asked.isOverBudget = isOver;
      closeCall(context);
      asked.controller?.abort(reason);
    };
    Reflect.deleteProperty(Context.prototype, 'constructor');
    Object.freeze(Context.prototype);
  }

  get hook(): string {
    return this.#registration.ref.hook;
  }
  get id(): string {
    return this.#registration.id;
  }
  get owner(): string {
    return this.#registration.owner;
  }

  get merged(): unknown {
    return this.#run.merged?.();
  }

  get signal(): AbortSignal {
    const asked = (this.#asked ??= asking());
    if (asked.controller === undefined) {
      const controller = (asked.controller = new AbortController());
      const caller = this.#run.scope.signal;
      if (caller?.aborted) controller.abort(caller.reason);
      else if (asked.hasEnded) controller.abort(asked.ended);
      else if (this.#isOpen && caller !== undefined) {
        asked.unlink = this.#run.engine.aborts.add(caller, () => controller.abort(caller.reason));
      }
    }
    return asked.controller.signal;
  }

  get fire(): HookCaller<any> {
    const asked = (this.#asked ??= asking());
    const isStillOpen = (): boolean => this.#isOpen;
    return (asked.fire ??= this.#run.fireFrom(
      this.#registration,
      this.#run,
      chainOf(this.#run, this.#registration),
      isStillOpen,
    ));
  }

  get callModel(): CallModel | undefined {
    const call = this.#run.scope.callModel;
    if (call === undefined) return undefined;
    return (request, purpose) => {
      if (!this.#isOpen) throw disposed(this.#registration);
      const inHand: string[] = [];
      for (let at: Chain | undefined = chainOf(this.#run, this.#registration); at !== undefined; at = at.up)
        append(inHand, at.id);
      return call(request, purpose, inHand);
    };
  }
}

function unlink(asked: Asked): void {
  asked.unlink?.();
  asked.unlink = undefined;
}

const chainOf = (run: Run, { ref, id }: Registration): Chain => ({ hook: ref.hook, id, up: run.source.chain });

export function disposed({ ref, owner, id }: Registration): HookError {
  return new HookError('TH_DISPOSED', {
    hook: ref.hook,
    owner,
    handlerId: id,
    what: `the ctx of '${id}' on '${ref.hook}'`,
    mend: 'use it during the call only',
  });
}
