/** The hook points of a session and its runs: opening and closing, the input, the system text, the end of a run. */
import { defineHooks } from './define-hooks.js';
import { checkPersonalityAmendment } from './check-personality-amendment.js';
import { modifyingHook, voidHook } from './hook-point.js';
import type { Message } from './message.js';
import type { ModelUsage } from './model-port.js';
import type { FromRun } from './origin.js';

export interface SessionStart extends FromRun {
  readonly how: 'opened' | 'resumed';
}

export interface SessionEnd extends FromRun {
  readonly how: 'closed';
}

export interface RunInput extends FromRun {
  /** What the user said. */
  readonly text: string;
  /** What stages have added so far. */
  readonly context: readonly string[];
}

export interface RunInputAmendment {
  readonly text: string;
  /** Joined, in front of that of `beforePromptBuild`, into one user message in the tail of each request; never stored. */
  readonly context: readonly string[];
  /** Why the input is not taken: nothing is stored. */
  readonly reject: string;
}

export interface MessageReceived extends FromRun {
  /** As it is stored. */
  readonly message: Message;
}

export interface PromptBuild extends FromRun {
  /** The personality's system text. */
  readonly system: string;
  /** What the user said. */
  readonly input: string;
}

export interface PromptAmendment {
  readonly prependSystem: string;
  readonly overrideSystem: string;
  readonly appendSystem: string;
  /** No system text: joined into one user message in the tail of each request of the run, and never stored. */
  readonly context: readonly string[];
}

export interface BeforeFinish extends FromRun {
  /** The text of the last answer. */
  readonly text: string;
  /** Continuations of this run so far; after the fifth there is none. */
  readonly continuations: number;
}

export interface FinishAmendment {
  /** Why the run is not finished: joined into one message to the model. */
  readonly revise: readonly string[];
}

/** Why a run is `incomplete`: a limit of the agent, an answer that was cut, or revisions without end. */
export type RunLimit =
  | 'steps'
  | 'toolCalls'
  | 'tokens'
  | 'cost'
  | 'wallMs'
  | 'deniedSteps'
  | 'output'
  | 'content-filter'
  | 'continuations'
  | 'no-progress'
  | `finish:${string}`;
export type RunStatus = 'done' | 'vetoed' | 'pending' | 'incomplete' | 'aborted' | 'failed';

export interface AgentDone extends FromRun {
  readonly status: RunStatus;
  /** The limit that was hit, when `incomplete`; for `continuations` and `no-progress` the reason says what is asked. */
  readonly limit?: RunLimit;
  readonly reason?: { readonly text: string; readonly by?: string };
  readonly error?: unknown;
  readonly text: string;
  readonly turnCount: number;
  readonly toolCalls: number;
  readonly usage: ModelUsage;
}

/** What a session is from one switch to the next. */
export interface PersonalityInForce {
  readonly id: string;
  /** Ids of the plugins whose handlers run. */
  readonly plugins: readonly string[];
  /** Names of the tools that it may offer. */
  readonly tools: readonly string[];
}

/** `origin.runId` is an id of its own: no run has it, so its handlers have no `ctx.callModel`. */
export interface PersonalitySwitched extends FromRun {
  readonly from: PersonalityInForce;
  readonly to: PersonalityInForce;
}

/** What is in force in place of `to`: never more. */
export interface PersonalityNarrowing {
  /** Some of `to.plugins`. The guards of those that are left out are asked all the same. */
  readonly plugins?: readonly string[];
  /** Name globs (`matchName`): of `to.tools` those that match one. */
  readonly tools?: readonly string[];
}

export interface PersonalityAmendment {
  readonly personality: PersonalityNarrowing;
}

/** In front of the turns. */
export const openingHooks = defineHooks({
  sessionStart: voidHook<SessionStart>({
    summary: 'A session is opened or resumed.',
    fields: { origin: 'object', how: 'string' },
    aka: ['session_start', 'SessionStart', 'onSessionStart'],
  }),
  beforeInput: modifyingHook<RunInput, RunInputAmendment>({
    discipline: 'pipeline',
    summary: 'Once per run, before its input is stored: it can be rewritten, given context, rejected.',
    fields: { origin: 'object', text: 'string', context: 'strings' },
    keys: { text: 'string', context: 'strings', reject: 'string' },
    collect: ['context'],
    terminal: ['reject'],
    aka: ['before_input', 'UserPromptSubmit', 'input'],
  }),
  messageReceived: voidHook<MessageReceived>({
    summary: 'Once per run: its input is stored.',
    fields: { origin: 'object', message: 'object' },
    aka: ['message_received', 'chat.message'],
  }),
  beforePromptBuild: modifyingHook<PromptBuild, PromptAmendment>({
    discipline: 'merge',
    summary: 'Once per run, and again each time that it is resumed, before the system text is put together.',
    fields: { origin: 'object', system: 'string', input: 'string' },
    keys: { prependSystem: 'string', overrideSystem: 'string', appendSystem: 'string', context: 'strings' },
    collect: ['context'],
    hostKeys: ['overrideSystem'],
    aka: ['before_prompt_build', 'before_agent_start'],
  }),
});

/** Behind them. */
export const closingHooks = defineHooks({
  beforeFinish: modifyingHook<BeforeFinish, FinishAmendment>({
    discipline: 'merge',
    summary: 'An answer asks for no more calls: the model can be told to revise it.',
    fields: { origin: 'object', text: 'string', continuations: 'number' },
    keys: { revise: 'strings' },
    collect: ['revise'],
    aka: ['before_agent_finalize', 'before_finish'],
  }),
  agentDone: voidHook<AgentDone>({
    summary: 'A run has ended, however it ended.',
    fields: {
      origin: 'object',
      status: 'string',
      limit: 'string?',
      reason: 'object?',
      error: 'any?',
      text: 'string',
      turnCount: 'number',
      toolCalls: 'number',
      usage: 'object',
    },
    aka: ['agent_end', 'Stop', 'agent_done'],
  }),
  personalitySwitched: modifyingHook<PersonalitySwitched, PersonalityAmendment>({
    discipline: 'merge',
    summary:
      'Between two runs, before a session is another personality: under the allowlist of the new one, which can be narrowed.',
    fields: { origin: 'object', from: 'object', to: 'object' },
    keys: { personality: 'object' },
    check: checkPersonalityAmendment,
    aka: ['personality_switched'],
  }),
  sessionEnd: voidHook<SessionEnd>({
    summary: 'A session is closed.',
    fields: { origin: 'object', how: 'string' },
    aka: ['session_end', 'SessionEnd'],
  }),
});
