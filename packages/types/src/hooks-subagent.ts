/** The hook points of a task: a call of the tool `task` runs another agent of the runtime. */
import { defineHooks } from './define-hooks.js';
import { modifyingHook, voidHook } from './hook-point.js';
import type { FromCall } from './origin.js';
import { ownFields } from './own-fields.js';
import type { RunStatus } from './hooks-session.js';
import type { ToolResult } from './tool.js';

/** What a child may use: the least of its own limits and of what is left of its parent's. Absent: no limit. */
export interface TaskBudget {
  readonly steps?: number;
  readonly toolCalls?: number;
  readonly tokens?: number;
  readonly cost?: number;
  readonly wallMs?: number;
}

export interface SubagentSpawning extends FromCall {
  /** The name of the agent that gets the task. */
  readonly agent: string;
  readonly prompt: string;
  /** Its personality, and the key of its model. */
  readonly personality: string;
  readonly model: string;
  readonly budget: TaskBudget;
}

export interface SubagentAmendment {
  readonly prompt: string;
  /** Only narrower: a key that is given is at most what it was. */
  readonly budget: TaskBudget;
  /** Why the task is not given. */
  readonly veto: string;
  /** One that the agent may have. */
  readonly personality: string;
  /** A key of its models. */
  readonly model: string;
}

export interface SubagentSpawned extends FromCall {
  readonly agent: string;
  readonly childSessionId: string;
}

export interface SubagentEnded extends SubagentSpawned {
  readonly status: RunStatus;
  /** What the call gives, before `afterTool`. */
  readonly result: ToolResult;
}

const budgetKeys = Object.keys({
  steps: true,
  toolCalls: true,
  tokens: true,
  cost: true,
  wallMs: true,
} satisfies Record<keyof TaskBudget, true>) as readonly (keyof TaskBudget)[];

/** What is wrong with an amended budget, or `undefined`. */
function checkBudget(
  { budget: had }: { readonly budget: TaskBudget },
  amendment: { readonly budget?: TaskBudget | null },
): string | undefined {
  const { budget } = ownFields(amendment);
  if (budget === undefined || budget === null) return undefined;
  const given = ownFields(budget) as Readonly<Record<string, unknown>>;
  const before = ownFields(had);
  for (const key of Object.keys(given)) {
    const known = budgetKeys.find((one) => one === key);
    if (known === undefined) return `its budget has '${key}': there is ${budgetKeys.join(', ')}`;
    const value = given[key];
    if (typeof value !== 'number' || !(value >= 0)) return `budget.${key} must be a number from 0 up`;
    const most = before[known];
    if (most !== undefined && value > most) return `budget.${key} is ${value}, wider than the ${most} that there is`;
  }
  return undefined;
}

const task = { origin: 'object', callId: 'string', attempt: 'number', batch: 'object', agent: 'string' } as const;

export const subagentHooks = defineHooks({
  subagentSpawning: modifyingHook<SubagentSpawning, SubagentAmendment>({
    discipline: 'pipeline',
    summary: 'A cleared call of `task` is about to run another agent: what it is told and may use, or a veto.',
    fields: { ...task, prompt: 'string', personality: 'string', model: 'string', budget: 'object' },
    keys: { prompt: 'string', budget: 'object', veto: 'string', personality: 'string', model: 'string' },
    terminal: ['veto'],
    hostKeys: ['personality', 'model'],
    check: checkBudget,
    aka: ['subagent_spawning', 'before_subagent'],
  }),
  subagentSpawned: voidHook<SubagentSpawned>({
    summary: 'A child has its session and is about to run.',
    fields: { ...task, childSessionId: 'string' },
    aka: ['subagent_spawned', 'SubagentStart'],
  }),
  subagentEnded: voidHook<SubagentEnded>({
    summary: 'A child has ended, however it ended; one that waits for an answer has not.',
    fields: { ...task, childSessionId: 'string', status: 'string', result: 'object' },
    aka: ['subagent_ended', 'SubagentStop'],
  }),
});
