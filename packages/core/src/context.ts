/** What a handler is given beside the payload; most of it is made when first read. */
import { HookError, type CallModel, type HookCaller } from '@treblehook/types';
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
  ended?: unknown;
  isOverBudget?: boolean;
  controller?: AbortController;
  unlink?: () => void;
  fire?: HookCaller<any>;
}

export class Context {
  readonly #run: Run;
  readonly #registration: Registration;
  #isOpen = true;
  #asked: Asked | undefined;

  constructor(run: Run, registration: Registration) {
    this.#run = run;
    this.#registration = registration;
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
    const asked = (this.#asked ??= {});
    if (asked.controller === undefined) {
      const controller = (asked.controller = new AbortController());
      const caller = this.#run.scope.signal;
      if (caller?.aborted) controller.abort(caller.reason);
      else if ('ended' in asked) controller.abort(asked.ended);
      else if (this.#isOpen && caller !== undefined) {
        asked.unlink = this.#run.engine.aborts.add(caller, () => controller.abort(caller.reason));
      }
    }
    return asked.controller.signal;
  }

  get fire(): HookCaller<any> {
    const asked = (this.#asked ??= {});
    const isOpen = (): boolean => this.#isOpen;
    return (asked.fire ??= this.#run.fireFrom(this.#registration, this.#run, this.#chain(), isOpen));
  }

  get callModel(): CallModel | undefined {
    const call = this.#run.scope.callModel;
    if (call === undefined) return undefined;
    return (request, purpose) => {
      if (!this.#isOpen) throw disposed(this.#registration);
      const inHand: string[] = [];
      for (let at: Chain | undefined = this.#chain(); at !== undefined; at = at.up) inHand.push(at.id);
      return call(request, purpose, inHand);
    };
  }

  #chain(): Chain {
    return { hook: this.#registration.ref.hook, id: this.#registration.id, up: this.#run.chain };
  }

  static isOpen(context: Context): boolean {
    return context.#isOpen;
  }
  static isOverBudget(context: Context): boolean {
    return context.#asked?.isOverBudget === true;
  }
  static registration(context: Context): Registration {
    return context.#registration;
  }

  /** The call is over: its answer is in. */
  static close(context: Context): void {
    context.#isOpen = false;
    const asked = context.#asked;
    if (asked?.unlink === undefined) return;
    asked.unlink();
    delete asked.unlink;
  }

  /** The call is over without an answer: its signal aborts. */
  static end(context: Context, reason: unknown, isOverBudget: boolean): void {
    const asked = (context.#asked ??= {});
    asked.ended = reason;
    asked.isOverBudget = isOverBudget;
    Context.close(context);
    asked.controller?.abort(reason);
  }
}

export function disposed({ ref, owner, id }: Registration): HookError {
  return new HookError('TH_DISPOSED', {
    hook: ref.hook,
    owner,
    handlerId: id,
    what: `the ctx of '${id}' on '${ref.hook}'`,
    mend: 'use it during the call only',
  });
}
