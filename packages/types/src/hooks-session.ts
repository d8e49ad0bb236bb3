/** The hook points of a session and its runs: opening and closing, the system text, the end of a run. */
import { defineHooks } from './define-hooks.js';
import { modifyingHook, voidHook } from './hook-point.js';
import type { ModelUsage } from './model-port.js';
import type { FromRun } from './origin.js';

export interface SessionStart extends FromRun {
  readonly how: 'opened' | 'resumed';
}

export interface SessionEnd extends FromRun {
  readonly how: 'closed';
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

export type RunStatus = 'done' | 'vetoed' | 'pending' | 'incomplete' | 'aborted' | 'failed';

export interface AgentDone extends FromRun {
  readonly status: RunStatus;
  /** The limit that was hit, when `incomplete`. */
  readonly limit?: string;
  readonly reason?: { readonly text: string; readonly by?: string };
  readonly error?: unknown;
  readonly text: string;
  readonly turnCount: number;
  readonly toolCalls: number;
  readonly usage: ModelUsage;
}

/** In front of the turns. */
export const openingHooks = defineHooks({
  sessionStart: voidHook<SessionStart>({
    summary: 'A session is opened or resumed.',
    fields: { origin: 'object', how: 'string' },
    aka: ['session_start', 'SessionStart', 'onSessionStart'],
  }),
  beforePromptBuild: modifyingHook<PromptBuild, PromptAmendment>({
    discipline: 'merge',
    summary: 'Once per run, before the system text is put together.',
    fields: { origin: 'object', system: 'string', input: 'string' },
    keys: { prependSystem: 'string', overrideSystem: 'string', appendSystem: 'string', context: 'strings' },
    collect: ['context'],
    hostKeys: ['overrideSystem'],
    aka: ['before_prompt_build', 'before_agent_start', 'UserPromptSubmit'],
  }),
});

/** Behind them. */
export const closingHooks = defineHooks({
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
  sessionEnd: voidHook<SessionEnd>({
    summary: 'A session is closed.',
    fields: { origin: 'object', how: 'string' },
    aka: ['session_end', 'SessionEnd'],
  }),
});
