/** The contract of the agent: what it is given, and the agent and the sessions that one gets. */
import type {
  AgentHooks,
  Answer,
  Awaitable,
  Grant,
  HookRegistry,
  Job,
  JsonObject,
  Message,
  ModelPort,
  ModelSettings,
  PersonalityInForce,
  Request,
  SessionStore,
  Tool,
} from '@treblehook/types';
import type { Around } from './around.js';
import type { AgentDescription } from './description.js';
import type { Hooks } from './hooks.js';
import type { MetricSink, Price } from './run/metrics.js';
import type { AgentStream, RunResult } from './run/run-told.js';

/** A personality as the loop sees it. */
export interface Personality {
  readonly id: string;
  /** The system text. Empty: no system message is sent. */
  readonly system?: string;
  /** The allowlist: ids of the plugins whose handlers run. No list is an empty list; host handlers always run. */
  readonly plugins?: readonly string[];
  /** Name globs (`matchName`) over the agent's tools. Absent: all of them. */
  readonly tools?: readonly string[];
  /** A key of the agent's models, in place of `AgentOptions.model`. */
  readonly model?: string;
  /** Of each limit that it shares with the agent's the smaller holds, in each run as this personality. */
  readonly limits?: AgentLimits;
}

/** Checked before each model call and each tool call. A limit that is hit ends the run `incomplete` with its name. */
export interface AgentLimits {
  /** Model calls of one run. Default 100. */
  readonly steps?: number;
  /** Tool calls of one run, the refused ones included. Default: none. */
  readonly toolCalls?: number;
  /** Input and output tokens of one run, as the provider reports them. Default: none. */
  readonly tokens?: number;
  /** By `prices`; calls whose cost is not known count nothing. Default: none. */
  readonly cost?: number;
  /** ms from the start of the run. Default: none. */
  readonly wallMs?: number;
  /** Steps in a row in which every call was denied. Default: none. */
  readonly deniedSteps?: number;
}

/** Retries of one model call, for transient faults only: 408, 409, 429, 5xx, 529 and a broken connection. */
export interface RetryOptions {
  /** Attempts of one call, the first included. Default 4. */
  readonly attempts?: number;
  /** The first wait, ms; it doubles. A `Retry-After` of the answer goes before it. Default 500. */
  readonly baseMs?: number;
  /** Longest wait of its own between two attempts, ms. Default 20,000. */
  readonly maxDelayMs?: number;
  /** All waits of one call together, ms; a `Retry-After` that goes beyond is not waited for. Default 120,000. */
  readonly maxTotalMs?: number;
}

export interface Clock {
  /** Monotonic, ms. */
  readonly now: () => number;
  /** Since the epoch, ms; read for a `Retry-After` that names a date. */
  readonly date: () => number;
  /** Calls `run` once after `ms`; the returned function takes it back. */
  readonly after: (ms: number, run: () => void) => () => void;
}

/**
 * Gives an id that was never given before: a text that is not empty, without a NUL and without half a surrogate pair. What gives
 * anything else, or an id that this process remembers, is `TH_OPTION_INVALID`, and nothing is written under it.
 */
export type Ids = (kind: 'run' | 'session' | 'call' | 'batch' | 'message') => string;

/** A host's port, like the model: no hook leads to it. */
export interface Answerer {
  /**
   * Must name the request's id. A rejection leaves the request open and the run ends `pending`; the signal aborts with the
   * run.
   */
  readonly answer: (request: Request, signal: AbortSignal) => Awaitable<Answer>;
}

