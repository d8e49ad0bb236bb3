/** One layer of policy: its rules, and its word on tools that they do not name. */
import { ownFields } from '@treblehook/types';
import { compileRule, labelOf, namesTool, type CompiledRule } from './compile-rule.js';
import type { PolicedCall } from './look.js';
import { isAbout, isFor } from './named-by.js';
import { parsePolicy, unlistedLabel } from './parse-policy.js';
import type { Policy, Unlisted } from './policy.js';
import type { PolicyWorld } from './world.js';

/** Layers add up: what one denies no other one lifts. The first is the operator's. */
export interface PolicyLayer {
  /** Goes before the rules of the layer in verdicts: `project:no-push`. The operator's has none. */
  readonly name?: string;
  readonly policy: Policy;
  /** Ids of the personalities whose calls it judges, and those of whom they give tasks to. Left out: each. */
  readonly personalities?: readonly string[];
}

export interface CompiledLayer {
  readonly personalities: readonly string[] | undefined;
  readonly rules: readonly CompiledRule[];
  readonly unlistedLabel: string;
  readonly unlisted: (source: string) => Unlisted;
  readonly unknown: 'deny' | 'ask';
  readonly dryRun: boolean;
}

/** The rules of a layer that are about a tool for a personality, and its word when there is none. */
export interface Relevant {
  readonly layer: CompiledLayer;
  readonly rules: readonly CompiledRule[];
  /** `silent` when a rule names the tool. */
  readonly unlisted: Unlisted;
}

/** Throws `TH_CONFIG_INVALID`. */
export function compileLayer(given: PolicyLayer, first: boolean, world: PolicyWorld): CompiledLayer {
  const { name, policy, personalities } = ownFields(given);
  const { rules, unlisted, unknown = 'deny', mode } = ownFields(parsePolicy(policy));
  const labelled = (label: string): string => (name === undefined ? label : `${name}:${label}`);
  return Object.freeze({
    personalities,
    rules: rules.map((rule, at) => compileRule(rule, labelled(labelOf(rule, at)), world)),
    unlistedLabel: labelled(unlistedLabel),
    unlisted: unlistedOf(unlisted, first),
    unknown,
    dryRun: mode === 'dry-run',
  });
}

/** Another layer than the operator's says nothing of a source that it does not name. */
function unlistedOf(given: Policy['unlisted'], first: boolean): CompiledLayer['unlisted'] {
  if (typeof given === 'string') return () => given;
  const own = ownFields(given ?? {}) as Readonly<Record<string, Unlisted | undefined>>;
  return (source) => {
    const kind = source.split(':', 1)[0]!;
    return own[source] ?? own[kind] ?? (first && kind !== 'host' ? 'ask' : 'silent');
  };
}

/** A rule for a personality is one for whom it gives tasks to, too: nobody gets round it by another one's hands. */
export function relevantTo(layer: CompiledLayer, { tool, personality, above = [] }: PolicedCall): Relevant {
  const caller = personality === undefined ? [] : [personality];
  const callers = [...above, ...caller];
  if (!isFor(layer.personalities, callers)) return { layer, rules: [], unlisted: 'silent' };
  const rules = layer.rules.filter(
    ({ globs, personalities }) => globs.some((glob) => namesTool(glob, tool)) && isFor(personalities, callers),
  );
  // A rule for every tool is about none of them: it is no sign that somebody has thought of this one. Nor is a rule that
  // can never match it.
  const listed = rules.some(
    ({ globs, personalities, mayMatch }) =>
      isFor(personalities, caller) && globs.some((glob) => isAbout(glob, tool)) && mayMatch(tool),
  );
  const isSilent = listed || !isFor(layer.personalities, caller);
  return { layer, rules, unlisted: isSilent ? 'silent' : layer.unlisted(tool.source) };
}
