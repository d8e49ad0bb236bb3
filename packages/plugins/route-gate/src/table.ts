/** The options checked, copied and completed: from here on every name is known to exist. */
import { didYouMean, estimateTokens, HookError, ownFields, tokenTally, type CountTokens } from '@treblehook/types';
import type { Instead, Price, RouteDecision, RouteGateOptions } from './options.js';

/** A route with each field of its own: what is not known is `undefined`, and never inherited. */
export interface Route {
  readonly tier: string;
  readonly price: Price | undefined;
  readonly contextWindow: number | undefined;
}

/** A model to go to instead, or `undefined` for a veto. */
type Target = string | undefined;

export interface Who {
  readonly personality: string | undefined;
  readonly job: string | undefined;
}

export interface Rule {
  readonly for: readonly Who[] | undefined;
  /** Characters; 0 asks for none. */
  readonly justification: number;
  readonly target: Target;
}

export interface Table {
  readonly routes: ReadonlyMap<string, Route>;
  /** By tier. */
  readonly rules: ReadonlyMap<string, readonly Rule[]>;
  readonly budget: { readonly perSession: number; readonly target: Target } | undefined;
  readonly tooLong: Target;
  readonly count: CountTokens;
  /** The same for the messages in hand: of a conversation that goes on, only what is new is counted. */
  readonly tally: CountTokens;
  readonly onDecision: ((decision: RouteDecision) => void) | undefined;
}

const optionKeys = ['routes', 'rules', 'default', 'budget', 'tooLong', 'countTokens', 'onDecision'];
const routeKeys = ['tier', 'price', 'contextWindow'];
const priceKeys = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
const ruleKeys = ['tier', 'for', 'justification', 'otherwise'];

/** Throws `TH_OPTION_INVALID` and, for a route or tier that does not exist, `TH_ROUTE_UNKNOWN`. */
export function tableOf(given: RouteGateOptions): Table {
  knownKeys('the options', given, optionKeys);
  const options = ownFields(given);
  const routes = routesOf(options.routes);
  const tiers = new Set([...routes.values()].map(({ tier }) => tier));

  const model = (name: unknown, at: string): string => {
    if (typeof name !== 'string') return refuse(`${at} must be the key of a route`);
    if (routes.has(name)) return name;
    throw new HookError('TH_ROUTE_UNKNOWN', {
      what: `names the route '${name}' in ${at}, which the table lacks`,
      mend: `add it to routes, or name one of ${quoted(routes.keys())}${meant(name, routes.keys())}`,
    });
  };
  const fallback = options.default === undefined ? undefined : model(options.default, 'default');
  const target = (instead: unknown, key: 'downgrade' | 'use', at: string): Target => {
    if (instead === undefined) return fallback;
    if (instead === 'veto') return undefined;
    knownKeys(at, instead, [key], `'veto' or { ${key}: '<route>' }`);
    return model(ownFields(instead as Record<string, unknown>)[key], `${at}.${key}`);
  };

  const rules = new Map<string, Rule[]>();
  for (const [at, written] of listOf(options.rules, 'rules').entries()) {
    const where = `rules[${at}]`;
    knownKeys(where, written, ruleKeys);
    const rule = ownFields(written);
    if (!tiers.has(rule.tier)) {
      throw new HookError('TH_ROUTE_UNKNOWN', {
        what: `names the tier '${String(rule.tier)}' in ${where}, which no route has`,
        mend: `give a route that tier, or name one of ${quoted(tiers)}${meant(String(rule.tier), tiers)}`,
      });
    }
    if (rule.for?.length === 0)
      refuse(`${where}.for is empty, so nobody may use the tier: drop its routes, or name somebody`);
    const ofTier = rules.get(rule.tier) ?? [];
    rules.set(rule.tier, ofTier);
    ofTier.push({
      for:
        rule.for === undefined
          ? undefined
          : listOf(rule.for, `${where}.for`).map((who, i) => whoOf(who, `${where}.for[${i}]`)),
      justification: justificationOf(rule.justification, where),
      target: target(rule.otherwise, 'downgrade', `${where}.otherwise`),
    });
  }
  for (const key of ['countTokens', 'onDecision'] as const) {
    if (options[key] !== undefined && typeof options[key] !== 'function') refuse(`${key} must be a function`);
  }
  const count = checkedCount(options.countTokens ?? estimateTokens);
  return {
    routes,
    rules,
    budget: budgetOf(options.budget, routes, (over) => target(over, 'downgrade', 'budget.over')),
    tooLong: target(options.tooLong, 'use', 'tooLong'),
    count,
    tally: tokenTally(count),
    onDecision: options.onDecision,
  };
}

