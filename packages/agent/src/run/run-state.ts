/** The state of one run: who is asked, what is said, what was used. */
import { adopt, append, closeClass, frozen } from '@treblehook/core';
import {
  ownFields,
  type AgentHooks,
  type Chat,
  type HookCaller,
  type Job,
  type JsonObject,
  type LLMRequest,
  type Message,
  type ModelUsage,
  type Origin,
  type Request,
  type RunStatus,
  type ScopeOptions,
  type SessionRecord,
  type ToolDescriptor,
} from '@treblehook/types';
import { Budget } from './budget.js';
import type { Ending } from './ending.js';
import type { AgentEvent, RunToolCall } from './run-told.js';
import type { OpenRun } from '../session/open-run.js';
import type { TaskCall } from '../session/child-log.js';
import type { ChildGrants } from '../session/child-grants.js';
import type { SessionGrants } from '../session/session-grants.js';
import type { Config } from '../config.js';
import { Aborted, RunAbort } from './run-abort.js';
import type { Stop } from '../calls/calls.js';
import type { Transcript } from '../session/transcript.js';
import { Cost, measuring, type Metric } from './metrics.js';
import type { Ports, RunPlace } from './run-place.js';
import { RunRecords } from './run-records.js';
import { noUsage } from './usage.js';

const noMessages: readonly Message[] = adopt([]);

/** It inherits nothing; what is `undefined` is not given. */
const scopeOf = (scope: { readonly [K in keyof ScopeOptions]: ScopeOptions[K] | undefined }): ScopeOptions =>
  ownFields(scope) as ScopeOptions;

export class RunState extends RunRecords {
  config: Config;
  id: string;
  readonly sessionId: string;
  readonly abort: RunAbort;
  readonly budget: Budget;
  /** Bound to the run's signal. */
  caller!: HookCaller<AgentHooks>;
  /** Without it: an aborted run is observed too. */
  closing!: HookCaller<AgentHooks>;
  /** Bound to a signal of somebody's own, and to the points of one plugin if that is named. */
  until!: (signal: AbortSignal | undefined, owner?: string) => HookCaller<AgentHooks>;
  readonly emit: (event: AgentEvent) => void;
  readonly grants: SessionGrants;
  readonly childGrants: ChildGrants;
  job: Job | undefined;
  readonly note: JsonObject | undefined;
  /** Its input is a message of this chat. */
  readonly chat: Chat | undefined;
  /** How often a call was refused by an answer, by its digest. */
  readonly #rejections = new Map<string, number>();
  /** What ended it from outside its steps. */
  failure: { readonly error: unknown } | undefined;
  /** Makes a call for the body of another one. */
  readonly nest: Ports['nest'];
  /** It has its transcript: from then on what becomes of it counts. */
  hasBegun = false;
  /** Called when its input is taken: only then is a run that was left open given up. */
  onTaken: (() => Promise<void>) | undefined;
  /** The results of the calls that it took up stand in the history. */
  isBatchClosed = false;
  /** Lets the next run of this process in. */
  unlock = (): void => {};
  /** Parts of the context that stands first in the `inject` of each request. */
  context: readonly string[] = [];
  /** First `inject` of each request. */
  inject: readonly Message[] = noMessages;
  /** The working tools: what a stage has replaced stays replaced. */
  tools!: readonly ToolDescriptor[];
  /** Of the model call in hand. */
  request: LLMRequest | undefined;
  /** Names of the tools that the calls in hand may be of: what the request offered which they answer. */
  offered: readonly string[] = [];
  /** Set once, where the run ends; it goes through no promise. */
  ending: Ending | undefined;
  /** A call that a body has made ends the run: while other bodies are in flight nothing more starts. */
  stop: Stop | undefined;
  /** Set when all is told of it. */
  endedAs: RunStatus | undefined;
  /** Of the tasks that it has given or taken up itself, by their sessions: nothing says that they are over. */
  readonly openChildren = new Map<string, TaskCall>();
  /** Put to the answerer, and not settled. */
  readonly asking = new Set<Request>();
  /** Its registry knows it: takes it back. */
  forget = (): void => {};
  /** The run has its turn in the session: lets the next one in. */
  leave: (() => void | Promise<void>) | undefined;
  model!: string;
  text = '';
  usage: ModelUsage = noUsage;
  /** Tells the sink, if there is one, what is built for it alone. */
  readonly measure: (build: () => Metric) => void;
  readonly cost = new Cost();
  readonly toolCalls: RunToolCall[] = [];
  /** How often the model was told to revise, and what it was told last, with the tool calls up to then. */
  continuations: {
    readonly count: number;
    readonly last: { readonly text: string; readonly toolCalls: number } | undefined;
  } = { count: 0, last: undefined };
  #origin!: Origin;
  readonly #agentPath: readonly string[];
  readonly #callModel: NonNullable<ScopeOptions['callModel']>;

