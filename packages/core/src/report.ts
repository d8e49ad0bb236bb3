/** Telling what happened: events over a private mitt emitter, and warnings for faults that nobody hears. */
import { closeClass } from './closed-class.js';
import type { ErrorCode, HandlerRef, HookEvents, HookEventSource } from '@treblehook/types';
import { didYouMean, HookError, textOf } from '@treblehook/types';
import mittModule, { type Emitter } from 'mitt';
import { shown } from './option.js';
import { hear, promiseOf } from './thenable.js';

// under NodeNext the declarations of mitt give its module, not its function
const mitt = mittModule as unknown as <T extends Record<keyof T, unknown>>() => Emitter<T & Record<string, unknown>>;

type EventType = keyof HookEvents;
const types: readonly string[] = Object.keys({
  registered: true,
  unregistered: true,
  fired: true,
  handlerFailed: true,
  handlerTimedOut: true,
  amendmentRefused: true,
  keyShadowed: true,
  claimed: true,
  denied: true,
} satisfies Record<EventType, true>);
/** Faults that are never silent. */
const loud: ReadonlySet<EventType> = new Set(['handlerFailed', 'handlerTimedOut', 'amendmentRefused']);

export class Reporter {
  readonly #emitter = mitt<HookEvents>();
  readonly #heard = new Map<EventType, number>();
  /** Codes that were warned of, by handler; forgotten with it. */
  readonly #warned = new Map<HandlerRef, Set<string>>();
  /** Whether anybody listens to `fired`. */
  isTraced = false;

  hears(type: EventType): boolean {
    return this.#heard.get(type) !== undefined;
  }

  /** Whether anybody would learn of one more fault of this kind: when not, nobody need build it. */
  isWanted(type: EventType, by: HandlerRef, code: ErrorCode): boolean {
    return this.hears(type) || this.#warned.get(by)?.has(code) !== true;
  }

  /** Builds the event only when somebody hears it, or must be warned of it. */
  tell<T extends EventType>(type: T, make: () => HookEvents[T]): void {
    if (this.hears(type)) this.#emitter.emit(type, Object.freeze(make()) as never);
    else if (loud.has(type)) {
      const { by, error } = make() as HookEvents['handlerFailed'];
      this.warn(by, error);
    }
  }

  readonly source: HookEventSource = Object.freeze({
    on: <T extends EventType>(type: T, listener: (event: HookEvents[T]) => unknown) => {
      if (!types.includes(type)) {
        const what = `${shown(type)} is no event: ${didYouMean(shown(type), types) ?? `events are ${types.join(', ')}`}`;
        throw new HookError('TH_OPTION_INVALID', { what });
      }
      if (typeof listener !== 'function')
        throw new HookError('TH_OPTION_INVALID', { what: `the listener of '${type}' must be a function` });
      let busy = false;
      const contained = (event: HookEvents[T]): void => {
        if (busy) return this.#untold(type, event); // what a listener causes is not told to that listener
        busy = true;
        try {
          const answer: unknown = listener(event);
          const promise = typeof answer === 'object' && answer !== null ? promiseOf(answer) : undefined;
          if (promise !== undefined) hear(promise, undefined, (error) => warnOfListener(type, error));
        } catch (error) {
          warnOfListener(type, error);
        } finally {
          busy = false;
        }
      };
      this.#emitter.on(type, contained as never);
      this.#count(type, 1);
      let on = true;
      return () => {
        if (!on) return;
        on = false;
        this.#emitter.off(type, contained as never);
        this.#count(type, -1);
      };
    },
  });

  #untold<T extends EventType>(type: T, event: HookEvents[T]): void {
    if (!loud.has(type)) return;
    const { by, error } = event as HookEvents['handlerFailed'];
    this.warn(by, error);
  }

  #count(type: EventType, more: 1 | -1): void {
    const left = (this.#heard.get(type) ?? 0) + more;
    if (left === 0) this.#heard.delete(type);
    else this.#heard.set(type, left);
    this.isTraced = this.hears('fired');
  }

  /** Warns the process of a fault that nobody hears, once per handler and code. */
  warn(by: HandlerRef, error: HookError): void {
    const { code } = error;
    const codes = this.#warned.get(by);
    if (codes?.has(code)) return;
    if (codes === undefined) this.#warned.set(by, new Set([code]));
    else codes.add(code);
    warn(error);
  }

  forget(by: HandlerRef): void {
    this.#warned.delete(by);
  }
}
closeClass(Reporter);

function warnOfListener(type: string, error: unknown): void {
  warn(new HookError('TH_LISTENER_FAILED', { type, what: textOf(error) }));
}

function warn({ message, code }: HookError): void {
  if (typeof process === 'object') process.emitWarning(message, { type: 'TreblehookWarning', code });
  else console.warn(`${code}: ${message}`);
}
