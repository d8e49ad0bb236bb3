/** Matchers that match no tool: most often a misspelt name, so a host warns of them when a policy is loaded. */
import { nearestName, type ToolIdentity } from '@treblehook/types';
import { labelOf, namesTool } from './decide.js';
import type { Policy } from './policy.js';

export interface UnmatchedTools {
  /** The rule's id, or `#<position>`. */
  readonly rule: string;
  readonly glob: string;
  /** The name of a tool that was perhaps meant. */
  readonly near?: string;
}

/** The globs of a policy that match none of the tools. */
export function unmatchedTools(
  policy: Policy,
  tools: readonly Pick<ToolIdentity, 'source' | 'name'>[],
): readonly UnmatchedTools[] {
  return policy.rules.flatMap((rule, at) =>
    (typeof rule.tools === 'string' ? [rule.tools] : rule.tools)
      .filter((glob) => !tools.some((tool) => namesTool(glob, tool)))
      .map((glob) => {
        const names = tools.map(({ name }) => name);
        const near = nearestName(glob, names);
        return { rule: labelOf(rule, at), glob, ...(near !== undefined && { near }) };
      }),
  );
}
