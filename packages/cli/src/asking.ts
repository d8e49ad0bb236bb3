/** What happens to an ask: a person at the terminal answers, it waits in the store, or it is a denial. */
import type { AgentOptions } from '@treblehook/agent';
import { didYouMean, type Tool } from '@treblehook/types';
import type { Io } from './io.js';
import type { Redactor } from './redact.js';
import { terminalAnswerer } from './terminal-answerer.js';
import { UsageError } from './usage-error.js';

export interface AskFlags {
  readonly 'on-ask'?: string | undefined;
  readonly json?: boolean | undefined;
}

const ways = ['deny', 'suspend'];

/** Throws `UsageError`, before anything is made. */
export function assertAsk({ 'on-ask': way }: AskFlags, isKept: boolean): void {
  if (way !== undefined && !ways.includes(way)) {
    throw new UsageError(`--on-ask takes deny or suspend, not '${way}'${withMend(didYouMean(way, ways))}`);
  }
  if (way === 'suspend' && !isKept) {
    throw new UsageError('--on-ask suspend needs a store to wait in: leave out --no-store');
  }
}

/** `tools`: those that are offered. A flag goes before the terminal. With `--json` nobody is asked: stdout has one document. */
export function askingOf(
  { 'on-ask': way, json }: AskFlags,
  io: Io,
  { isKept, isResumed }: { readonly isKept: boolean; readonly isResumed: boolean },
  redact: Redactor,
  tools: readonly Tool[],
): Pick<AgentOptions, 'answerer' | 'onAsk'> {
  if (way === undefined && io.terminal !== undefined && !json) {
    return { answerer: terminalAnswerer(io.terminal, io.stdout, redact, { canWait: isKept, isResumed, tools }) };
  }
  return way === 'deny' || !isKept ? { onAsk: 'deny' } : {};
}

const withMend = (mend: string | undefined): string => (mend === undefined ? '' : `: ${mend}`);
