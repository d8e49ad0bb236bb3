/** One decision: which route a request takes, or why it takes none. Pure. */
import { HookError, matchName, ownFields, type Job } from '@treblehook/types';
import type { Purse } from './cost.js';
import { meant, quoted, type Route, type Table, type Who } from './table.js';

export interface Asked {
  readonly model: string;
  /** The keys of the agent's models; `undefined`: not known here. */
  readonly models: readonly string[] | undefined;
  readonly personality: string | undefined;
  readonly job: Job | undefined;
  readonly tokens: number;
  readonly maxOutputTokens: number;
}

export interface Verdict {
  /** `undefined`: vetoed. */
  readonly model: string | undefined;
  readonly reason: string;
}

/** Why a route is closed to a request, and where the request goes instead. */
interface Closed {
  readonly why: string;
  readonly target: string | undefined;
}

/** Throws `TH_ROUTE_UNKNOWN` when a rule sends the request to a model that the agent lacks. */
export function decide(table: Table, asked: Asked, purse: Purse): Verdict {
  const reasons: string[] = [];
  const tried = new Set<string>();
  let { model } = asked;
  for (;;) {
    const route = table.routes.get(model);
    if (route === undefined) {
      const names = table.routes.keys();
      return {
        model: undefined,
        reason: `'${model}' has no route: add it to the gate's routes, or ask for ${quoted(names)}${meant(model, table.routes.keys())}`,
      };
    }
    tried.add(model);
    const closed =
      closedByRules(table, route, asked) ??
      closedByWindow(table, route, asked) ??
      closedByBudget(table, model, route, asked, purse);
    if (closed === undefined) {
      reasons.push(`'${model}' (tier '${route.tier}') is open: ${fits(route, asked)}${spending(table, purse)}`);
      return { model, reason: reasons.join('; ') };
    }
    const { target } = closed;
    reasons.push(`'${model}' is closed: ${closed.why}`);
    if (target === undefined) return { model: undefined, reason: reasons.join('; ') };
    if (tried.has(target)) {
      if (target !== model) reasons.push(`'${target}', where it would go, is closed too`);
      return { model: undefined, reason: reasons.join('; ') };
    }
    if (asked.models !== undefined && !asked.models.includes(target)) {
      throw new HookError('TH_ROUTE_UNKNOWN', {
        what: `sends a request to '${target}', which the agent lacks`,
        mend: `give the agent that model; it has ${quoted(asked.models)}${meant(target, asked.models)}`,
      });
    }
    model = target;
  }
}

function closedByRules(table: Table, { tier }: Route, asked: Asked): Closed | undefined {
  for (const rule of table.rules.get(tier) ?? []) {
    if (rule.for !== undefined && !rule.for.some((who) => isMeant(who, asked))) {
      return {
        why: `tier '${tier}' is for ${rule.for.map(nameOf).join(' or ')}; this is ${selfOf(asked)}`,
        target: rule.target,
      };
    }
    const given = (asked.job && ownFields(asked.job).justification?.trim()) ?? '';
    if (given.length < rule.justification) {
      const length = rule.justification > 1 ? ` of at least ${rule.justification} characters` : '';
      const got = given === '' ? 'the job gives none' : `the job gives ${given.length}`;
      return { why: `tier '${tier}' needs a justification${length}; ${got}`, target: rule.target };
    }
  }
  return undefined;
}

const isMeant = (who: Who, { personality, job }: Asked): boolean =>
  (who.personality === undefined || (personality !== undefined && matchName(who.personality, personality))) &&
  (who.job === undefined || (job !== undefined && matchName(who.job, job.class)));

const nameOf = ({ personality, job }: Who): string =>
  [personality === undefined ? '' : `personality '${personality}'`, job === undefined ? '' : `job '${job}'`]
    .filter((words) => words !== '')
    .join(' with ');

const selfOf = ({ personality, job }: Asked): string =>
  `${personality === undefined ? 'no known personality' : `personality '${personality}'`} ${job === undefined ? 'without a job' : `with job '${job.class}'`}`;

function closedByWindow(
  table: Table,
  { contextWindow }: Route,
  { tokens, maxOutputTokens }: Asked,
): Closed | undefined {
  if (contextWindow === undefined || tokens + maxOutputTokens <= contextWindow) return undefined;
  const output = maxOutputTokens > 0 ? ` and up to ${maxOutputTokens} of answer` : '';
  return { why: `about ${tokens} tokens${output} do not fit its window of ${contextWindow}`, target: table.tooLong };
}

function closedByBudget(table: Table, model: string, { price }: Route, asked: Asked, purse: Purse): Closed | undefined {
  const { budget } = table;
  if (budget === undefined || model === budget.target) return undefined;
  const next = (asked.tokens * (price?.input ?? 0) + asked.maxOutputTokens * (price?.output ?? 0)) / 1_000_000;
  if (purse.spent + next <= budget.perSession) return undefined;
  return {
    why: `the session has spent ${spentOf(purse)} of ${budget.perSession} and this call takes about ${short(next)}`,
    target: budget.target,
  };
}

const fits = ({ contextWindow }: Route, { tokens }: Asked): string =>
  `about ${tokens} tokens${contextWindow === undefined ? ', its window is not known' : ` of ${contextWindow}`}`;

const spending = ({ budget }: Table, purse: Purse): string =>
  budget === undefined ? '' : `, ${spentOf(purse)} of ${budget.perSession} spent`;

const spentOf = ({ spent, inexact }: Purse): string =>
  inexact === 0 ? short(spent) : `about ${short(spent)} (${inexact} ${inexact === 1 ? 'call' : 'calls'} estimated)`;

const short = (amount: number): string => String(Number(amount.toPrecision(3)));
