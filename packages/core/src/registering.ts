/** From the words of a registration to the registration itself: every option is checked here. */
import {
  budgetRange,
  HookError,
  isBudget,
  nearestName,
  type HookModel,
  type RegisterOptions,
} from '@treblehook/types';
import { assertModel } from './fire.js';
import type { Owners } from './owners.js';
import type { Point } from './point.js';
import { host, type Home, type Registration } from './registration.js';

const optionNames = ['id', 'pluginId', 'before', 'after', 'timeoutMs', 'onError'];
/** Default budgets of one awaited call, ms. */
const defaultBudgetMs = { observe: 5_000, merge: 10_000, pipeline: 10_000, route: 10_000, guard: 10_000 } as const;

/** Where a registration goes, and in which house. */
interface Place {
  readonly point: Point;
  readonly home: Home;
  readonly seq: number;
  readonly owners: Owners;
  readonly budgets: Readonly<Record<string, number>>;
}
/** What the registrant said. */
interface Said {
  readonly model: HookModel;
  readonly handler: unknown;
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
  const refuse = (what: string): never => {
    throw new HookError('TH_OPTION_INVALID', { what, where: ` on '${hook}'`, hook, owner });
  };
  if (typeof handler !== 'function') return refuse('a handler is a function');
  if (typeof options !== 'object' || options === null) return refuse('options are an object');
  for (const name of Object.keys(options)) {
    if (optionNames.includes(name)) continue;
    const near = nearestName(name, optionNames);
    const mend = name === 'locks' ? "locks are the host's, given when the registry is made" : near && `did you mean '${near}'?`;
    refuse(`'${name}' is no option${mend ? `: ${mend}` : `; options are ${optionNames.join(', ')}`}`);
  }
  const { id, before, after, timeoutMs, onError } = options;
  if (id !== undefined) owners.assertHandlerId(id, owner, hook);
  if (onError !== undefined) {
    if (onError !== 'isolate' && onError !== 'abort') refuse(`onError is 'isolate' or 'abort', not ${JSON.stringify(onError)}`);
    if (model !== 'modifying') refuse(`onError belongs to modifying points; a ${point.entry.discipline} point has a policy of its own`);
  }
  if (timeoutMs === 'caller') {
    if (owner !== host) refuse("timeoutMs: 'caller' is for host handlers");
  } else if (timeoutMs !== undefined && !isBudget(timeoutMs)) {
    refuse(`timeoutMs must be ${budgetRange}, not ${String(timeoutMs)}`);
  }
  const local = id ?? `~${seq}`;
  const fullId = owner === host && id !== undefined ? id : `${owner}/${local}`;
  const ref = Object.freeze({ hook, id: fullId, owner });
  return {
    handler: handler as Registration['handler'],
    ref,
    id: fullId,
    owner,
    home,
    seq,
    before: edges('before', before, refuse),
    after: edges('after', after, refuse),
    budgetMs:
      timeoutMs === 'caller'
        ? Infinity
        : (budgets[`${hook}/${fullId}`] ??
          budgets[hook] ??
          timeoutMs ??
          point.entry.budgetMs ??
          defaultBudgetMs[point.entry.discipline]),
    aborts: onError === 'abort',
    passed: Object.freeze({ by: ref, verdict: 'pass', kind: 'policy' }),
    removed: false,
  };
}

const none: readonly string[] = Object.freeze([]);

function edges(kind: 'before' | 'after', ids: unknown, refuse: (what: string) => never): readonly string[] {
  if (ids === undefined) return none;
  if (!Array.isArray(ids)) return refuse(`'${kind}' is a list of full ids, not ${JSON.stringify(ids)}`);
  for (const id of ids as readonly unknown[]) {
    if (typeof id !== 'string' || id === '') refuse(`'${kind}' names ${JSON.stringify(id)}: an edge names a full id`);
    if (String(id).includes('~')) refuse(`'${kind}' names '${String(id)}': a handler without an id cannot be named; give it one`);
  }
  return Object.freeze([...new Set(ids as readonly string[])]);
}
