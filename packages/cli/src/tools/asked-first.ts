/** What the command line asks about by itself: tools that do more than look into the folder, unless the policy names them. */
import { loadPolicy } from '@treblehook/host';
import { namesTool, type Policy, type ReadPolicy, type Rule } from '@treblehook/plugin-tool-policy';
import { matchName } from '@treblehook/types';

const rules: readonly (Rule & { readonly tools: readonly string[] })[] = [
  {
    id: 'changes',
    tools: ['write_file', 'edit_file', 'delete_file'],
    decision: 'ask',
    reason: 'may it change this file?',
  },
  { id: 'commands', tools: ['run_command'], decision: 'ask', reason: 'may it run this command?' },
  { id: 'fetches', tools: ['fetch_url'], decision: 'ask', reason: 'may it send this request?' },
];

/**
 * The default layer for the tools that are offered; `undefined` when nothing is left to be asked about. `policy`: the
 * operator's file. Rejects with `TH_CONFIG_INVALID`.
 */
export async function askedFirst(
  offered: readonly string[],
  policy: string | undefined,
  personality: string | undefined,
): Promise<Policy | undefined> {
  const given = policy === undefined ? undefined : await loadPolicy(policy);
  const left = rules.flatMap((rule) => {
    const tools = rule.tools.filter(
      (name) => offered.includes(name) && !(given !== undefined && hasThoughtOf(given, name, personality)),
    );
    return tools.length === 0 ? [] : [{ ...rule, tools }];
  });
  return left.length === 0 ? undefined : { rules: left };
}

/**
 * A rule names the tool, or the policy says what happens to tools of the host that no rule names. A rule for every tool has
 * thought of none, and a rehearsal holds nothing back.
 */
function hasThoughtOf(
  { rules: all, unlisted, mode }: ReadPolicy,
  name: string,
  personality: string | undefined,
): boolean {
  if (mode === 'dry-run') return false;
  if (typeof unlisted === 'string' || unlisted?.['host'] !== undefined) return true;
  return all.some(({ tools, personalities }) => {
    const isForIt =
      personalities === undefined ||
      (personality !== undefined && listed(personalities).some((glob) => matchName(glob, personality)));
    return isForIt && listed(tools).some((glob) => /[^*]/.test(glob) && namesTool(glob, { source: 'host', name }));
  });
}

const listed = (given: string | readonly string[]): readonly string[] => (typeof given === 'string' ? [given] : given);
