/** Which part of a policy is about a tool: who has thought of it has a rule that names it, or a word on what none names. */
import { matchName, ownFields, type ToolIdentity } from '@treblehook/types';
import { labelOf, namesTool, shortName } from './compile-rule.js';
import { blindKeys } from './blind.js';
import type { PolicedTool } from './look.js';
import { unlistedLabel } from './parse-policy.js';
import { textsOf } from './paths/path-test.js';
import type { Policy } from './policy.js';

type Named = Pick<ToolIdentity, 'source' | 'name'>;

/**
 * The first rule that names the tool for the personality, by its id or as `#<position>`; `unlisted` where the policy says
 * what happens to tools of its source that no rule names; `undefined` where it has not thought of it. A rule that looks at
 * paths, hosts or commands names no tool that declares none.
 */
export function namedBy(policy: Policy, tool: PolicedTool, personality?: string): string | undefined {
  const { rules = [], unlisted } = ownFields(policy);
  const caller = personality === undefined ? [] : [personality];
  const at = rules.findIndex((rule) => {
    const { tools, personalities } = ownFields(rule);
    return (
      isFor(personalities === undefined ? undefined : textsOf(personalities), caller) &&
      textsOf(tools).some((glob) => isAbout(glob, tool)) &&
      blindKeys(rule, tool).length === 0
    );
  });
  if (at >= 0) return labelOf(rules[at]!, at);
  if (unlisted === undefined) return undefined;
  const [kind = ''] = tool.source.split(':', 1);
  const saysSo = typeof unlisted === 'string' || Object.hasOwn(unlisted, tool.source) || Object.hasOwn(unlisted, kind);
  return saysSo ? unlistedLabel : undefined;
}

/**
 * A rule for every tool is about none of them. Of a tool that is not the host's own the rule has to name the source, too, in
 * front of the first slash of a tool that is called by both (`mcp:files/*`) or alone (`mcp:*`): a rule for a namesake, or for
 * what the name of a server's tool poses as, has not thought of it.
 */
export function isAbout(glob: string, tool: Named): boolean {
  if (!/[^*]/.test(glob)) return false;
  if (tool.source === 'host') return namesTool(glob, tool);
  if (!/^(?:plugin|mcp)/.test(glob)) return false;
  if (!glob.includes('/')) return matchName(glob, tool.source);
  const name = shortName(tool);
  // a plugin's id may have a slash of its own
  return [...glob.matchAll(/\//g)].some(
    ({ index }) => matchName(glob.slice(0, index), tool.source) && matchName(glob.slice(index + 1), name),
  );
}

/** Whether a rule for these personalities is for one of those; without a list it is for each. */
export const isFor = (globs: readonly string[] | undefined, personalities: readonly string[]): boolean =>
  globs === undefined || personalities.some((one) => globs.some((glob) => matchName(glob, one)));
