/** What the command line asks about by itself: tools that do more than look into the folder, unless the policy names them. */
import { loadPolicy } from '@treblehook/host';
import { namedBy, type Policy } from '@treblehook/plugin-tool-policy';
import type { Tool } from '@treblehook/types';
import { namesAskedAs, type AskedAs } from './built-in.js';
import { kindsOf } from './kinds.js';

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
  offered: readonly Tool[],
  file: string | undefined,
  personality: string,
): Promise<AskedFirst> {
  const given = file === undefined ? undefined : await loadPolicy(file);
  // a rehearsal holds nothing back
  const standing = given?.mode === 'dry-run' ? undefined : given;
  const tools = new Map(offered.map((tool) => [tool.name, tool]));
  const byOf = (name: string): string | undefined =>
    standing && namedBy(standing, { source: 'host', name, ...kindsOf(tools.get(name)) }, personality);
  const asked = (Object.keys(questions) as (keyof typeof questions)[]).map((id) => ({
    id,
    decision: 'ask' as const,
    reason: questions[id],
    tools: namesAskedAs(id).filter((name) => tools.has(name)),
  }));
  const left = asked
    .map((rule) => ({ ...rule, tools: rule.tools.filter((name) => byOf(name) === undefined) }))
    .filter(({ tools }) => tools.length > 0)
    // a tool of a server that is called alike is another one
    .map((rule) => ({ ...rule, tools: rule.tools.map((name) => `host/${name}`) }));
  const lifted = asked.flatMap(({ tools }) =>
    tools.flatMap((tool) => {
      const by = byOf(tool);
      return by === undefined ? [] : [{ tool, by }];
    }),
  );
  return { policy: left.length === 0 ? undefined : { rules: left }, lifted };
}
