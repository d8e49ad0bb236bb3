/** The state of one run: who is asked, what is said, what was used. */
import { adopt, closeClass, frozen } from '@treblehook/core';
import {
  ownFields,
  type AgentDone,
  type AgentHooks,
  type HookCaller,
  type Job,
  type LLMRequest,
  type Message,
  type ModelUsage,
  type Origin,
  type ToolDescriptor,
} from '@treblehook/types';
import { Budget } from './budget.js';
import type { AgentEvent, RunToolCall } from './contract.js';
import type { Config } from './options.js';
import { Aborted, RunAbort } from './run-abort.js';
import { Transcript, withId } from './transcript.js';
import { noUsage } from './usage.js';

/** How a run ended. */
export type Ending = Pick<AgentDone, 'status' | 'limit' | 'reason' | 'error'>;

/** The ending that a handler has said; `by` is its id. */
export const vetoed = (text: string, by: string | undefined): Ending => ({
  status: 'vetoed',
  reason: { text, ...(by === undefined ? {} : { by }) },
});

export class RunState {
  readonly config: Config;
  readonly id: string;
  readonly sessionId: string;
  readonly abort: RunAbort;
  readonly budget: Budget;
  /** Bound to the run's signal. */
  readonly caller: HookCaller<AgentHooks>;
  /** Without it: an aborted run is observed too. */
  readonly closing: HookCaller<AgentHooks>;
  readonly emit: (event: AgentEvent) => void;
  readonly job: Job | undefined;
  /** The front message, when there is a system text. */
  system: Message | undefined;
  /** First `inject` of each request. */
  inject: readonly Message[] = adopt([]);
  /** The working tools: what a stage has replaced stays replaced. */
  tools: readonly ToolDescriptor[];
  /** Of the model call in hand. */
  request: LLMRequest | undefined;
  /** Set once, where the run ends; it goes through no promise. */
  ending: Ending | undefined;
  /** The run has its turn in the session: lets the next one in. */
  leave: (() => void) | undefined;
  model: string;
  text = '';
  usage: ModelUsage = noUsage;
  readonly toolCalls: RunToolCall[] = [];
  /** The session's, with all that the run has added. */
  original = new Transcript();
  /** What requests are made of: the original, until a stage has replaced the messages. */
  working = this.original;
  #origin: Origin;
  readonly #agentPath: readonly string[];

  constructor(
    config: Config,
    sessionId: string,
    emit: (event: AgentEvent) => void,
    signal: AbortSignal | undefined,
    job: Job | undefined,
  ) {
    const { registry, personality, ids } = config;
    this.config = config;
    this.id = ids('run');
    this.sessionId = sessionId;
    this.abort = new RunAbort(signal, config.aborts);
    this.budget = new Budget(config.limits, config.clock);
    this.caller = registry.scoped(ownFields({ plugins: personality.plugins, signal: this.abort.signal }));
    this.closing = registry.scoped(ownFields({ plugins: personality.plugins }));
    this.emit = emit;
    this.job = frozen(job);
    this.tools = config.toolbox.descriptors;
    this.model = config.model;
    this.#agentPath = adopt([config.name]);
    this.#origin = this.#originOf(0);
  }

  /** The run has its turn in the session. */
  begin(transcript: Transcript): void {
    this.budget.begin();
    this.original = transcript;
    this.working = transcript;
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
    return adopt({
      runId: this.id,
      sessionId: this.sessionId,
      agentPath: this.#agentPath,
      personality: this.config.personality.id,
      turn,
    });
  }

  append(message: Message): void {
    const marked = withId(message, this.config.ids);
    this.original.append(marked);
    if (this.working !== this.original) this.working.append(marked);
  }

  /** Takes the messages that a stage has put in place of the request's, the front system message included. */
  replaceMessages(messages: readonly Message[]): void {
    const own = this.system === undefined ? messages : messages.slice(1);
    this.working = new Transcript(own.map((message) => withId(message, this.config.ids)));
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
