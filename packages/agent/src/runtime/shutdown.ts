/** The end of a runtime: nobody is let in, what runs may end, what still runs is suspended, what cannot end is named. */
import { closeClass, frozen } from '@treblehook/core';
import { isHookError, ownFields } from '@treblehook/types';
import { sessionsOf } from '../agent.js';
import type { Agent, Clock, Session } from '../contract.js';
import { Suspension } from '../run/run-abort.js';
import type { RunState } from '../run/run-state.js';
import type { SessionLease } from '../session/session-lease.js';
import type { Inbox } from './inbox.js';
import type { Receiver } from './receive.js';
import type { ShutdownReport, Stuck } from './runtime-contract.js';
import type { StoreWatch } from './store-watch.js';

export interface Ending {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly inbox: Inbox;
  readonly receiver: Receiver | undefined;
  readonly clock: Clock;
  readonly watch: StoreWatch;
  /** Leases that this process has. */
  readonly leases: ReadonlySet<SessionLease>;
  /** Ends what handlers still do for sessions outside of a run. */
  readonly over: AbortController;
  /** ms that a tool body has, once its run is aborted. */
  readonly bodyMs: number;
}

export class Shutdown {
  readonly #of: Ending;
  readonly #suspended: Promise<void>;
  #tellSuspended = (): void => {};
  /** ms that a result is waited for; what comes of it has to be made durable in what is left then. */
  #patienceMs = 0;

  constructor(of: Ending) {
    this.#of = of;
    this.#suspended = new Promise((resolve) => (this.#tellSuspended = resolve));
  }

  /** What still runs stops at once, and stays open in the log. Idempotent. */
  suspend(): void {
    const { inbox, receiver, clock } = this.#of;
    const why = new Suspension('the runtime was shut down', clock.now() + this.#patienceMs);
    for (const run of inbox.open) run.abort.abort(why);
    receiver?.stop(why);
    this.#tellSuspended();
  }

  /** Called once. `graceMs`: what runs may go on; `settleMs`: what was suspended, and each session, has to end. */
  async end(graceMs: number, settleMs: number): Promise<ShutdownReport> {
    const { inbox, receiver, clock, bodyMs } = this.#of;
    this.#patienceMs = bodyMs + settleMs / 2;
    receiver?.close();
    const refused = inbox.close();
    const inHand = inbox.open;
    const empty = Promise.all([inbox.empty(), receiver?.empty()]);
    const cancel = clock.after(graceMs, () => this.suspend());
    await Promise.race([empty, this.#suspended]);
    cancel();
    this.suspend();
    await this.#within(bodyMs + settleMs, empty);
    const stuck = this.#stuck();
    await this.#close(new Set(stuck.map(({ sessionId }) => sessionId)), settleMs);
    const all = [...stuck, ...this.#unclosed(stuck)];
    this.#of.over.abort();
    for (const lease of this.#of.leases) lease.giveUp();
    const isOpen = (run: RunState): boolean => inbox.open.includes(run);
    const suspended = inHand
      .filter((run) => run.endedAs === 'pending' && run.abort.isSuspended)
      .map(({ config, sessionId, id }) => ownFields({ agent: config.name, sessionId, runId: id }));
    const finished = inHand.length - suspended.length - inHand.filter(isOpen).length;
    return frozen(ownFields({ finished, suspended, refused, stuck: all }));
  }

  /** Resolves with `over`, or after `ms`; what comes of it then is told by who is stuck. */
  async #within(ms: number, over: Promise<unknown>): Promise<void> {
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => (cancel = this.#of.clock.after(ms, resolve)));
    try {
      await Promise.race([over, late]);
    } finally {
      cancel();
    }
  }

  /** Runs and messages that have not ended. */
  #stuck(): Stuck[] {
    const { inbox, receiver } = this.#of;
    const what = (sessionId: string, otherwise: string): string => this.#what(sessionId, otherwise);
    const runs = inbox.open.map(({ config, sessionId, id }) =>
      ownFields({
        sessionId,
        agent: config.name,
        runId: id,
        what: what(sessionId, 'its run has not ended'),
      }),
    );
    const isTold = (sessionId: string): boolean => runs.some((run) => run.sessionId === sessionId);
    const messages = (receiver?.open ?? [])
      .filter(({ sessionId }) => !isTold(sessionId))
      .map(({ sessionId, agent }) =>
        ownFields({ sessionId, agent, what: what(sessionId, 'a message of a channel is still on its way') }),
      );
    return [...runs, ...messages];
  }

  #what(sessionId: string, otherwise: string): string {
    const call = this.#of.watch.callOf(sessionId);
    return call === undefined ? otherwise : `the session store has not answered: ${call}`;
  }

  /** All but those of `stuck`, which could only wait for their runs. */
  async #close(stuck: ReadonlySet<string>, settleMs: number): Promise<void> {
    const open = [...this.#of.agents.values()].flatMap((agent) => [...sessionsOf(agent)]);
    const closes = Promise.all(open.filter(({ id }) => !stuck.has(id)).map(close));
    closes.catch(() => {}); // swallows nothing: it is waited for below, or its session is told as stuck
    await this.#within(settleMs, closes);
  }

  #unclosed(told: readonly Stuck[]): Stuck[] {
    return [...this.#of.agents].flatMap(([agent, of]) =>
      [...sessionsOf(of)]
        .filter(({ id }) => told.every(({ sessionId }) => sessionId !== id))
        .map(({ id: sessionId }) =>
          ownFields({
            sessionId,
            agent,
            what: this.#what(
              sessionId,
              'it has not closed: a handler of sessionEnd or of personalitySwitched that has no budget may hold it',
            ),
          }),
        ),
    );
  }
}
closeClass(Shutdown);

/** One that does not close in time is told as stuck. */
async function close(session: Session): Promise<void> {
  try {
    await session.close();
  } catch (error) {
    if (!isHookError(error) || error.code !== 'TH_SESSION_BUSY') throw error;
  }
}
