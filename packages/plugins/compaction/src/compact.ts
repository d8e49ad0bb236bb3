/** One compaction of one request: what is tried in which order, and what counts as progress. */
import type { AfterCompaction, BeforeCompaction, CallModel, Message } from '@treblehook/types';
import { HookError, ownFields, textOf } from '@treblehook/types';
import { startDeadline, type Deadline } from './deadline.js';
import type { Settings } from './options.js';
import { planOf, type Request } from './plan.js';
import type { RunState } from './run-states.js';
import { coveredBy, summaryMessage } from './summary.js';

type Told<T> = Omit<T, 'origin' | 'trigger'>;

/** What surrounds a compaction: hook points for the tenant, nothing for the plain callback. */
export interface Surroundings {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly callModel?: CallModel | undefined;
  readonly before?: (event: Told<BeforeCompaction>) => Promise<{ veto?: string; summary?: string } | undefined>;
  readonly after?: (event: Told<AfterCompaction>) => Promise<void>;
}

type Outcome =
  | { readonly outcome: 'done'; readonly messages: readonly Message[]; readonly tokens: number }
  | { readonly outcome: 'vetoed' }
  | { readonly outcome: 'failed'; readonly reason: string; readonly cause?: unknown };

/**
 * At most two passes: the second, when the first has left the request over budget, keeps as little as it may. Gives the
 * new messages, or `undefined` when the history stays. Throws `TH_COMPACTION_STUCK` on the second failed attempt in a
 * row, and the signal's reason when the caller aborts.
 */
export async function compact(
  settings: Settings,
  request: Request,
  tokensBefore: number,
  state: RunState,
  surroundings: Surroundings,
): Promise<readonly Message[] | undefined> {
  const around = ownFields(surroundings);
  const deadline = startDeadline(around.timeoutMs, around.signal);
  state.busy = true;
  try {
    const first = await attempt(settings, request, tokensBefore, false, state, around, deadline);
    if (first.outcome === 'failed') {
      state.failures++;
      if (state.failures > 1) throw new HookError('TH_COMPACTION_STUCK', { what: first.reason, cause: first.cause });
      return undefined;
    }
    if (first.outcome === 'vetoed') return undefined;
    state.failures = 0;
    if (first.tokens <= settings.maxTokens) return first.messages;
    const again = { ...request, messages: first.messages };
    const second = await attempt(settings, again, first.tokens, true, state, around, deadline);
    return second.outcome === 'done' ? second.messages : first.messages;
  } finally {
    state.busy = false;
    deadline.end();
  }
}

async function attempt(
  settings: Settings,
  request: Request,
  tokensBefore: number,
  minimal: boolean,
  state: RunState,
  around: Surroundings,
  deadline: Deadline,
): Promise<Outcome> {
  const started = performance.now();
  const total = (messages: readonly Message[]): number =>
    settings.count(messages) + settings.count([], request.tools) + settings.count(request.inject);
  const plan = planOf(settings, request, minimal, state, total);
  const event = { dropping: plan?.dropping ?? [], tokensBefore };
  const tell = async (told: Omit<Told<AfterCompaction>, keyof typeof event | 'ms'>): Promise<void> =>
    around.after?.({ ...event, ...told, ms: performance.now() - started });
  const fail = async (reason: string, cause?: unknown): Promise<Outcome> => {
    await tell({ outcome: 'failed', reason });
    return { outcome: 'failed', reason, cause };
  };

  if (plan === undefined) {
    if (minimal) return { outcome: 'failed', reason: 'nothing more can be dropped' };
    return fail(
      `nothing can be dropped: system text, pinned messages, tools and the current turn take ${tokensBefore} of ${settings.maxTokens} tokens`,
    );
  }
  const answer = await around.before?.(event);
  const amendment = answer && ownFields(answer);
  if (amendment?.veto != null) {
    await tell({ outcome: 'vetoed', reason: amendment.veto });
    return { outcome: 'vetoed' };
  }
  let messages: readonly Message[];
  try {
    const { flush } = settings;
    if (flush !== undefined) await deadline.within(() => flush(plan.losing, deadline.signal));
    let summary: Message | undefined;
    if (plan.older.length > 0) {
      const text = amendment?.summary ?? (await summarize(settings, plan.older, around, deadline));
      if (typeof text !== 'string') return await fail('the summary is no text');
      if (text.trim() === '') return await fail('the summary is blank');
      summary = summaryMessage(text, coveredBy(plan.older));
    }
    messages = plan.build(summary);
  } catch (error) {
    if (around.signal?.aborted) throw around.signal.reason;
    return fail(textOf(error), error);
  }
  const tokensAfter = total(messages);
  if (tokensAfter >= tokensBefore) return fail(`no progress: ${tokensBefore} tokens before, ${tokensAfter} after`);
  await tell({ outcome: 'done', tokensAfter, keptTail: plan.keptTail });
  return { outcome: 'done', messages, tokens: tokensAfter };
}

function summarize(
  settings: Settings,
  older: readonly Message[],
  around: Surroundings,
  deadline: Deadline,
): Promise<string> {
  const { callModel } = around;
  const context = callModel === undefined ? { signal: deadline.signal } : { signal: deadline.signal, callModel };
  return deadline.within(() => settings.summarize(older, context));
}