export interface AgentOptions {
  /** A key of `models`, or a model itself, which then stands in `models` under its `modelId`. */
  readonly model: string | ModelPort;
  readonly models?: Readonly<Record<string, ModelPort>>;
  /** The tools, those of servers and plugins included; the personality may offer fewer. Copied: a later change of the array or of a tool has no effect. */
  readonly tools?: readonly Tool[];
  readonly registry: HookRegistry<AgentHooks>;
  /** What its sessions start as. Default: `defaultPersonality`, `{ id: 'default' }`. */
  readonly personality?: Personality;
  /** What a session may switch to beside it; each id is one of its own. */
  readonly personalities?: readonly Personality[];
  /** This agent's name in `origin.agentPath`. A session is one of the agent that opened it, by this name. Default `agent`. */
  readonly name?: string;
  /** Names that it had before: sessions that were opened under them are its own. Default: none. */
  readonly formerNames?: readonly string[];
  /** Plain hooks, one object: asked as the host handler `hooks`. Compose several by `chainHooks`. */
  readonly hooks?: Hooks;
  /** Stands around each tool call, model call and turn: one value, see `Around`. */
  readonly around?: Around;
  readonly onMetric?: MetricSink;
  /** By key of `models`; metrics carry a cost, and `limits.cost` counts, where it is known. */
  readonly prices?: Readonly<Record<string, Price>>;
  /** Where sessions are kept. Default: in memory, as long as the agent; one without an id of yours until it is closed. */
  readonly store?: SessionStore;
  /** Who answers asks and other requests. Without one a run that has to wait ends `pending`. */
  readonly answerer?: Answerer;
  /** For hosts that never answer: an ask is a denial that says so. */
  readonly onAsk?: 'deny';
  /** Bodies of one group that run at the same time. Default 8. */
  readonly maxConcurrentTools?: number;
  /** Why this agent may have tools and no guard. */
  readonly unguarded?: string;
  /** The folder that path arguments are relative to; needed when a tool declares `paths`. */
  readonly cwd?: string;
  readonly settings?: ModelSettings;
  readonly limits?: AgentLimits;
  /** Characters of all tool results of one model step together; longer ones are cut in the middle. Default 80,000. */
  readonly maxResultChars?: number;
  readonly retry?: RetryOptions;
  /** How long an aborted run waits for tool bodies, wrappers and handlers without a budget, ms. Default 1,000. */
  readonly graceMs?: number;
  /**
   * How long a run, or `close`, waits for its turn in a session, ms; then it is `TH_SESSION_BUSY`. It is what ends a tool
   * body that waits for its own session. A run of a runtime waits for the runs of that runtime in the inbox, for
   * `inboxWaitMs`; this is then for `close`, and for runs of other processes. A switch waits as
   * long for a handler of `personalitySwitched` without a budget. Default 30,000.
   */
  readonly lockWaitMs?: number;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** From 0 up to 1; the jitter of retries. */
  readonly random?: () => number;
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Stands on `LLMRequest.job`, for the route gate. */
  readonly job?: Job;
  /**
   * What the host wants to find beside the run in its log; nobody else reads it, and it is in no payload. Plain JSON;
   * `readSession` shows it.
   */
  readonly note?: JsonObject;
}

export type ResumeOptions = Pick<RunOptions, 'signal'>;

/** A grant as a session shows it. */
export interface SessionGrant extends Grant {
  /** Of an open child of a task: its session, and the names of the agents from the root to it. Absent: the session's own. */
  readonly sessionId?: string;
  readonly path?: readonly string[];
}

/**
 * One conversation. Runs on one session queue in the order of their calls. `run` and `stream` reject only for misuse, and
 * nothing has run then: `TH_OPTION_INVALID`, `TH_NO_GUARD`, `TH_DISPOSED`, `TH_WRONG_AGENT`, what `registry.verify()` throws;
 * `TH_SESSION_BUSY` when their turn does not come within `lockWaitMs`, or within `inboxWaitMs` of a runtime;
 * `TH_INBOX_FULL` of a runtime; `TH_NOTHING_OPEN` on the session of a task; `TH_PERSONALITY_REFUSED` when the session is
 * one that the agent does not have.
 */
