/** The `around` port: what it may wrap, and what each wrapper is given, may ask for and gives. */
import type {
  Awaitable,
  FromCall,
  FromRun,
  JsonValue,
  LLMAmendment,
  LLMRequest,
  Message,
  ModelFinishReason,
  ModelUsage,
  RunStatus,
  ToolOutcome,
  ToolResult,
} from '@treblehook/types';
import { HookError, ownFields } from '@treblehook/types';
import { assertKnown, invalid } from './read-option.js';
import type { RunToolCall } from './run/run-told.js';
import { memberOf } from './run/shared-prototypes.js';

/**
 * One value, the host's: it stands around everything that is registered, and composing several is its own affair. It is no
 * place for policy: guards belong to `toolPolicy`.
 *
 * A wrapper is given its event (frozen plain data), `core`, which runs what it wraps, and the run's signal. `core` may be
 * called while the wrapper has not settled, and not twice at the same time: else it rejects with `TH_CORE_REFUSED`, and
 * nothing runs. What `core` resolves with is frozen. Once the run is aborted a wrapper is waited for no longer than
 * `graceMs` from then.
 */
export interface Around {
  /**
   * Wraps one call: `beforeTool`, seal, guards, answerer, body, `afterTool`. What it gives is a proposal; nothing is what
   * `core` gave. `core` may be called again: each time is a new attempt, with a seal, guards and a clearance of its own,
   * counted by `limits.toolCalls`. What the last attempt gave counts.
   *
   * - Where `core` was never called the call is resolved, amended, sealed and put to the guards all the same, and a proposal
   *   is the result only of a call that they have cleared.
   * - A call that no guard has cleared, that waits, or that was cancelled stays what it is, whatever is proposed.
   * - A throw gives that call an error result that names `around`; siblings go on.
   */
  toolCall?(
    event: AroundToolCall,
    core: (changed?: ToolCallChange) => Promise<ToolCallDone>,
    signal: AbortSignal,
  ): Awaitable<ToolCallProposal | void>;
  /**
   * Wraps the pipeline of `beforeLLM` and the model call of one turn. The event is what goes into the pipeline. What the
   * answer is made of is seen by nobody before the wrapper has settled: deltas wait for it. `core` rejects with the fault of
   * the model; called again it builds and sends a request anew, as a further step of the run.
   *
   * Nothing is the last answer; `{ text }` stands in its place. A veto stands. A throw ends the run `failed`.
   */
  llmCall?(
    event: LLMRequest,
    core: (changed?: LLMCallChange) => Promise<LLMCallDone>,
    signal: AbortSignal,
  ): Awaitable<LLMCallProposal | void>;
  /**
   * Wraps one turn: it can observe and delay it, and replace nothing. What it gives is not read; a turn whose wrapper never
   * calls `core` is taken behind it. `core` may be called once. A throw ends the run `failed`, unless it waits for answers.
   */
  turn?(event: AroundTurn, core: () => Promise<TurnDone>, signal: AbortSignal): Awaitable<unknown>;
}

/** `attempt` is that of the first `core()`. */
export interface AroundToolCall extends FromCall {
  readonly name: string;
  /** As the model gave them; as they are sealed when the call is taken up. */
  readonly args: JsonValue;
  /** The call goes on behind a wait or a restart: `core()` goes on with its seal, other arguments are another call. */
  readonly isTakenUp: boolean;
}
export interface ToolCallChange {
  /** In place of the model's: through its schema and `beforeTool`, as if the model had given them. */
  readonly args?: JsonValue;
}
export interface ToolCallDone {
  /** `not-started`: a limit, or the end of the run, forbids the attempt; the one before it stands. */
  readonly outcome: ToolOutcome;
  /** As `afterTool` left it. */
  readonly result: ToolResult;
}
export interface ToolCallProposal {
  readonly result?: ToolResult | string;
  /** Who proposes it: the record of the call names `around/<by>` in place of `around`. */
  readonly by?: string;
  /** Not read, so that what `core` gave can be given as it is. */
  readonly outcome?: ToolOutcome;
}

