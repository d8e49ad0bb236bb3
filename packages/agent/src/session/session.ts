/** One conversation: its queue of runs, its log, its settled view, its opening and closing. */
import { adopt, frozen } from '@treblehook/core';
import {
  HookError,
  ownFields,
  type Answer,
  type Grant,
  type Message,
  type Origin,
  type SessionRecord,
} from '@treblehook/types';
import { approvalFault, readAnswer } from '../calls/answer-given.js';
import type { ResumeOptions, RunOptions, Session } from '../contract.js';
import type { AgentEvent, AgentStream } from '../run/run-told.js';
import { EventStream, type RunInHand } from './event-stream.js';
import { abandon } from './abandon.js';
import { configOfRun, InForce } from './in-force.js';
import type { OpenRun } from './open-run.js';
import { Replay } from './replay.js';
import { readResume, readRun } from './run-options.js';
import { SessionLog } from './session-log.js';
import type { Config } from '../config.js';
import { nestedCall } from '../calls/nested-call.js';
import { sideCall } from '../model/side-call.js';
import { asInvalid, invalid } from '../read-option.js';
import { wellFormed } from './repair.js';
import { conductRun, type Place, type Start } from '../run/run.js';
import { idGivenTo } from '../run/given-id.js';
import { RunState, type Ports } from '../run/run-state.js';
import { SessionLock } from './session-lock.js';
import { settledRecord } from './settled-record.js';
import { switchPersonality, type SwitchPlace } from './switch-personality.js';
import { Transcript, withId } from './transcript.js';

const ports: Ports = Object.freeze({ nest: nestedCall, callModel: sideCall });

/** Checked before the first turn of the agent. */
export type Ready = () => void;

