/** Budgets of handlers that are not there: most often a misspelt id, whose handler would keep the budget of its point. */
import { didYouMean, HookError, type AgentHooks, type HookRegistry, type NamesOf } from '@treblehook/types';

/** A `TH_MATCHES_NOTHING` for each key `'point/full-id'` that is the id of no handler of that point. */
export function idleBudgets(
  registry: Pick<HookRegistry<AgentHooks>, 'plan'>,
  budgets: Readonly<Record<string, number>>,
): readonly HookError[] {
  return Object.keys(budgets).flatMap((key) => {
    const slash = key.indexOf('/');
    if (slash < 0) return [];
    const [hook, id] = [key.slice(0, slash) as NamesOf<AgentHooks>, key.slice(slash + 1)];
    const ids = registry.plan(hook, 'all').map((row) => row.id);
    if (ids.includes(id)) return [];
    const named = ids.filter((one) => !one.includes('~'));
    const mend = didYouMean(id, named) ?? `handlers there are ${named.join(', ') || 'none'}`;
    const what = `no handler of '${hook}' is called '${id}': ${mend}`;
    return [new HookError('TH_MATCHES_NOTHING', { file: 'createHost', at: ` at budgets['${key}']`, what })];
  });
}
