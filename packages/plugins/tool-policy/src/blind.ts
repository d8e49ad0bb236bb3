/** Keys of a rule that look at declared arguments, and tools that declare none: there the rule can never match. */
import { ownFields } from '@treblehook/types';
import type { PolicedTool } from './look.js';
import type { Rule } from './policy.js';

type Kind = 'paths' | 'hosts' | 'commands';

/** What a tool has to declare for each, some of it: a command may name paths and URLs, too. */
const sources: Readonly<Record<Kind, readonly ('paths' | 'urls' | 'commands')[]>> = Object.freeze({
  paths: ['paths', 'commands'],
  hosts: ['urls', 'commands'],
  commands: ['commands'],
});

/** The keys of a rule by which it can match no call of the tool. */
export function blindKeys(rule: Rule, tool: PolicedTool): readonly Kind[] {
  const fields = ownFields(rule);
  return (Object.keys(sources) as Kind[]).filter((key) => fields[key] !== undefined && isBlind(key, tool));
}

/** Why a key of a rule holds for no call of the tool; `undefined` where it may. */
export const whyBlind = (key: string, tool: PolicedTool): string | undefined =>
  Object.hasOwn(sources, key) && isBlind(key as Kind, tool)
    ? `the tool declares no argument as ${sources[key as Kind].join(' or ')}: look at it by 'when'`
    : undefined;

/** Another one for each set of kinds of arguments that a tool declares: by nothing else do two tools of one name differ here. */
export const declaredKinds = (tool: PolicedTool): string =>
  (['paths', 'urls', 'commands'] as const).filter((name) => declares(tool, name)).join();

const declares = (tool: PolicedTool, name: 'paths' | 'urls' | 'commands'): boolean =>
  Object.hasOwn(tool, name) && (tool[name]?.length ?? 0) > 0;

const isBlind = (key: Kind, tool: PolicedTool): boolean => !sources[key].some((name) => declares(tool, name));
