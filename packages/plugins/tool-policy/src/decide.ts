/** A policy compiled once into a function of the sealed call. Pure: no clock, no state that a decision depends on. */
import { matchName, ownFields, type JsonValue, type ToolIdentity } from '@treblehook/types';
import { parsePolicy, type Policy, type Rule } from './policy.js';
import { readPointer, valueAt, type Pointer } from './pointer.js';
import { holds, testOf, type Test } from './predicate.js';

/** What a guard looks at. */
export interface PolicedCall {
  readonly tool: Pick<ToolIdentity, 'source' | 'name'>;
  readonly args: JsonValue;
}
export type PolicyVerdict =
  | { readonly deny: string; readonly rule: string; readonly halt?: true }
  | { readonly ask: string; readonly rule: string };

/** A rule with each field of its own: a decision reads nothing that could be inherited. */
interface Compiled {
  readonly label: string;
  readonly globs: readonly string[];
  readonly tests: readonly { readonly pointer: Pointer; readonly test: Test }[];
  readonly decision: Rule['decision'];
  readonly reason: string;
  readonly halt: boolean;
}

/** How a rule is called in denials: its id, else its position, counted from 1. */
export const labelOf = (rule: Rule, at: number): string => ownFields(rule).id ?? `#${at + 1}`;

/** True when a glob names a tool: by its name, or by its source and name. */
export function namesTool(glob: string, tool: Pick<ToolIdentity, 'source' | 'name'>): boolean {
  return matchName(glob, tool.name) || matchName(glob, `${tool.source}/${tool.name}`);
}

/** Reads a policy into a copy and compiles that. Throws `TH_CONFIG_INVALID`. */
export function compilePolicy(policy: Policy): (call: PolicedCall) => PolicyVerdict | undefined {
  const rules = parsePolicy(policy).rules.map(compileRule);
  // One entry for each registered tool, so it stays as small as the set of tools.
  const bySource = new Map<string, Map<string, readonly Compiled[]>>();

  const rulesFor = (tool: PolicedCall['tool']): readonly Compiled[] => {
    let byName = bySource.get(tool.source);
    if (byName === undefined) bySource.set(tool.source, (byName = new Map()));
    let found = byName.get(tool.name);
    if (found === undefined) {
      found = rules.filter(({ globs }) => globs.some((glob) => namesTool(glob, tool)));
      byName.set(tool.name, found);
    }
    return found;
  };

  return ({ tool, args }) => {
    const matched = rulesFor(tool).filter(({ tests }) =>
      tests.every(({ pointer, test }) => holds(test, valueAt(args, pointer))),
    );
    return matched.length === 0 ? undefined : verdictOf(matched);
  };
}

function compileRule(given: Rule, at: number): Compiled {
  const { tools, when, decision, reason, halt } = ownFields(given);
  return Object.freeze({
    label: labelOf(given, at),
    globs: typeof tools === 'string' ? [tools] : tools,
    tests: (when === undefined ? [] : Object.entries(when)).map(([text, predicate]) => ({
      pointer: readPointer(text) as Pointer,
      test: testOf(predicate),
    })),
    decision,
    reason,
    halt: halt === true,
  });
}

/** The strictest wins, whatever the position; every rule that matched is named. */
function verdictOf(matched: readonly Compiled[]): PolicyVerdict {
  const denials = matched.filter(({ decision }) => decision === 'deny');
  const asks = matched.filter(({ decision }) => decision === 'ask');
  if (denials.length === 0) return { ask: told(asks), rule: labels(asks) };
  const also = asks.length === 0 ? '' : `; ${labels(asks)} would have asked`;
  // Who shows a denial shows its `rule` beside it; of a question only the text is shown.
  const verdict = { deny: denials.map(({ reason }) => reason).join('; ') + also, rule: labels(denials) };
  return denials.some(({ halt }) => halt) ? { ...verdict, halt: true } : verdict;
}

const labels = (rules: readonly Compiled[]): string => rules.map(({ label }) => label).join(', ');
const told = (rules: readonly Compiled[]): string =>
  rules.map(({ reason, label }) => `${reason} (policy rule ${label})`).join('; ');
