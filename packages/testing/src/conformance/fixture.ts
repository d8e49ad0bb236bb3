/** The format of a fixture, as `conformance/fixture.schema.json` has it: data alone, for a port in any language. */
import type { JsonObject, JsonValue } from '@treblehook/types';

export interface Fixture {
  /** The name of the file, without `.json`. */
  readonly fixture: string;
  readonly about: string;
  readonly cases: readonly FixtureCase[];
}

export interface FixtureCase {
  /** A law: a sentence that holds. */
  readonly name: string;
  /** Public reports of the fault that the case keeps away. */
  readonly sources?: readonly string[];
  readonly setup?: Setup;
  readonly steps: readonly Step[];
}

export interface Setup {
  /** What the model answers, one entry per call, through the whole case. */
  readonly model?: readonly ModelAnswer[];
  readonly tools?: readonly ToolSpec[];
  /** What a session begins with. */
  readonly transcript?: Transcript;
  /** Its event is `{ request }`, its answer an `Answer` without the id. */
  readonly answerer?: Actions;
  readonly registry?: RegistrySpec;
  readonly runtime?: Level;
  /** By name. Default: one, `agent`. */
  readonly agents?: Readonly<Record<string, AgentSpec>>;
}

/** The seam that stands at two levels. A key that is not there is inherited; one that is there replaces. */
export interface Level {
  /** One object is given as it is; a list is composed, and a list with nothing in it is no value. */
  readonly hooks?: StageSpec | readonly StageSpec[];
  /** The name of a sink. */
  readonly onMetric?: string;
}

export interface AgentSpec extends Level {
  readonly system?: string;
  readonly unguarded?: string;
  readonly onAsk?: 'deny';
}

/** A plain hooks object. One with a name leaves an effect, `<as>.<kind>`, each time it is asked. */
export interface StageSpec {
  readonly as?: string;
  readonly beforeLLM?: Actions;
  readonly afterLLM?: Actions;
  readonly beforeTool?: Actions;
  readonly afterTool?: Actions;
}

export interface RegistrySpec {
  readonly handlers?: readonly HandlerSpec[];
  /** The tenant of that name. */
  readonly compaction?: CompactionSpec;
}

/** One with an id leaves an effect, `<id>.<hook point>`, each time it is asked. */
export interface HandlerSpec {
  readonly on: string;
  readonly id?: string;
  readonly timeoutMs?: number;
  readonly onError?: 'abort';
  /** Left out: it abstains. */
  readonly do?: Actions;
}

/** The first whose `when` holds is taken; when none does, nothing is answered. */
export type Actions = Action | readonly Action[];

export interface Action {
  /** Pointers into the event, each with what must stand there. */
  readonly when?: Expectations;
  /** A pointer into the event: the effect shows what stands there. */
  readonly see?: string;
  /** Whatever else is ready goes first. */
  readonly later?: true;
  /** At most one of the four below; none abstains. */
  readonly return?: Template;
  /** The text of the error. */
  readonly throw?: string;
  /** It never answers. */
  readonly hang?: true;
  /** In a stage's `beforeLLM`: the compactor as a plain callback. */
  readonly compact?: CompactionSpec;
}

/** Plain JSON, in which `$get`, `$concat`, `$add` and `$repeat` stand for what they make of the event. */
export type Template = JsonValue;

/** The event of `summarize` and of `flush` is `{ older }`, messages in short form. */
export interface CompactionSpec {
  readonly maxTokens: number;
  readonly keepTail?: number;
  readonly summarize?: Actions;
  readonly flush?: Actions;
  readonly timeoutMs?: number;
}

export interface ToolSpec {
  readonly name: string;
  readonly concurrency?: 'safe';
  /** The event is `{ args, run, answer? }`; `run` counts the starts of this body from 1. */
  readonly does: Actions;
}

export type ModelAnswer =
  | string
  | {
      /** A list is streamed as so many deltas. */
      readonly text?: string | readonly string[];
      readonly calls?: readonly { readonly name: string; readonly args?: JsonValue }[];
      /** The call fails with it. */
      readonly error?: string;
    };

/** Messages in short form; `{i}` in a text is the number of the repetition, from 0. */
export type Transcript = readonly (ShortMessage | Repetition)[];
export interface Repetition {
  readonly repeat: number;
  readonly messages: readonly ShortMessage[];
}

/** A message without what differs from run to run. */
export interface ShortMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text?: string;
  /** Dots are added to the text up to so many characters. */
  readonly pad?: number;
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly args: JsonValue }[];
  readonly results?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly output: string;
    readonly isError?: boolean;
  }[];
  readonly pinned?: true;
}

/** Pointers into what was observed, each with what must stand there. */
export type Expectations = Readonly<Record<string, JsonValue>>;

interface Observed {
  readonly expect?: Expectations;
}
interface OfSession extends Observed {
  /** Default `agent`. */
  readonly agent?: string;
  /** Default: the name of the agent. */
  readonly session?: string;
}
export type Step =
  | (OfSession & { readonly run: string })
  | (OfSession & { readonly resume: AnswerSpec | null })
  /** The session is read from its store. */
  | (OfSession & { readonly load: true })
  /** A new process with the same store: these keys of the set-up are replaced. */
  | (Observed & { readonly restart: Omit<Setup, 'model' | 'transcript'> })
  /** Time passes, ms. */
  | (Observed & { readonly advance: number })
  | (Observed & { readonly chain: ChainSpec });

/** `request`: the number of the request among those that the session waits for; or an `id` of its own. */
export interface AnswerSpec {
  readonly request?: number;
  readonly id?: string;
  readonly ok: boolean;
  readonly reason?: string;
  readonly data?: JsonValue;
}

/** `chainHooks` alone, without an agent. `null` stands for a stage that is not there, a list for a chain in the chain. */
export interface ChainSpec {
  readonly stages: readonly ChainStage[];
  readonly call?: { readonly on: 'beforeLLM' | 'afterLLM' | 'beforeTool' | 'afterTool'; readonly event: JsonObject };
}
export type ChainStage = StageSpec | null | readonly ChainStage[];
