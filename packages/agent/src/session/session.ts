/** One conversation, as its agent gives it out: its runs, what it shows, its closing. */
import { adopt, frozen } from '@treblehook/core';
import { HookError, ownFields, type Answer, type Message, type SessionEnd } from '@treblehook/types';
import { readAnswer } from '../calls/answer-given.js';
import { nestedCall } from '../calls/nested-call.js';
import type { ResumeOptions, RunOptions, Session } from '../contract.js';
import type { Current } from '../current.js';
import { sideCall } from '../model/side-call.js';
import { asInvalid, assertText } from '../read-option.js';
import { isEndless } from '../run/endless.js';
import { givenTo, type GivenRun } from '../run/given-run.js';
import { conductRun, type Start } from '../run/run.js';
import { RunState } from '../run/run-state.js';
import type { Ports } from '../run/run-place.js';
import type { AgentEvent, AgentStream } from '../run/run-told.js';
import { EventStream, type RunInHand } from './event-stream.js';
import { giveUpBySwitch } from './give-up.js';
import { OutsideFires } from './outside-fires.js';
import { revokeGrant } from './revoke-grant.js';
import { readResume, readRun } from './run-options.js';
import { assertGuarded, hasSeveral, placeOf } from './session-place.js';
import { SessionState } from './session-state.js';
import { switchPersonality, type SwitchPlace } from './switch-personality.js';
import type { Tenure } from './tenure.js';

const ports: Ports = Object.freeze({ nest: nestedCall, callModel: sideCall });

/** Checked before the first turn of the agent. */
export type Ready = () => void;

/** Throws `TH_HISTORY_INVALID` for a transcript that one repair cannot mend. */
export function createSession(
  current: Current,
  id: string,
  messages: readonly Message[] | undefined,
  ready: Ready,
  tenure: Tenure = {},
): Session {
  const { onClosing, onClosed } = tenure;
  const { now: config } = current; // of it what no update changes
  const state = new SessionState(current, id, messages, tenure);
  const { log, lock, grants, inForce } = state;
  const place = placeOf(state);
  const fires = new OutsideFires(config, disposed);
  /** Begun, and not told to the end: those that wait for a turn too. */
  const runs = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  function disposed(): HookError {
    return new HookError('TH_DISPOSED', { what: `the session '${id}'`, mend: 'open another one' });
  }

  function assertOpen(): void {
    if (closing !== undefined) throw disposed();
  }

  function begin(emit: (event: AgentEvent) => void, options: RunOptions, start: Start, before?: GivenRun): RunInHand {
    assertOpen();
    ready();
    const { now } = current;
    const isChildTakenUp = config.parent !== undefined && start.input === undefined; // it is ended where it has none
    if (!hasSeveral(now) && !isChildTakenUp) assertGuarded(now);
    const within = { sessionId: id, log, grants, childGrants: state.children, given: before, note: options.note };
    const run = new RunState(now, within, emit, options.signal, options.job, ports);
    const settled = conductRun(run, place, start);
    runs.add(settled);
    const release = current.hold(settled, () => run.hasBegun);
    const over = (): void => {
      runs.delete(settled);
      release();
    };
    settled.then(over, over);
    return { settled, abort: (reason) => run.abort.abort(reason) };
  }

  /** What keeps a run from beginning rejects, and never throws. */
  const streamOf = (start: (emit: (event: AgentEvent) => void) => RunInHand): EventStream =>
    new EventStream((emit) => {
      try {
        return start(emit);
      } catch (error) {
        return { settled: Promise.reject(asInvalid(error)), abort: () => {} };
      }
    });
  const runOf = (input: string, given: RunOptions = {}): EventStream =>
    streamOf((emit) => begin(emit, readRun(input, given), { input, answer: undefined }, givenTo(given)));
  const resumeOf = (given?: Answer, options: ResumeOptions = {}): EventStream =>
    streamOf((emit) => {
      const read = readResume(options);
      const answer = given === undefined ? undefined : readAnswer(given);
      return begin(emit, read, { input: undefined, answer });
    });

  let unlock = (): void => {};
  const switchPlace: SwitchPlace = {
    current,
    sessionId: id,
    inForce,
    fires,
    async enter(holder) {
      await lock.take(holder.id, (given) => (unlock = given));
      try {
        if ((await log.enter(holder)) || !state.isFresh) await state.reload();
      } catch (error) {
        await switchPlace.leave();
        throw error;
      }
    },
    async leave() {
      await log.leave();
      unlock();
    },
    open: () => state.open,
    async write(switched, left, by) {
      if (left !== undefined) return giveUpBySwitch(state, left, switched, by);
      await state.append(switched);
      inForce.take(switched);
    },
  };

  async function tellEnd(payload: SessionEnd, plugins: readonly string[]): Promise<void> {
    const { registry } = config;
    const closing = registry.scoped(ownFields({ plugins }));
    if (!isEndless(registry, closing, 'sessionEnd')) return closing.fireVoid('sessionEnd', payload);
    const over = new AbortController();
    const until = registry.scoped(ownFields({ plugins, signal: over.signal }));
    // what a child has come to keeps its parent no longer than anything that never answers keeps a run
    const cancel =
      config.parent === undefined ? () => {} : config.clock.after(config.graceMs, () => over.abort(disposed()));
    await fires.fire(over, () => until.fireVoid('sessionEnd', payload)).finally(cancel);
  }

  async function end(): Promise<void> {
    await Promise.allSettled(runs); // no run begins any more
    await lock.idle();
    const { lastOrigin } = state;
    if (lastOrigin !== undefined) {
      const { id: personality, plugins } = inForce.told();
      const origin = lastOrigin.personality === personality ? lastOrigin : adopt({ ...lastOrigin, personality });
      await tellEnd({ origin, how: 'closed' }, plugins);
    }
    onClosed?.();
  }

  const session: Session = Object.freeze({
    id,
    stream: (input: string, options?: RunOptions): AgentStream => runOf(input, options),
    run: (input: string, options?: RunOptions) => runOf(input, options).drain(),
    resume: (answer?: Answer, options?: ResumeOptions) => resumeOf(answer, options).drain(),
    resumeStream: (answer?: Answer, options?: ResumeOptions): AgentStream => resumeOf(answer, options),
    messages: place.messages,
    async load() {
      let leave = (): void => {};
      await lock.take('load', (given) => (leave = given));
      try {
        await state.load();
      } finally {
        leave();
      }
    },
    requests: () => frozen(state.open?.requests() ?? []),
    grants: () => state.shownGrants(),
    async revoke(grantId: string) {
      assertText('the id of a grant', grantId);
      await state.inTime(revokeGrant(state, grantId), `whether the grant '${grantId}' is revoked`);
    },
    async switchPersonality(to: string) {
      assertOpen();
      ready();
      return switchPersonality(switchPlace, to);
    },
    async close() {
      if (closing === undefined) {
        closing = end();
        onClosing?.(closing.catch(() => {})); // swallows nothing: whoever closes is told by `closing`
      }
      try {
        await lock.within(closing);
      } catch (error) {
        fires.giveUp();
        throw error;
      }
    },
  });
  return session;
}
