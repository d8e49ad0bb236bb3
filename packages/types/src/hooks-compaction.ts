/** The hook points of a compaction: the tenant `compaction` of `beforeLLM` fires them. */
import { defineHooks } from './define-hooks.js';
import { modifyingHook, voidHook } from './hook-point.js';
import type { Message } from './message.js';
import type { FromRun } from './origin.js';

export interface BeforeCompaction extends FromRun {
  readonly trigger: 'auto' | 'manual';
  /** The messages that would be replaced by a summary. */
  readonly dropping: readonly Message[];
  readonly tokensBefore: number;
}

export interface CompactionAmendment {
  /** Why the history must stay as it is. */
  readonly veto: string;
  /** The summary, in place of the summariser's. */
  readonly summary: string;
}

export interface AfterCompaction extends BeforeCompaction {
  readonly outcome: 'done' | 'failed' | 'vetoed';
  readonly reason?: string;
  readonly tokensAfter?: number;
  /** Messages of the tail that were kept. */
  readonly keptTail?: number;
  readonly ms: number;
}

const compaction = { origin: 'object', trigger: 'string', dropping: 'array', tokensBefore: 'number' } as const;

export const compactionHooks = defineHooks({
  beforeCompaction: modifyingHook<BeforeCompaction, CompactionAmendment>({
    discipline: 'pipeline',
    summary: 'Before a compaction drops messages: it can be vetoed, or its summary supplied.',
    fields: compaction,
    keys: { veto: 'string', summary: 'string' },
    terminal: ['veto', 'summary'],
    firedBy: 'compaction',
    aka: ['before_compaction', 'PreCompact', 'session_before_compact'],
  }),
  afterCompaction: voidHook<AfterCompaction>({
    summary: 'After a compaction was done, failed or vetoed.',
    fields: {
      ...compaction,
      outcome: 'string',
      reason: 'string?',
      tokensAfter: 'number?',
      keptTail: 'number?',
      ms: 'number',
    },
    firedBy: 'compaction',
    aka: ['after_compaction', 'PostCompact', 'session_compact'],
  }),
});
