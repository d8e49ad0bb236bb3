/** What is known of one session: its log as far as it was read, and what follows from it. */
import { closeClass } from '@treblehook/core';
import { HookError, type Message, type Origin, type SessionRecord } from '@treblehook/types';
import type { Config } from '../config.js';
import type { Current } from '../current.js';
import type { SessionGrant } from '../contract.js';
import { invalid } from '../read-option.js';
import { assertOwn } from './assert-own.js';
import { InForce } from './in-force.js';
import { ChildGrants } from './child-grants.js';
import type { OpenRun } from './open-run.js';
import { wellFormed } from './repair.js';
import { Replay } from './replay.js';
import { SessionGrants } from './session-grants.js';
import { SessionLock } from './session-lock.js';
import { SessionLog } from './session-log.js';
import { inTime, unanswered } from './store-wait.js';
import type { Tenure } from './tenure.js';
import { Transcript, withId } from './transcript.js';

export class SessionState {
  readonly id: string;
  readonly log: SessionLog;
  readonly lock: SessionLock;
  readonly grants: SessionGrants;
  /** Those of its open children. */
  readonly children: ChildGrants;
  readonly inForce: InForce;
  /** With all that was appended, an open turn included. */
  transcript: Transcript;
  /** The settled view. */
  view: readonly Message[];
  /** The run that was left open, until one goes on with it. */
  open: OpenRun | undefined;
  /** What is in hand is what the log says. */
  isFresh = true;
  isResumed: boolean;
  /** Of the last run; `undefined`: there was none in this process. */
  lastOrigin: Origin | undefined;
  readonly #seed: readonly Message[];
  readonly #isSeeded: boolean;
  /** Its log begins with what it was given. */
  #hasWritten = false;
  readonly #current: Current;

  /** Throws `TH_HISTORY_INVALID` for a transcript that one repair cannot mend. */
  constructor(
    current: Current,
    id: string,
    messages: readonly Message[] | undefined,
    { before, above = new ChildGrants() }: Pick<Tenure, 'before' | 'above'>,
  ) {
    const { now: config } = current;
    this.#current = current;
    this.id = id;
    this.#isSeeded = messages !== undefined;
    this.#seed = wellFormed(messages ?? []).map((message) => withId(message, config.ids));
    this.log = new SessionLog(config, id);
    ({ grants: this.grants, children: this.children } = above.of(id));
    above.take(this);
    this.lock = new SessionLock(id, config.clock, config.lockWaitMs, before);
    this.inForce = new InForce(current, id);
    this.transcript = new Transcript(this.#seed);
    this.view = this.transcript.list();
    this.isResumed = this.#isSeeded;
  }

  /** The agent as it starts now: what it is to a run, the run says. */
  get config(): Config {
    return this.#current.now;
  }

  /**
   * Takes the whole log for what is so. Throws `TH_HISTORY_INVALID`, `TH_WRONG_AGENT`, `TH_OPTION_INVALID` for messages given
   * beside a log, and `TH_NOTHING_OPEN` for the session of a task.
   */
  async reload(read = (): Promise<Replay> => this.replay()): Promise<void> {
    const takeGrants = this.grants.reading();
    const replay = await read();
    takeGrants(replay);
    this.log.isAt(replay.head);
    this.inForce.take(replay.personality);
    this.children.only(this.id, replay.open);
    this.isFresh = true;
    if (replay.isEmpty) {
      this.open = undefined;
      this.transcript = new Transcript(this.#seed);
      this.view = this.transcript.list();
      return;
    }
    this.isResumed = true;
    this.open = replay.open;
    const working = this.open === undefined ? wellFormed(replay.working) : replay.working;
    this.transcript = new Transcript(working.map((message) => withId(message, this.config.ids)));
    this.view = this.transcript.list().slice(0, this.open === undefined ? undefined : replay.settledCount);
  }

  /** As `reload`; rejects with `TH_SESSION_BUSY` when the store does not answer, and what it answers later is not taken. */
  async load(): Promise<void> {
    await this.reload(() => this.inTime(this.replay(), 'what its log has'));
    await this.inTime(this.children.read(this.config, this, this.open), 'what its children have');
  }

  get path(): readonly string[] {
    return this.config.path;
  }

  /** Its own, and those of its open children as far as they are known. */
  shownGrants(): readonly SessionGrant[] {
    const date = this.config.clock.date();
    return Object.freeze([...this.grants.inForce(date), ...this.children.inForce(date)]);
  }

  /** Settles as `given` does, or rejects with `TH_SESSION_BUSY` when the store has not answered within `lockWaitMs`. */
  inTime<T>(given: Promise<T>, asked: string): Promise<T> {
    const { clock, lockWaitMs } = this.config;
    return inTime(given, clock, lockWaitMs, () => unanswered(this.id, lockWaitMs, asked));
  }

  /** Takes the own grants of the log, and nothing else: a run may be in hand. Gives the log. */
  async readGrants(): Promise<Replay> {
    const take = this.grants.reading();
    const replay = await this.replay();
    take(replay);
    return replay;
  }

  /** The log, read; nothing follows from it yet. Throws as `reload`. */
  async replay(): Promise<Replay> {
    const replay = new Replay(this.id);
    await this.log.readAll((records) => replay.take(records));
    if (!replay.isEmpty) this.#assertMine(replay);
    return replay;
  }

  /**
   * A log has its own beginning and its own agent, whose guards, hooks and limits it was begun under; a child goes on under
   * its parent alone, whose guards and limits are its own too.
   */
  #assertMine({ agent, parent }: Replay): void {
    if (this.#isSeeded && this.lastOrigin === undefined && !this.#hasWritten) {
      throw invalid(`the session '${this.id}' has a log of its own: open it without messages`);
    }
    const own = this.config.parent;
    if (parent?.sessionId === own?.sessionId && parent?.callId === own?.callId) {
      return assertOwn(this.config, this.id, agent);
    }
    const what =
      own === undefined
        ? `it is that of a task: resume the session '${parent!.sessionId}', answer there, or take its grants back there`
        : `it is not that of the call '${own.callId}': somebody else has begun it, and its task ends here; give the task anew`;
    throw new HookError('TH_NOTHING_OPEN', { session: this.id, what });
  }

  /** What a new log begins with; nothing when there is one. */
  preface(): readonly SessionRecord[] {
    if (this.log.head !== 0) return [];
    const { name: agent, parent } = this.config;
    return [
      { type: 'opened', agent, ...(parent === undefined ? {} : { parent }) },
      ...this.#seed.map((message): SessionRecord => ({ type: 'message', message })),
    ];
  }

  /** Appends records outside of a run, under the lease that is held; what is in hand counts only once it is durable. */
  async append(...records: readonly SessionRecord[]): Promise<void> {
    const preface = this.preface();
    this.#hasWritten ||= preface.length > 0;
    this.isFresh = false;
    await this.log.append(...preface, ...records);
    this.isFresh = true;
  }
}
closeClass(SessionState);