/** Throws `TH_HISTORY_INVALID` for a transcript that one repair cannot mend. */
export function createSession(
  config: Config,
  id: string,
  messages: readonly Message[] | undefined,
  ready: Ready,
  onClosed: () => void,
): Session {
  const seed = wellFormed(messages ?? []).map((message) => withId(message, config.ids));
  const log = new SessionLog(config, id);
  const lock = new SessionLock(id, config.clock, config.lockWaitMs);
  const grants = new Map<string, Grant>();
  const remembered = new Set<string>();
  const inForce = new InForce(config, id);
  /** Another personality may have guards that this one lacks: whether there are any is known when the log was read. */
  const isOne = config.personalities.size === 1;
  /** With all that was appended, an open turn included. */
  let transcript = new Transcript(seed);
  let view = transcript.list();
  let open: OpenRun | undefined;
  /** What the run in hand has taken up. */
  let resumed: OpenRun | undefined;
  /** What is in hand is what the log says. */
  let isFresh = true;
  let isResumed = messages !== undefined;
  /** Its log begins with what it was given. */
  let hasWritten = false;
  let lastOrigin: Origin | undefined;
  let closing: Promise<void> | undefined;

  /** A log has its own beginning; a child goes on under its parent alone, whose guards and limits are its own too. */
  function assertMine({ parent }: Replay): void {
    if (messages !== undefined && lastOrigin === undefined && !hasWritten) {
      const what = `the session '${id}' has a log of its own: open it without messages`;
      throw new HookError('TH_HISTORY_INVALID', { what });
    }
    if (parent === undefined || config.share !== undefined) return;
    const what = `it is that of a task: resume the session '${parent.sessionId}', or answer there`;
    throw new HookError('TH_NOTHING_OPEN', { session: id, what });
  }

  /** Takes the whole log for what is so. */
  async function reload(): Promise<void> {
    const replay = new Replay(id);
    await log.readAll((records) => replay.take(records));
    if (!replay.isEmpty) assertMine(replay);
    log.isAt(replay.head);
    inForce.take(replay.personality);
    isFresh = true;
    if (replay.isEmpty) {
      open = undefined;
      transcript = new Transcript(seed);
      view = transcript.list();
      return;
    }
    isResumed = true;
    open = replay.open;
    const working = open === undefined ? wellFormed(replay.working) : replay.working;
    transcript = new Transcript(working.map((message) => withId(message, config.ids)));
    view = transcript.list().slice(0, open === undefined ? undefined : replay.settledCount);
    grants.clear();
    for (const [key, grant] of replay.grants) grants.set(key, grant);
    remembered.clear();
    for (const request of replay.remembered) remembered.add(request);
  }

  const place: Place = {
    messages: () => view,
    async enter(run, { answer }) {
      const { entrance } = config;
      if (entrance !== undefined) {
        await entrance.enter(run);
        run.leave = () => entrance.leave(run);
      }
      await lock.enter(run);
      run.leave = async () => {
        run.hasLeft = true;
        await log.leave();
        run.unlock();
        entrance?.leave(run);
      };
      // before the lease: a run of another process may wait for this very answer
      if (answer !== undefined) await settleRequest(answer);
      if ((await log.enter(run)) || !isFresh) await reload();
    },
    async begin(run, start) {
      if (start.input === undefined) {
        if (open === undefined) {
          throw new HookError('TH_NOTHING_OPEN', { session: id, what: 'its last run has ended, or it has none' });
        }
        const taken = open;
        become(run, inForce.configOf(taken));
        run.begin(transcript);
        run.restore(taken);
        await run.write({ type: 'resumed', runId: run.id });
        open = undefined; // it goes on here: what comes of it stands in the log
        resumed = taken;
        run.isLogged = true;
        return taken;
      }
      resumed = undefined;
      become(run, inForce.config);
      const left = open;
      if (left !== undefined) {
        // only now: an input that is rejected gives up nothing
        run.onTaken = async () => {
          for (const { id: request } of left.requests()) {
            await log.settle({ id: request, ok: false, reason: 'the conversation went on without an answer' });
          }
          const { records, message } = abandon(left, config.ids);
          await run.write(...records);
          if (message !== undefined) run.append(message);
          open = undefined;
        };
      }
      if (log.head === 0) run.preface = prefaceOf(config, seed);
      run.begin(transcript);
      return undefined;
    },
    async open(run) {
      run.abort.throwIfAborted(); // a run that never begins opens nothing
      const isFirst = lastOrigin === undefined;
      lastOrigin = run.origin;
      if (!isFirst) return;
      await run.caller.fireVoid('sessionStart', { origin: run.origin, how: isResumed ? 'resumed' : 'opened' });
      run.abort.throwIfAborted();
    },
    async settle(run, ending) {
      if (lastOrigin !== undefined) lastOrigin = run.origin;
      if (!run.isLogged) {
        isFresh = ending.status !== 'failed';
        return;
      }
      // what a stage has replaced counts only in a run that has settled
      const counts = ending.status !== 'failed' && ending.status !== 'aborted' && ending.status !== 'pending';
      isFresh = false; // until the log says so
      if (resumed?.batch !== undefined && !run.isBatchClosed && ending.status !== 'pending') {
        const { records, message } = abandon(resumed, config.ids);
        await run.write(...records.slice(0, -1));
        if (message !== undefined) run.append(message);
      }
      await run.write(settledRecord(run, ending, counts && run.isRewritten ? view : undefined));
      transcript = counts ? run.working : run.original;
      if (ending.status !== 'pending') view = transcript.list();
      isFresh = ending.status !== 'pending' && ending.status !== 'failed';
    },
  };

  function assertOpen(): void {
    if (closing === undefined) return;
    throw new HookError('TH_DISPOSED', { what: `the session '${id}'`, mend: 'open another one' });
  }

  function become(run: RunState, as: Config): void {
    if (!isOne) assertGuarded(as);
    if (run.config !== as) run.as(as);
  }

  let unlock = (): void => {};
  const switchPlace: SwitchPlace = {
    config,
    sessionId: id,
    inForce,
    async enter(holder) {
      await lock.take(holder.id, (given) => (unlock = given));
      try {
        if ((await log.enter(holder)) || !isFresh) await reload();
      } catch (error) {
        await switchPlace.leave();
        throw error;
      }
    },
    async leave() {
      await log.leave();
      unlock();
    },
    open: () => open,
    async write(switched) {
      const preface = log.head === 0 ? prefaceOf(config, seed) : [];
      hasWritten ||= log.head === 0;
      isFresh = false; // until the log says so
      await log.append(...preface, switched);
      isFresh = true;
      inForce.take(switched);
    },
  };

  function begin(emit: (event: AgentEvent) => void, options: RunOptions, start: Start, runId?: string): RunInHand {
    let run: RunState;
    try {
      assertOpen();
      ready();
      if (isOne) assertGuarded(config);
      const within = { sessionId: id, log, grants, remembered, runId };
      run = new RunState(config, within, emit, options.signal, options.job, ports);
    } catch (error) {
      return { settled: Promise.reject(asInvalid(error)), abort: () => {} };
    }
    const settled = conductRun(run, place, start);
    return { settled, abort: (reason) => run.abort.abort(reason) };
  }

  const runOf = (input: string, given: RunOptions = {}): EventStream =>
    new EventStream((emit) => {
      try {
        return begin(emit, readRun(input, given), { input, answer: undefined }, idGivenTo(given));
      } catch (error) {
        return { settled: Promise.reject(asInvalid(error)), abort: () => {} };
      }
    });

  const resumeOf = (answer?: Answer, given: ResumeOptions = {}): EventStream =>
    new EventStream((emit) => {
      try {
        const options = readResume(given);
        const read = answer === undefined ? undefined : readAnswer(answer);
        return begin(emit, options, { input: undefined, answer: read });
      } catch (error) {
        return { settled: Promise.reject(asInvalid(error)), abort: () => {} };
      }
    });

  async function settleRequest(answer: Answer): Promise<void> {
    const replay = new Replay(id);
    await log.readAll((records) => replay.take(records));
    if (!replay.isEmpty) assertMine(replay);
    if (replay.open !== undefined) {
      const as = configOfRun(config, id, replay.personality, replay.open.personality);
      if (!isOne) assertGuarded(as);
    }
    const request = replay.open?.requests().find((one) => one.id === answer.id);
    const fault = request?.kind === 'approval' ? approvalFault(answer) : undefined;
    if (fault !== undefined) throw invalid(`the answer to '${answer.id}' ${fault}`);
    isFresh = false;
    const { state } = await log.settle(answer);
    if (state === 'settled') return;
    const none = replay.isEmpty ? 'the store of this agent has no such session' : 'there is no such request';
    const what = { taken: 'it was answered before', expired: 'it has expired', unknown: none }[state];
    throw new HookError('TH_ANSWER_REFUSED', { session: id, request: answer.id, what });
  }

  async function end(): Promise<void> {
    await lock.idle();
    if (lastOrigin !== undefined) {
      const { id: personality, plugins } = inForce.told();
      const origin = lastOrigin.personality === personality ? lastOrigin : adopt({ ...lastOrigin, personality });
      await config.registry.scoped(ownFields({ plugins })).fireVoid('sessionEnd', { origin, how: 'closed' });
    }
    config.forget?.(id);
    onClosed(); // until then nobody opens another session of this id
  }

  return Object.freeze({
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
        await reload();
      } finally {
        leave();
      }
    },
    requests: () => frozen(open?.requests() ?? []),
    grants: () => Object.freeze([...grants.values()]),
    async revoke(grantId: string) {
      if (!grants.has(grantId)) await reload();
      const grant = grants.get(grantId);
      if (grant === undefined) return;
      grants.delete(grantId); // at once: a call that has not started is asked about anew
      try {
        await log.outside({ type: 'revoked', grantId });
      } catch (error) {
        grants.set(grantId, grant);
        throw error;
      }
    },
    async switchPersonality(to: string) {
      assertOpen();
      ready();
      return switchPersonality(switchPlace, to);
    },
    async close() {
      closing ??= end();
      await lock.free();
      await closing;
    },
  });
}

const prefaceOf = ({ name: agent, parent }: Config, seed: readonly Message[]): readonly SessionRecord[] => [
  { type: 'opened', agent, ...(parent === undefined ? {} : { parent }) },
  ...seed.map((message): SessionRecord => ({ type: 'message', message })),
];

function assertGuarded({ toolbox, unguarded, registry, personality, guards }: Config): void {
  if (toolbox.offered.length === 0 || unguarded !== undefined) return;
  if (registry.hasHandlers('toolPolicy', [...personality.plugins, ...guards])) return;
  throw new HookError('TH_NO_GUARD');
}
