/** Which part of a policy is about a tool: who has thought of it has a rule that names it, or a word on what none names. */
import { matchName, ownFields, type ToolIdentity } from '@treblehook/types';
import { labelOf, namesTool } from './compile-rule.js';
import { unlistedLabel } from './parse-policy.js';
import { textsOf } from './paths/path-test.js';
import type { Policy } from './policy.js';

type Named = Pick<ToolIdentity, 'source' | 'name'>;

/**
 * The first rule that names the tool for the personality, by its id or as `#<position>`; `unlisted` where the policy says
 * what happens to tools of its source that no rule names; `undefined` where it has not thought of it.
 */
export function namedBy(policy: Policy, tool: Named, personality?: string): string | undefined {
  const { rules = [], unlisted } = ownFields(policy);
  const at = rules.findIndex((rule) => {
    const { tools, personalities } = ownFields(rule);
    return (
      isFor(personalities === undefined ? undefined : textsOf(personalities), personality) &&
      textsOf(tools).some((glob) => isAbout(glob, tool))
    );
  });
  if (at >= 0) return labelOf(rules[at]!, at);
  if (unlisted === undefined) return undefined;
  const [kind = ''] = tool.source.split(':', 1);
  const saysSo = typeof unlisted === 'string' || Object.hasOwn(unlisted, tool.source) || Object.hasOwn(unlisted, kind);
  return saysSo ? unlistedLabel : undefined;
}

/**
 * A rule for every tool is about none of them. Of a tool that is not the host's own its source has to be named, too: a rule
 * for a namesake has not thought of it.
 */
export function isAbout(glob: string, tool: Named): boolean {
  if (!/[^*]/.test(glob)) return false;
  return tool.source === 'host' ? namesTool(glob, tool) : /^(?:plugin|mcp)/.test(glob) && namesTool(glob, tool);
}

/** Whether a rule for these personalities is for this one; without a list it is for each. */
export const isFor = (globs: readonly string[] | undefined, personality: string | undefined): boolean =>
  globs === undefined || (personality !== undefined && globs.some((glob) => matchName(glob, personality)));