export interface Session {
  readonly id: string;
  readonly run: (input: string, options?: RunOptions) => Promise<RunResult>;
  /** Starts when its first event is asked for. */
  readonly stream: (input: string, options?: RunOptions) => AgentStream;
  /**
   * Goes on with the run that was left open: it waits for answers, or its process has died. The answer settles the request
   * that it names; the others stay open. A run that a message of a channel began is resumed by `ChannelRuntime.resume`, which
   * sends its reply. Rejects, beside what `run` rejects with, with `TH_ANSWER_REFUSED`, and with `TH_NOTHING_OPEN` when its
   * last run has ended.
   */
  readonly resume: (answer?: Answer, options?: ResumeOptions) => Promise<RunResult>;
  readonly resumeStream: (answer?: Answer, options?: ResumeOptions) => AgentStream;
  /**
   * Reads the session from its store, so that `messages`, `requests` and `grants` show it before its first run. Rejects with
   * `TH_WRONG_AGENT` for one of another agent, and with `TH_SESSION_BUSY` when its turn, or the answer of the store, does not
   * come within `lockWaitMs`.
   */
  readonly load: () => Promise<void>;
  /** What the run that was left open waits for, as far as it was loaded. */
  readonly requests: () => readonly Request[];
  /**
   * What answers have granted for the rest of the session, and in open children of its tasks, as far as these were
   * loaded: neither revoked nor over.
   */
  readonly grants: () => readonly SessionGrant[];
  /**
   * Takes a grant back, its own or that of an open child; a call that rests on it and has not started is asked about anew. One that is revoked already is no
   * fault. Rejects with `TH_OPTION_INVALID` for an id that neither ever had, with `TH_SESSION_BUSY`, and with what kept
   * it from being written: then the grant is in force again, unless the log cannot be read either. A store that has not answered
   * within `lockWaitMs` is `TH_SESSION_BUSY` too: until it answers, the grant is not in force here.
   */
  readonly revoke: (grantId: string) => Promise<void>;
  /**
   * From the next run on the session is another personality of its agent: allowlist, guards, tools, system text and model
   * are that one's. Waits for the queued runs, fires `personalitySwitched`, and gives what is in force; for the one that is in
   * force already it fires and writes nothing. An open run that cannot go on here, since the agent lacks its personality or
   * that has no guard any more, is given up with it, as a new run gives one up. Grants stay: they settle asks, never denials. Rejects, with nothing switched,
   * with `TH_OPTION_INVALID` (no such personality), `TH_PERSONALITY_REFUSED` (the last run is left open, and can go on), `TH_SESSION_BUSY`,
   * `TH_WRONG_AGENT`, `TH_DISPOSED`, and with the error of a handler that says `onError: 'abort'`.
   */
  readonly switchPersonality: (id: string) => Promise<PersonalityInForce>;
  /** The settled view: it ends before the open turn, and has no system text of the personality. */
  readonly messages: () => readonly Message[];
  /**
   * Waits for the queued runs, then fires `sessionEnd`. Idempotent. Rejects with `TH_SESSION_BUSY` when that lasts longer
   * than `lockWaitMs`; the session closes all the same, once the run that holds it is over.
   */
  readonly close: () => Promise<void>;
}

export interface SessionOptions {
  readonly id?: string;
  /** A transcript to begin with, for a session that its store does not know; `sessionStart` then says `resumed`. */
  readonly messages?: readonly Message[];
}

/** What an agent may be made of anew: each option as in `AgentOptions`, and one that is not given stays as it is. */
export type AgentUpdate = Pick<AgentOptions, 'tools' | 'personality' | 'personalities'>;

export interface Agent {
  /** Opens a session, or gives the open one of that id. */
  readonly session: (session?: string | SessionOptions) => Session;
  /** On the agent's own session. */
  readonly run: Session['run'];
  readonly stream: Session['stream'];
  /** As `session(sessionId).resume`. */
  readonly resume: (sessionId: string, answer?: Answer, options?: ResumeOptions) => Promise<RunResult>;
  /** What is attached: plain data, no functions. */
  readonly describe: () => AgentDescription;
  /**
   * Replaces what is given, at once: each run that begins from now on, of any session, is made of the new, one that waits
   * for its turn too, and so is a child of a task. A run that has begun goes on with what it began with, to its end; one
   * that is resumed begins anew, and a call that waits there for an answer ends with an error when its tool has another
   * definition or another source by then, or is offered no more. What is told of a session between its runs is of the new.
   *
   * Checked as the options of the agent are, all of it together: throws `TH_OPTION_INVALID` or `TH_TOOL_INVALID`, and
   * `TH_DISPOSED` on an agent that was closed; nothing is changed then. Resolves when no run is in hand in this process that
   * had begun before, as the child of a task too, and never rejects: what only the old needs may be disposed of then. A body
   * that awaits it waits for itself; one that did not stop when its run was aborted is not waited for.
   */
  readonly update: (update: AgentUpdate) => Promise<void>;
  /**
   * Closes every open session, and the agent with them: from then on `session` throws `TH_DISPOSED`, and `run`, `stream` and `resume`
   * reject with it. Its sessions go on with another agent of its name and its store. Idempotent.
   */
  readonly close: () => Promise<void>;
}
