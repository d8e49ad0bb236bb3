/** Options of the house tenants that speak of what the host lacks: most often a misspelt name, and what it says would not hold. */
import { didYouMean, HookError } from '@treblehook/types';
import type { HostOptions } from './host-options.js';

/** A `TH_MATCHES_NOTHING` for each agent of `compaction.agents` that is not the one of the host, and each route to no model. */
export function idleTenants(
  { compaction, routes }: { readonly [K in 'compaction' | 'routes']: HostOptions[K] | undefined },
  agent: string,
  models: readonly string[],
): readonly HookError[] {
  const agents = Object.keys(compaction?.agents ?? {}).filter((name) => name !== agent);
  const keys = Object.keys(routes?.routes ?? {}).filter((key) => !models.includes(key));
  return [
    ...agents.map((name) =>
      idle(`compaction.agents['${name}']`, `the agent of this host is called '${agent}', not '${name}'`),
    ),
    ...keys.map((key) => {
      const mend = didYouMean(key, models) ?? `models are ${models.join(', ')}`;
      return idle(`routes.routes['${key}']`, `no model of this host is called '${key}': ${mend}`);
    }),
  ];
}

const idle = (at: string, what: string): HookError =>
  new HookError('TH_MATCHES_NOTHING', { file: 'createHost', at: ` at ${at}`, what });