/** What a first stage of `beforeLLM` could set: checked as its amendment is, and it lasts as long. */
export type LLMCallChange = Partial<Omit<LLMAmendment, 'veto' | 'replaceInject'>>;
export interface LLMCallDone {
  readonly status: 'answered' | 'vetoed';
  readonly answer?: {
    readonly message: Message;
    readonly text: string;
    readonly model: string;
    readonly finishReason: ModelFinishReason;
    readonly usage: ModelUsage;
  };
  /** Of a veto. */
  readonly reason?: string;
}
export interface LLMCallProposal {
  /** Stands in place of the answer: no model has said it, and it asks for no tools. */
  readonly text?: string;
  /** Who proposes it, as in `ToolCallProposal`. */
  readonly by?: string;
  /** These three are not read. */
  readonly status?: LLMCallDone['status'];
  readonly answer?: LLMCallDone['answer'];
  readonly reason?: string;
}

export interface AroundTurn extends FromRun {
  /** The turn was left open: its model call is over. */
  readonly isTakenUp: boolean;
}
export interface TurnDone {
  /** How the run ends with this turn; `undefined`: another turn follows. */
  readonly status: RunStatus | undefined;
  /** Of the answer. */
  readonly text: string;
  /** Those of the turn that are over, in the order of their ends. */
  readonly toolCalls: readonly RunToolCall[];
}

export const aroundKinds = ['toolCall', 'llmCall', 'turn'] as const satisfies readonly (keyof Around)[];
export type AroundKind = (typeof aroundKinds)[number];

/** What a tool call goes through, from the outside to its end. */
export const toolCallSteps = Object.freeze([
  'around',
  'beforeTool',
  'seal',
  'toolPolicy',
  'answerer',
  'execute',
  'afterTool',
  'toolEnd',
] as const);

/** Its own wrappers alone, each bound to the object that had it. */
export type ReadAround = { readonly [K in AroundKind]: NonNullable<Around[K]> | undefined };

/** Throws `TH_OPTION_INVALID`. A wrapper that is put there later is not asked; one that has none is as good as none. */
export function readAround(around: Around | undefined): ReadAround | undefined {
  if (around === undefined) return undefined;
  const kinds = aroundKinds.join(', ');
  if (Array.isArray(around)) throw invalid('around is a list: it is one value, composing several is its own affair');
  if (typeof around !== 'object' || around === null) throw invalid(`around must be an object: ${kinds}`);
  const proto: unknown = Object.getPrototypeOf(around);
  // an instance may keep state of its own
  if (proto === Object.prototype || proto === null) assertKnown(around, known, 'key of around');
  const read = Object.create(null) as Record<AroundKind, unknown>;
  for (const kind of aroundKinds) {
    const wrap = memberOf(around, kind) as ((...given: unknown[]) => unknown) | undefined;
    if (wrap !== undefined && typeof wrap !== 'function') throw invalid(`around.${kind} must be a function`);
    read[kind] = wrap && ((...given: unknown[]): unknown => Reflect.apply(wrap, around, given));
  }
  return Object.values(read).some(Boolean) ? (Object.freeze(read) as ReadAround) : undefined;
}
const known: Readonly<Record<AroundKind, true>> = { toolCall: true, llmCall: true, turn: true };

/** Who a record names. */
export const nameOf = (by: string | undefined): string => (by === undefined ? 'around' : `around/${by}`);
export const isOfAround = (by: string | undefined): boolean => by === 'around' || by?.startsWith('around/') === true;

/** The own fields of what a wrapper gave. Throws `TH_AROUND_FAILED`. */
export function readGiven(kind: 'toolCall' | 'llmCall', given: unknown, known: object, shape: string): object {
  const refuse = (what: string): never => {
    throw new HookError('TH_AROUND_FAILED', { kind, what: `gave ${what}: a proposal is ${shape}` });
  };
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return refuse('no object');
  for (const key of Object.keys(given)) if (!Object.hasOwn(known, key)) refuse(`the key '${key}'`);
  const read = ownFields(given);
  const { by } = read as { readonly by?: unknown };
  if (by !== undefined && (typeof by !== 'string' || by === '')) refuse("a 'by' that is no text");
  return read;
}
