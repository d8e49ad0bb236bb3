/** From the words of a registration to the registration itself: every option is checked here. */
import {
  budgetRange,
  didYouMean,
  HookError,
  isBudget,
  type GuardVerdict,
  type HookModel,
  type RegisterOptions,
} from '@treblehook/types';
import { article } from './answer.js';
import { mark } from './frozen.js';
import { isFullId, type Owners } from './owners.js';
import { shown } from './option.js';
import type { Point } from './point.js';
import { host, type Home, type Registration } from './registration.js';
import { assertModel } from './rights.js';

const optionNames = ['id', 'pluginId', 'before', 'after', 'timeoutMs', 'onError'];

/** Where a registration goes, and in which house. */
interface Place {
  readonly point: Point;
  readonly home: Home;
  readonly seq: number;
  readonly owners: Owners;
  readonly budgets: ReadonlyMap<string, number>;
}
/** What the registrant said. */
interface Said {
  readonly model: HookModel;
  readonly handler: unknown;
  /** A record of own options, read once. */
  readonly options: RegisterOptions;
}

/** Throws `TH_WRONG_MODEL`, `TH_OPTION_INVALID`, `TH_ID_TAKEN`. */
export function makeRegistration(
  { point, home, seq, owners, budgets }: Place,
  { model, handler, options }: Said,
): Registration {
  const { owner } = home;
  const hook = point.name;
  assertModel(point, model, 'register', owner);
  if (typeof handler !== 'function') throw invalid(hook, owner, 'a handler is a function');
  assertOptions(point, owner, options);
  const { id, before, after, timeoutMs, onError } = options;
  if (id !== undefined) owners.assertHandlerId(id, owner, hook);
  const local = id ?? `~${seq}`;
  const fullId = owner === host && id !== undefined ? id : `${owner}/${local}`;
  const ref = mark({ hook, id: fullId, owner }); // it goes into payloads, such as the record of a call
  return {
    handler: handler as Registration['handler'],
    ref,
    id: fullId,
    owner,
    home,
    seq,
    before: before === undefined ? none : edges(hook, owner, 'before', before),
    after: after === undefined ? none : edges(hook, owner, 'after', after),
    budgetMs:
      timeoutMs === 'caller'
        ? Infinity
        : (operatorsBudget(budgets, hook, fullId) ?? timeoutMs ?? point.entry.budgetMs ?? point.strategy.budgetMs),
    aborts: onError === 'abort',
    passed:
      point.entry.discipline === 'guard' ? mark<GuardVerdict>({ by: ref, verdict: 'pass', kind: 'policy' }) : undefined,
    removed: false,
  };
}

/** Most operators give none: then no key is built to look for it. */
const operatorsBudget = (budgets: ReadonlyMap<string, number>, hook: string, fullId: string): number | undefined =>
  budgets.size === 0 ? undefined : (budgets.get(`${hook}/${fullId}`) ?? budgets.get(hook));

function assertOptions({ name: hook, entry }: Point, owner: string, options: RegisterOptions): void {
  for (const name of Object.keys(options)) {
    if (optionNames.includes(name)) continue;
    const mend =
      name === 'locks'
        ? "locks are the host's, given when the registry is made"
        : (didYouMean(name, optionNames) ?? `options are ${optionNames.join(', ')}`);
    throw invalid(hook, owner, `'${name}' is no option: ${mend}`);
  }
  const { timeoutMs, onError } = options;
  if (onError !== undefined) {
    if (onError !== 'isolate' && onError !== 'abort') {
      throw invalid(hook, owner, `onError is 'isolate' or 'abort', not ${shown(onError)}`);
    }
    if (entry.model !== 'modifying') {
      throw invalid(
        hook,
        owner,
        `onError belongs to modifying points; ${article(entry.discipline)} point has a policy of its own`,
      );
    }
  }
  if (timeoutMs === 'caller') {
    if (owner !== host) throw invalid(hook, owner, "timeoutMs: 'caller' is for host handlers");
  } else if (timeoutMs !== undefined && !isBudget(timeoutMs)) {
    throw invalid(hook, owner, `timeoutMs must be ${budgetRange}, not ${shown(timeoutMs)}`);
  }
}

const invalid = (hook: string, owner: string, what: string): HookError =>
  new HookError('TH_OPTION_INVALID', { what, where: ` on '${hook}'`, hook, owner });

const none: readonly string[] = Object.freeze([]);

function edges(hook: string, owner: string, kind: 'before' | 'after', ids: unknown): readonly string[] {
  if (!Array.isArray(ids)) throw invalid(hook, owner, `'${kind}' is a list of full ids, not ${shown(ids)}`);
  for (const id of ids as readonly unknown[]) {
    if (isFullId(id)) continue;
    const mend = shown(id).includes('~')
      ? 'a handler without an id cannot be named; give it one'
      : "an edge names a full id, like 'compaction' or 'acme/redact'";
    throw invalid(hook, owner, `'${kind}' names ${shown(id)}: ${mend}`);
  }
  return Object.freeze([...new Set(ids as readonly string[])]);
}