  constructor(
    config: Config,
    { sessionId, log, grants, childGrants, given, note }: RunPlace,
    emit: (event: AgentEvent) => void,
    signal: AbortSignal | undefined,
    job: Job | undefined,
    ports: Ports,
  ) {
    super(log, config.ids);
    this.nest = ports.nest;
    this.config = config;
    this.id = given?.id ?? config.ids('run');
    this.chat = given?.chat;
    this.sessionId = sessionId;
    this.note = note;
    this.grants = grants;
    this.childGrants = childGrants;
    this.abort = new RunAbort(signal, config.aborts);
    this.measure = measuring(config.onMetric);
    this.budget = new Budget(config.limits, config.clock, config.share);
    this.#callModel = (request, purpose, inHand) => ports.callModel(this, request, purpose, inHand);
    this.emit = emit;
    this.job = frozen(job);
    this.#agentPath = config.path;
    this.as(config);
  }

  /** It is a run of this personality: said before anything is fired. */
  as(config: Config): void {
    const { registry, personality, toolbox, model, limits } = config;
    const { plugins } = personality;
    const callModel = this.#callModel;
    this.config = config;
    // no list of guards is the common case, and the cheap one
    const guards = config.guards.length === 0 ? undefined : config.guards;
    this.until = (signal, owner) => registry.scoped(scopeOf({ plugins, guards, callModel, signal, owner }));
    this.caller = this.until(this.abort.signal);
    this.closing = this.until(undefined);
    this.tools = toolbox.descriptors;
    this.model = model;
    this.budget.within(limits);
    this.#origin = this.#originOf(0);
  }

  /** The run has its turn in the session. */
  begin(transcript: Transcript): void {
    this.hasBegun = true;
    this.budget.begin();
    this.startFrom(transcript);
  }

  get origin(): Origin {
    return this.#origin;
  }

  /** The model call in hand, from 0. */
  get turn(): number {
    return this.#origin.turn;
  }

  startTurn(turn: number): void {
    if (turn !== this.turn) this.#origin = this.#originOf(turn);
  }

  #originOf(turn: number): Origin {
    const { above, personality } = this.config;
    return adopt({
      runId: this.id,
      sessionId: this.sessionId,
      agentPath: this.#agentPath,
      personality: personality.id,
      ...(above.length === 0 ? {} : { above }),
      turn,
    });
  }

  countRejection(digest: string): void {
    this.#rejections.set(digest, this.rejectionsOf(digest) + 1);
  }
  rejectionsOf(digest: string): number {
    return this.#rejections.get(digest) ?? 0;
  }

  /** A compaction of this run is logged and measured. */
  async tellCompaction(done: Omit<Extract<SessionRecord, { type: 'compaction' }>, 'type' | 'runId'>): Promise<void> {
    const { outcome: status, tokensBefore, tokensAfter, ms } = done;
    this.measure(() => ({
      type: 'compaction',
      origin: this.origin,
      ms,
      status,
      tokensBefore,
      ...(tokensAfter === undefined ? {} : { tokensAfter }),
    }));
    await this.write({ type: 'compaction', runId: this.id, ...done });
  }

  /** Ends the run `failed`, wherever it stands. */
  fail(error: unknown): void {
    this.failure ??= { error };
    this.abort.abort(error);
  }

  /** Settles as `turn` does; rejects with `Aborted` when the run is aborted. */
  wait(turn: Promise<void>): Promise<void> {
    return this.abort.race(turn);
  }

  /** Takes up a run that its log has left open. */
  restore(open: OpenRun): void {
    this.id = open.runId;
    this.job = frozen(open.job);
    this.context = open.context;
    this.text = open.text;
    this.usage = open.usage;
    this.model = open.model ?? this.model;
    this.continuations = open.continuations;
    for (const call of open.toolCalls) append(this.toolCalls, call);
    for (const digest of open.rejections()) this.countRejection(digest);
    const { prices } = this.config;
    for (const cost of open.costs(prices)) this.cost.add(cost);
    this.budget.restore(open.used(prices));
    this.#origin = this.#originOf(open.turn);
  }

  /** Waits on the agent's clock; rejects with `Aborted` when the run is aborted. */
  pause(ms: number): Promise<void> {
    this.abort.throwIfAborted();
    return new Promise((resolve, reject) => {
      const off = this.abort.onAbort(() => {
        cancel();
        reject(new Aborted());
      });
      const cancel = this.config.clock.after(ms, () => {
        off();
        resolve();
      });
    });
  }
}
closeClass(RunState);
