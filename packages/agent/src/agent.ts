/** The agent: its options and its sessions. */
import { HookError, ownFields, type Answer } from '@treblehook/types';
import type { Agent, AgentOptions, AgentUpdate, ResumeOptions, Session, SessionOptions } from './contract.js';
import { Current } from './current.js';
import { descriptionOf } from './description.js';
import { readOptions } from './options.js';
import { asInvalid, assertId, assertKnown, invalid } from './read-option.js';
import { readUpdate } from './read-update.js';
import { runsOf } from './run/registry-runs.js';
import { refusedStream } from './session/event-stream.js';
import { createSession } from './session/session.js';

const sessionOptionNames: Readonly<Record<keyof SessionOptions, true>> = { id: true, messages: true };

/** Beside the agent and not on it. */
const sessions = new WeakMap<Agent, ReadonlySet<Session>>();

/** Those of the agent that have not closed to the end. */
export const sessionsOf = (agent: Agent): ReadonlySet<Session> => sessions.get(agent)!;

/** Throws `TH_OPTION_INVALID` and `TH_TOOL_INVALID`. */
export const createAgent = (options: AgentOptions): Agent => agentOf(new Current(readOptions(options)));

/** An agent that was read. */
export function agentOf(current: Current): Agent {
  const { now: config } = current; // of it what no update changes
  const runs = runsOf(config.registry);
  if (config.hooks !== undefined) runs.useHooks();
  if (config.onMetric !== undefined) runs.useMetrics();
  const open = new Map<string, Session>();
  /** Those that are being closed too. */
  const known = new Set<Session>();
  /** Ends of sessions that are being closed: the next one of the id waits for them. */
  const ends = new Map<string, Promise<void>>();
  /** Sessions that nobody has named: of a store of its own they are forgotten when they are closed. */
  const nameless = new Set<string>();
  let isVerified = false;
  let isClosed = false;
  let own: Session | undefined;

  const ready = (): void => {
    if (isVerified) return;
    config.registry.verify();
    isVerified = true;
  };

  const newId = (): string => {
    try {
      return config.ids('session');
    } catch (error) {
      throw asInvalid(error);
    }
  };

  const assertOpen = (): void => {
    if (!isClosed) return;
    throw new HookError('TH_DISPOSED', { what: `the agent '${config.name}'`, mend: 'it was closed: make another one' });
  };

  function session(given: string | SessionOptions = {}): Session {
    assertOpen();
    const { id: named, messages } = ownFields(typeof given === 'string' ? { id: given } : given);
    const id = named ?? newId();
    if (typeof given !== 'string') assertKnown(given, sessionOptionNames, 'option of a session');
    assertId('the id of a session', id);
    if (messages !== undefined && !Array.isArray(messages)) throw invalid('messages must be a list of messages');
    if (named === undefined) nameless.add(id);
    else nameless.delete(id);
    const there = open.get(id);
    if (there !== undefined) {
      if (messages !== undefined) throw invalid(`the session '${id}' is open and has its messages: close it first`);
      return there;
    }
    const onClosing = (end: Promise<void>): void => {
      if (open.get(id) === made) open.delete(id);
      if (own === made) own = undefined;
      ends.set(id, end);
      void end.then(() => {
        known.delete(made);
        if (ends.get(id) === end) ends.delete(id);
      });
    };
    const onClosed = (): void => {
      if (nameless.delete(id)) config.forget?.(id);
    };
    const made = createSession(current, id, messages, ready, { before: ends.get(id), onClosing, onClosed });
    open.set(id, made);
    known.add(made);
    return made;
  }
  const ownSession = (): Session => (own ??= session());

  const agent: Agent = Object.freeze({
    session,
    run: async (...args: Parameters<Session['run']>) => ownSession().run(...args),
    stream: (...args: Parameters<Session['stream']>) => {
      try {
        return ownSession().stream(...args);
      } catch (error) {
        return refusedStream(asInvalid(error));
      }
    },
    resume: async (sessionId: string, answer?: Answer, options?: ResumeOptions) => {
      assertId('resume takes (sessionId, answer?): the id of a session', sessionId);
      return session(sessionId).resume(answer, options);
    },
    describe: () => descriptionOf(current.now),
    update(given: AgentUpdate) {
      assertOpen();
      return current.replace(readUpdate(current.now, given));
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...known].map((one) => one.close()));
    },
  });
  sessions.set(agent, known);
  return agent;
}
