/** What a law of stores works with: one store, and a time that stands still until the law moves it. */
import {
  isHeld,
  type Awaitable,
  type Lease,
  type RunStatus,
  type SessionRecord,
  type SessionStore,
} from '@treblehook/types';

/** Makes an empty store. `now` is its time, ms since the epoch. */
export type OpenStore = (now: () => number) => Awaitable<SessionStore>;
/** Opens anew what a store kept that was closed. */
export type ReopenStore = (closed: SessionStore, now: () => number) => Awaitable<SessionStore>;

export class StoreBench {
  readonly store: SessionStore;
  readonly #clock: { time: number };

  private constructor(store: SessionStore, clock: { time: number }) {
    this.store = store;
    this.#clock = clock;
  }

  /** It is 1,000 ms since the epoch. */
  static async open(open: OpenStore): Promise<StoreBench> {
    const clock = { time: 1000 };
    return new StoreBench(await open(() => clock.time), clock);
  }

  async reopened(reopen: ReopenStore): Promise<StoreBench> {
    await this.store.close();
    return new StoreBench(await reopen(this.store, () => this.#clock.time), this.#clock);
  }

  at(time: number): void {
    this.#clock.time = time;
  }

  async take(id = 's', holder = 'me', ms = 100): Promise<Lease> {
    const lease = await this.store.acquire(id, holder, ms);
    if (isHeld(lease)) throw new Error(`the session '${id}' should be free, and is held by '${lease.holder}'`);
    return lease;
  }

  async records(id = 's', after?: number): Promise<readonly SessionRecord[]> {
    return (await this.store.read(id, after)).map(({ record }) => record);
  }
}

export type StoreLaw = readonly [name: string, run: (bench: StoreBench) => Promise<void>];
/** A law of stores whose sessions outlive them. */
export type LastingLaw = readonly [name: string, run: (bench: StoreBench, reopen: ReopenStore) => Promise<void>];

export const runRecord = (runId: string): SessionRecord => ({
  type: 'run',
  runId,
  input: 'go',
  personality: 'default',
});
export const settledRecord = (status: RunStatus): SessionRecord => ({ type: 'settled', runId: 'r', status });
export const requestRecord = (id: string, expiresAt?: number): SessionRecord => ({
  type: 'request',
  runId: 'r',
  callId: 'c',
  by: 'guards',
  sealed: { tool: { source: 'host', name: 't', digest: 'd' }, args: {}, digest: 'e' },
  request: { id, kind: 'approval', prompt: 'may it?', ...(expiresAt === undefined ? {} : { expiresAt }) },
});
