/** One conversation in memory: its queue of runs, its settled view, its opening and closing. */
import { HookError, ownFields, type Message, type Origin } from '@treblehook/types';
import type { AgentEvent, AgentStream, RunOptions, Session } from './contract.js';
import { EventStream, type RunInHand } from './event-stream.js';
import type { Config } from './options.js';
import { assertKnown, invalid } from './read-option.js';
import { wellFormed } from './repair.js';
import { conductRun, type Place } from './run.js';
import { RunState } from './run-state.js';
import { SessionLock } from './session-lock.js';
import { Transcript, withId } from './transcript.js';

const runOptionNames: Readonly<Record<keyof RunOptions, true>> = { signal: true, job: true };

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
  let settled = new Transcript(seed);
  let view = settled.list();
  const lock = new SessionLock(id, config.clock, config.lockWaitMs);
  let lastOrigin: Origin | undefined;
  let closing: Promise<void> | undefined;

  const place: Place = {
    get transcript() {
      return settled;
    },
    messages: () => view,
    enter: (run) => lock.enter(run),
    async open(run) {
      const isFirst = lastOrigin === undefined;
      lastOrigin = run.origin;
      if (!isFirst) return;
      await run.caller.fireVoid('sessionStart', {
        origin: run.origin,
        how: messages === undefined ? 'opened' : 'resumed',
      });
      run.abort.throwIfAborted();
    },
    settle(run, transcript) {
      lastOrigin = run.origin;
      settled = transcript;
      view = transcript.list();
    },
  };

  function start(input: string, given: RunOptions, emit: (event: AgentEvent) => void): RunInHand {
    let run: RunState;
    try {
      const options = readRun(input, given);
      if (closing !== undefined) {
        throw new HookError('TH_DISPOSED', { what: `the session '${id}'`, mend: 'open another one' });
      }
      ready();
      assertGuarded(config);
      run = new RunState(config, id, emit, options.signal, options.job);
    } catch (error) {
      return { settled: Promise.reject(error), abort: () => {} };
    }
    emit({ type: 'run-start', runId: run.id, sessionId: id });
    return { settled: conductRun(run, place, input), abort: (reason) => run.abort.abort(reason) };
  }

  const streamOf = (input: string, options: RunOptions = {}): EventStream =>
    new EventStream((emit) => start(input, options, emit));

  async function end(): Promise<void> {
    onClosed();
    await lock.idle();
    if (lastOrigin === undefined) return;
    const caller = config.registry.scoped(ownFields({ plugins: config.personality.plugins }));
    await caller.fireVoid('sessionEnd', { origin: lastOrigin, how: 'closed' });
  }

  return Object.freeze({
    id,
    stream: (input: string, options?: RunOptions): AgentStream => streamOf(input, options),
    run: (input: string, options?: RunOptions) => streamOf(input, options).drain(),
    messages: place.messages,
    async close() {
      closing ??= end();
      await lock.free();
      await closing;
    },
  });
}

function readRun(input: unknown, options: RunOptions): RunOptions {
  if (typeof input !== 'string' || input === '') throw invalid('the input of a run must be a text that is not empty');
  assertKnown(options, runOptionNames, 'option of a run');
  const { signal, job } = ownFields(options);
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalid('signal must be an AbortSignal');
  if (job !== undefined && (typeof job !== 'object' || job === null || typeof ownFields(job).class !== 'string')) {
    throw invalid('job needs a class: { class, justification? }');
  }
  return ownFields({ ...(signal && { signal }), ...(job && { job: ownFields(job) }) });
}

function assertGuarded({ toolbox, unguarded, registry, personality }: Config): void {
  if (toolbox.offered.length === 0 || unguarded !== undefined) return;
  if (registry.hasHandlers('toolPolicy', personality.plugins)) return;
  throw new HookError('TH_NO_GUARD');
}
