/** What the command line asks about by itself: tools that do more than look into the folder, unless the policy names them. */
import { loadPolicy } from '@treblehook/host';
import { namedBy, type Policy } from '@treblehook/plugin-tool-policy';
import { namesAskedAs, type AskedAs } from './built-in.js';

const questions: Readonly<Record<Exclude<AskedAs, 'nothing'>, string>> = {
  changes: 'may it change this file?',
  commands: 'may it run this command?',
  fetches: 'may it send this request?',
};

/** What is asked about, and what is not because the operator's policy has thought of it. */
export interface AskedFirst {
  /** The default layer; `undefined` when nothing is left to be asked about. */
  readonly policy: Policy | undefined;
  /** Tools that the default would ask about, and the rule that names each, or `unlisted`. */
  readonly lifted: readonly { readonly tool: string; readonly by: string }[];
}

/** For the tools that are offered, by the operator's file. Rejects with `TH_CONFIG_INVALID`. */
export async function askedFirst(
  offered: readonly string[],
  file: string | undefined,
  personality: string,
): Promise<AskedFirst> {
  const given = file === undefined ? undefined : await loadPolicy(file);
  // a rehearsal holds nothing back
  const standing = given?.mode === 'dry-run' ? undefined : given;
  const byOf = (name: string): string | undefined =>
    standing && namedBy(standing, { source: 'host', name }, personality);
  const asked = (Object.keys(questions) as (keyof typeof questions)[]).map((id) => ({
    ...{ id, decision: 'ask' as const, reason: questions[id] },
    tools: namesAskedAs(id).filter((name) => offered.includes(name)),
  }));
  const left = asked
    .map((rule) => ({ ...rule, tools: rule.tools.filter((name) => byOf(name) === undefined) }))
    .filter(({ tools }) => tools.length > 0);
  const lifted = asked.flatMap(({ tools }) =>
    tools.flatMap((tool) => {
      const by = byOf(tool);
      return by === undefined ? [] : [{ tool, by }];
    }),
  );
  return { policy: left.length === 0 ? undefined : { rules: left }, lifted };
}
