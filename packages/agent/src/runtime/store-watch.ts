/** Which calls of a session store have not been answered yet: what cannot end is told by them. */
import { closeClass } from '@treblehook/core';
import type { Lease, SessionStore } from '@treblehook/types';
import { isPromiseLike, promiseOf } from '../run/shared-prototypes.js';

type Call = 'acquire' | 'renew' | 'release' | 'append' | 'read' | 'settle';

interface Unanswered {
  readonly sessionId: string;
  readonly call: Call;
}

export class StoreWatch {
  readonly #unanswered = new Set<Unanswered>();
  readonly #watched = new WeakMap<SessionStore, SessionStore>();

  /** The store, its calls looked at; the same one for the same store. A value stays one, and a promise is handed on. */
  over(store: SessionStore): SessionStore {
    let watched = this.#watched.get(store);
    if (watched === undefined) this.#watched.set(store, (watched = this.#over(store)));
    return watched;
  }

  /** The call that the session waits for, or one of its tasks: `append of the session 's'`. */
  callOf(sessionId: string): string | undefined {
    for (const one of this.#unanswered) {
      if (one.sessionId !== sessionId && !one.sessionId.startsWith(`${sessionId}/`)) continue;
      return `${one.call} of the session '${one.sessionId}'`;
    }
    return undefined;
  }

  #over(store: SessionStore): SessionStore {
    const look = <T>(call: Call, sessionId: string, given: T): T => {
      if (!isPromiseLike(given)) return given;
      const one = { sessionId, call };
      this.#unanswered.add(one);
      const over = (): void => void this.#unanswered.delete(one);
      // one of another make may do its work whenever its `then` is called: it is called once
      const promise = given instanceof Promise ? given : promiseOf(given);
      promise.then(over, over); // swallows nothing: whoever called is told of a rejection
      return promise as T;
    };
    return Object.freeze({
      acquire: (id: string, holder: string, ms: number) => look('acquire', id, store.acquire(id, holder, ms)),
      renew: (lease: Lease, ms: number) => look('renew', lease.sessionId, store.renew(lease, ms)),
      release: (lease: Lease) => look('release', lease.sessionId, store.release(lease)),
      append: (lease, records) => look('append', lease.sessionId, store.append(lease, records)),
      read: (id: string, after?: number) => look('read', id, store.read(id, after)),
      settle: (id, answer) => look('settle', id, store.settle(id, answer)),
      list: () => store.list(),
      close: () => store.close(),
    } satisfies SessionStore);
  }
}
closeClass(StoreWatch);
