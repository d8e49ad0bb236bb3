/** Which fires nothing ends but the signal of their caller. */
import { ownFields, type AgentHooks, type HookCaller, type HookRegistry, type NamesOf } from '@treblehook/types';

type Registry = HookRegistry<AgentHooks>;

/** What is known of one registry: a run asks at each call, and a plan hardly ever changes. */
interface Known {
  /** Its caller of everybody, whose plans are those that are looked at. */
  readonly everybody: HookCaller<AgentHooks>;
  readonly points: Map<string, { readonly generation: number; readonly isEndless: boolean }>;
}

const known = new WeakMap<Registry, Known>();

interface Asks {
  readonly hasHandlers: (name: never) => boolean;
}

/** Anybody is asked by `caller` at the point, and somebody of its handlers has no end of its own. `name`: of any catalogue. */
export const isEndless = (registry: Registry, caller: Asks, name: string): boolean =>
  caller.hasHandlers(name as never) && hasEndless(registry, name);

/** A handler without a budget, but for the plain hooks of `afterTool`, which are bounded where they are asked. */
function hasEndless(registry: Registry, name: string): boolean {
  const point = name as NamesOf<AgentHooks>;
  const { everybody, points } = knownOf(registry);
  const generation = everybody.generation(point);
  const before = points.get(name);
  if (before !== undefined && before.generation === generation) return before.isEndless;
  const isEndless = registry
    .plan(point)
    .some(({ id, owner, budgetMs }) => budgetMs === undefined && !(name === 'afterTool' && isPlainHooks(id, owner)));
  points.set(name, { generation, isEndless });
  return isEndless;
}

const isPlainHooks = (id: string, owner: string): boolean => id === 'hooks' && owner === 'host';

function knownOf(registry: Registry): Known {
  let of = known.get(registry);
  if (of === undefined) {
    of = { everybody: registry.scoped(ownFields({})), points: new Map() };
    known.set(registry, of);
  }
  return of;
}
