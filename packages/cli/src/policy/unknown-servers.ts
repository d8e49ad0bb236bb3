/** Words of a policy on servers that nobody has: most often a misspelt name. */
import type { LoadedLayer } from '@treblehook/host';
import { HookError, nearestName } from '@treblehook/types';

/** A `TH_MATCHES_NOTHING`, with its place, for each server in `unlisted` that is none of these sources. */
export function unknownServers({ policy, locate }: LoadedLayer, sources: readonly string[]): readonly HookError[] {
  const { unlisted } = policy;
  if (typeof unlisted !== 'object') return [];
  return Object.keys(unlisted).flatMap((source) => {
    if (!source.startsWith('mcp:') || sources.includes(source)) return [];
    const near = nearestName(source, sources);
    const mend = near === undefined ? `there is ${sources.join(', ') || 'none'}` : `did you mean '${near}'?`;
    const what = `no server has a tool of '${source}': ${mend}`;
    return [new HookError('TH_MATCHES_NOTHING', { ...locate(['unlisted', source], 'key'), what })];
  });
}
