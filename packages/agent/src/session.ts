/** One conversation in memory: its queue of runs, its settled view, its opening and closing. */
import { HookError, type Message, type Origin } from '@treblehook/types';
import type { AgentEvent, AgentStream, RunOptions, Session } from './contract.js';
import { EventStream, type RunInHand } from './event-stream.js';
import type { Config } from './options.js';
import { assertKnown, invalid } from './read-option.js';
import { wellFormed } from './repair.js';
import { conductRun, type Place } from './run.js';
import { RunState } from './run-state.js';
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
  /** Resolves when the runs that were queued so far have left. */
  let tail: Promise<void> | undefined;
  let lastOrigin: Origin | undefined;
  let closing: Promise<void> | undefined;

  const place: Place = {
    get transcript() {
      return settled;
    },
    messages: () => view,
    async enter(run) {
      const before = tail;
      let leave = (): void => {};
      const mine = new Promise<void>((resolve) => {
        leave = resolve;
      });
      const all = before === undefined ? mine : before.then(() => mine);
      tail = all;
      void all.then(() => {
        if (tail === all) tail = undefined;
      });
      try {
        if (before !== undefined) await run.abort.race(before);
        run.abort.throwIfAborted();
      } catch (error) {
        leave();
        throw error;
      }
      return leave;
    },
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

  function start(input: string, options: RunOptions, emit: (event: AgentEvent) => void): RunInHand {
    let run: RunState;
    try {
      assertRun(input, options);
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
    await tail;
    if (lastOrigin === undefined) return;
    const caller = config.registry.scoped({ plugins: config.personality.plugins });
    await caller.fireVoid('sessionEnd', { origin: lastOrigin, how: 'closed' });
  }

  return Object.freeze({
    id,
    stream: (input: string, options?: RunOptions): AgentStream => streamOf(input, options),
    run: (input: string, options?: RunOptions) => streamOf(input, options).drain(),
    messages: place.messages,
    close: () => (closing ??= end()),
  });
}

function assertRun(input: unknown, options: RunOptions): void {
  if (typeof input !== 'string' || input === '') throw invalid('the input of a run must be a text that is not empty');
  assertKnown(options, runOptionNames, 'option of a run');
  const { signal, job } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalid('signal must be an AbortSignal');
  if (job !== undefined && typeof job?.class !== 'string')
    throw invalid('job needs a class: { class, justification? }');
}

function assertGuarded({ toolbox, unguarded, registry, personality }: Config): void {
  if (toolbox.offered.length === 0 || unguarded !== undefined) return;
  if (registry.hasHandlers('toolPolicy', personality.plugins)) return;
  throw new HookError('TH_NO_GUARD');
}
