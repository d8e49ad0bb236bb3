/** A policy compiled once into a function of the sealed call. It reads no clock and keeps no state that a decision depends on. */
import { declaredKinds, whyBlind } from './blind.js';
import { fullName } from './compile-rule.js';
import { compileLayer, relevantTo, type PolicyLayer, type Relevant } from './layer.js';
import { Look, type PolicedCall } from './look.js';
import type { Policy } from './policy.js';
import { everyOf, isUnknown } from './truth.js';
import { policyWorld, type PolicyWorldOptions } from './world.js';

export type PolicyVerdict =
  | { readonly deny: string; readonly rule: string; readonly halt?: true }
  | {
      readonly ask: string;
      readonly rule: string;
      /** Another one as soon as the rules that ask say anything else: a grant of one is none of the other. */
      readonly version: string;
    };

/** What a rule says of a call, test by test. */
export interface RuleReport {
  readonly rule: string;
  readonly decision: 'deny' | 'ask';
  readonly reason: string;
  /** In the order in which they are written. */
  readonly tests: readonly {
    readonly on: string;
    /** True also where it is not known. */
    readonly holds: boolean;
    /** Why it cannot be told. */
    readonly unknown?: string;
    /** Why it holds for no call of this tool. */
    readonly never?: string;
  }[];
  readonly matches: boolean;
  /** Why it cannot be told whether the rule matches: then it counts as matching, by the policy's `unknown`. */
  readonly unknown?: string;
  readonly dryRun?: true;
}

export interface PolicyReport {
  readonly verdict: PolicyVerdict | undefined;
  /** What the layers in `dry-run` would have said. */
  readonly dryRun: PolicyVerdict | undefined;
  /** Each rule that names the tool for this personality. */
  readonly rules: readonly RuleReport[];
}

export interface CompiledPolicy {
  readonly decide: (call: PolicedCall) => PolicyVerdict | undefined;
  /** What the layers in `dry-run` would have said; `undefined` when there is none. */
  readonly dryRun: ((call: PolicedCall) => PolicyVerdict | undefined) | undefined;
  /** The same decision, with every rule that is about the tool. */
  readonly explain: (call: PolicedCall) => PolicyReport;
}

/** Reads a policy, or layers of it, into a copy and compiles that. Throws `TH_CONFIG_INVALID`. */
export function compilePolicy(given: Policy | readonly PolicyLayer[], options?: PolicyWorldOptions): CompiledPolicy {
  const world = policyWorld(options);
  const written = (isLayers(given) ? given : [{ policy: given }]).map((layer, at) =>
    compileLayer(layer, at === 0, world),
  );
  // An operator's policy that is rehearsed holds nothing back, and takes nothing away that holds without one.
  const layers = written[0]?.dryRun === true ? [...written, compileLayer(noPolicy, true, world)] : written;
  // One entry for each registered tool, what it declares, and personality, so it stays as small as their set.
  const known = new Map<string, readonly Relevant[]>();
  const relevant = (call: PolicedCall): readonly Relevant[] => {
    const { tool, personality = '\0', above = [] } = call;
    const key = [tool.source, tool.name, declaredKinds(tool), personality, ...above].join('\0');
    let found = known.get(key);
    if (found === undefined) {
      found = layers.map((layer) => relevantTo(layer, call));
      known.set(key, found);
    }
    return found;
  };
  const judge = (call: PolicedCall, dryRun: boolean): PolicyVerdict | undefined => {
    const look = new Look(call, world);
    const findings = relevant(call).flatMap((one) => (one.layer.dryRun === dryRun ? findingsOf(one, look) : []));
    return findings.length === 0 ? undefined : verdictOf(findings);
  };
  return Object.freeze({
    decide: (call: PolicedCall) => judge(call, false),
    dryRun: layers.some(({ dryRun }) => dryRun) ? (call: PolicedCall) => judge(call, true) : undefined,
    explain: (call: PolicedCall) => {
      const look = new Look(call, world);
      return {
        verdict: judge(call, false),
        dryRun: judge(call, true),
        rules: relevant(call).flatMap((one) => reportsOf(one, look)),
      };
    },
  });
}

const noPolicy: PolicyLayer = { policy: { rules: [] } };

const isLayers = (given: Policy | readonly PolicyLayer[]): given is readonly PolicyLayer[] => Array.isArray(given);

/** What a layer has to say of a call. */
interface Finding {
  readonly label: string;
  readonly version: string;
  readonly decision: 'deny' | 'ask';
  readonly reason: string;
  readonly halt: boolean;
}

/** Built by `flatMap` alone: `push` would ask `Object.prototype` for a setter. */
function findingsOf({ layer, rules, unlisted }: Relevant, look: Look): readonly Finding[] {
  const findings = rules.flatMap((rule): Finding | readonly never[] => {
    const truth = everyOf(rule.tests, ({ holds }) => holds(look));
    if (truth === true) return rule;
    if (truth === false) return [];
    const reason = `${rule.reason} (it cannot be told whether this is such a call: ${truth})`;
    // to have agreed to what the rule asks is not to have agreed to what cannot be told
    const version = `${rule.version}?`;
    return { label: rule.label, version, decision: layer.unknown, reason, halt: false };
  });
  if (unlisted === 'silent') return findings;
  const name = fullName(look.call.tool);
  const reason = unlisted === 'deny' ? `no rule names '${name}'` : `may '${name}' run? No rule names it`;
  return [...findings, { label: layer.unlistedLabel, version: 'unlisted', decision: unlisted, reason, halt: false }];
}

/** The strictest wins, whatever the position; every rule that matched is named. */
function verdictOf(findings: readonly Finding[]): PolicyVerdict {
  const denials = findings.filter(({ decision }) => decision === 'deny');
  const asks = findings.filter(({ decision }) => decision === 'ask');
  if (denials.length === 0) {
    return { ask: told(asks), rule: labels(asks), version: asks.map(({ version }) => version).join('+') };
  }
  const also = asks.length === 0 ? '' : `; ${labels(asks)} would have asked`;
  // Who shows a denial shows its `rule` beside it; of a question only the text is shown.
  const verdict = { deny: denials.map(({ reason }) => reason).join('; ') + also, rule: labels(denials) };
  return denials.some(({ halt }) => halt) ? { ...verdict, halt: true } : verdict;
}

const labels = (findings: readonly Finding[]): string => findings.map(({ label }) => label).join(', ');
const told = (findings: readonly Finding[]): string =>
  findings.map(({ reason, label }) => `${reason} (policy rule ${label})`).join('; ');

function reportsOf({ layer, rules }: Relevant, look: Look): readonly RuleReport[] {
  return rules.map(({ label, decision, reason, tests }) => {
    const found = tests.map(({ on, holds }) => [on, holds(look)] as const);
    const truth = everyOf(found, ([, one]) => one);
    return {
      rule: label,
      decision: isUnknown(truth) ? layer.unknown : decision,
      reason,
      tests: found.map(([on, one]) => {
        const never = whyBlind(on, look.call.tool);
        return {
          on,
          holds: one !== false,
          ...(isUnknown(one) && { unknown: one }),
          ...(never !== undefined && { never }),
        };
      }),
      matches: truth !== false,
      ...(isUnknown(truth) && { unknown: truth }),
      ...(layer.dryRun && { dryRun: true as const }),
    };
  });
}