function routesOf(given: RouteGateOptions['routes']): Map<string, Route> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    refuse('routes must be { <model key>: { tier, … } }');
  const routes = new Map<string, Route>();
  for (const key of Object.keys(given)) {
    const at = `routes['${key}']`;
    knownKeys(at, given[key], routeKeys);
    const route = ownFields(given[key]!);
    if (typeof route.tier !== 'string' || route.tier === '') refuse(`${at}.tier must be a word, such as 'small'`);
    const { contextWindow } = route;
    if (contextWindow !== undefined && (!Number.isSafeInteger(contextWindow) || contextWindow < 1)) {
      refuse(`${at}.contextWindow must be a whole number of tokens from 1; leave it out when it is not known`);
    }
    routes.set(key, {
      tier: route.tier,
      price: route.price === undefined ? undefined : priceOf(route.price, `${at}.price`),
      contextWindow,
    });
  }
  if (routes.size === 0) refuse('routes is empty: name at least one model, or do not install the gate');
  return routes;
}

function priceOf(given: Price, at: string): Price {
  knownKeys(at, given, priceKeys);
  const price = ownFields(given);
  for (const key of priceKeys) {
    const value = price[key];
    if (value !== undefined && !(Number.isFinite(value) && value >= 0)) {
      refuse(
        `${at}.${key} is ${String(value)}; it must be a number from 0 (per million tokens), or be left out when it is not known`,
      );
    }
  }
  return price;
}

function whoOf(who: unknown, at: string): Who {
  knownKeys(at, who, ['personality', 'job']);
  const { personality, job } = ownFields(who as { personality?: string; job?: string });
  if (personality === undefined && job === undefined)
    refuse(`${at} matches nobody in particular: name a personality or a job`);
  for (const glob of [personality, job])
    if (glob !== undefined && typeof glob !== 'string') refuse(`${at} must hold name globs`);
  return { personality, job };
}

function justificationOf(asked: unknown, where: string): number {
  if (asked === undefined) return 0;
  if (asked === true) return 1;
  if (Number.isSafeInteger(asked) && (asked as number) >= 1) return asked as number;
  return refuse(`${where}.justification must be true or a number of characters from 1`);
}

function budgetOf(
  given: RouteGateOptions['budget'],
  routes: ReadonlyMap<string, Route>,
  target: (over: Instead | undefined) => Target,
): Table['budget'] {
  if (given === undefined) return undefined;
  knownKeys('budget', given, ['perSession', 'over']);
  const budget = ownFields(given);
  if (!(Number.isFinite(budget.perSession) && budget.perSession >= 0))
    refuse('budget.perSession must be a number from 0');
  for (const [key, { price }] of routes) {
    for (const side of ['input', 'output'] as const) {
      if (price?.[side] === undefined) {
        refuse(
          `budget needs routes['${key}'].price.${side}: without it nobody knows what a call costs; write 0 if it is free`,
        );
      }
    }
  }
  return { perSession: budget.perSession, target: target(budget.over) };
}

/** A count that is no number would let every request fit. */
function checkedCount(count: CountTokens): CountTokens {
  return (messages, tools) => {
    const tokens = tools === undefined ? count(messages) : count(messages, tools);
    if (!Number.isFinite(tokens) || tokens < 0)
      refuse(`countTokens gave ${String(tokens)}; it must give a number from 0`);
    return tokens;
  };
}

function listOf<T>(list: readonly T[] | undefined, at: string): readonly T[] {
  if (list !== undefined && !Array.isArray(list)) refuse(`${at} must be a list`);
  return list ?? [];
}

function knownKeys(at: string, value: unknown, keys: readonly string[], shape = 'an object'): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuse(`${at} must be ${shape}`);
  }
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) refuse(`${at} has '${key}'; it may have ${keys.join(', ')}${meant(key, keys)}`);
  }
}

function refuse(what: string): never {
  throw new HookError('TH_OPTION_INVALID', { what, where: ' (route-gate)' });
}

/** ` (did you mean 'x'?)`, or nothing when no name is near. */
export function meant(name: string, names: Iterable<string>): string {
  const phrase = didYouMean(name, names);
  return phrase === undefined ? '' : ` (${phrase})`;
}

export const quoted = (names: Iterable<string>): string => [...names].map((name) => `'${name}'`).join(', ');
