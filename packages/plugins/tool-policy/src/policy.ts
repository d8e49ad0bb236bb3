/** The shape of a policy, and the reading of one: every fault is refused with its place and the mend. */
import { givenInline, ownFields, Setting, type Locate } from '@treblehook/types';
import { readPointer } from './pointer.js';
import type { Predicate } from './predicate.js';

/** Rules in no order: the strictest of those that match wins. */
export interface Policy {
  readonly rules: readonly Rule[];
}

export interface Rule {
  /** Names the rule in denials; without one it is `#<position>`, counted from 1. */
  readonly id?: string;
  /** Name globs: of a tool's name, or of its source and name (`mcp:files/read`, `plugin:acme/*`). */
  readonly tools: string | readonly string[];
  /** JSON pointer (RFC 6901) into the sealed arguments → predicate. All of them must hold; without one, each call matches. */
  readonly when?: Readonly<Record<string, Predicate>>;
  /** There is no allow: what no rule names is left to the other guards. */
  readonly decision: 'deny' | 'ask';
  /** Told to the model (`deny`) or asked of a person (`ask`). */
  readonly reason: string;
  /** `deny` only: the run ends after this call's result. */
  readonly halt?: true;
}

const ruleKeys = ['id', 'tools', 'when', 'decision', 'reason', 'halt'] as const;
/** What a personality has and a policy has not. */
const personal: ReadonlySet<string> = new Set(['id', 'system', 'model', 'plugins', 'tools', 'budgets']);
const tests = ['equals', 'in', 'glob'] as const;

/**
 * Reads a policy from plain data, as a file or a program gives it, into a frozen copy. Throws `TH_CONFIG_INVALID` with
 * the place, the fault and the mend.
 */
export function parsePolicy(value: unknown, at: Locate = givenInline('policy')): Policy {
  const policy = new Setting(value, at);
  if (value === null || Array.isArray(value)) policy.refuse("these are no rules yet: put 'rules:' above the list");
  const entries = policy.entries();
  if (!entries.some(([key]) => key === 'rules' || key === 'decision')) {
    const mine = entries.find(([key]) => personal.has(key));
    mine?.[1].refuse('this looks like a personality: give it as the personality, not as the policy', 'key');
  }
  const { rules } = policy.fields(['rules']);
  if (rules === undefined) return policy.lacks('rules', 'write a list of { tools, when?, decision, reason }');
  const taken = new Set<string>();
  return Object.freeze({ rules: Object.freeze(rules.items().map((rule) => readRule(rule, taken))) });
}

function readRule(rule: Setting, taken: Set<string>): Rule {
  const fields = rule.fields(ruleKeys);
  if (fields.tools === undefined) return rule.lacks('tools', "name a tool or a glob, such as 'delete_*'");
  if (fields.decision === undefined) return rule.lacks('decision', "write 'deny' or 'ask'");
  if (fields.reason === undefined) return rule.lacks('reason', 'say why, for the model and for people');
  const decision = readDecision(fields.decision);
  const id = fields.id && readId(fields.id, taken);
  if (fields.halt !== undefined) {
    const { value } = fields.halt;
    if (value !== true) {
      const given = typeof value === 'string' ? `is the text ${JSON.stringify(value)}` : 'is not true';
      fields.halt.refuse(`'halt' ${given}: write true, or leave it out`);
    }
    if (decision !== 'deny') fields.halt.refuse("only a 'deny' can halt the run: leave 'halt' out", 'key');
  }
  return Object.freeze(
    ownFields({
      ...(id !== undefined && { id }),
      tools: Object.freeze(fields.tools.texts().map((glob) => glob.text())),
      ...(fields.when && { when: readWhen(fields.when) }),
      decision,
      reason: fields.reason.text(),
      ...(fields.halt && { halt: true as const }),
    }),
  );
}

function readDecision(field: Setting): 'deny' | 'ask' {
  const { value } = field;
  if (value === 'deny' || value === 'ask') return value;
  if (value === 'allow') {
    return field.refuse("there is no 'allow': a policy can only deny or ask; leave the rule out, and nothing is said");
  }
  return field.refuse(`'decision' is ${typeof value === 'string' ? `'${value}'` : 'no text'}: write 'deny' or 'ask'`);
}

function readId(field: Setting, taken: Set<string>): string {
  const id = field.text();
  if (!/^[a-z][a-z0-9-]*$/.test(id)) field.refuse(`'${id}' is no rule id: use a-z, 0-9 and '-', a letter first`);
  if (taken.has(id)) field.refuse(`two rules have the id '${id}': rename one`);
  taken.add(id);
  return id;
}

function readWhen(when: Setting): Readonly<Record<string, Predicate>> {
  const entries = when.entries();
  if (entries.length === 0) when.refuse("'when' is empty: leave it out to match each call");
  return Object.freeze(
    Object.fromEntries(
      entries.map(([text, test]) => {
        const pointer = readPointer(text);
        if (typeof pointer === 'string') test.refuse(`'${text}' is no JSON pointer: ${pointer}`, 'key');
        return [text, readPredicate(test)];
      }),
    ),
  );
}

function readPredicate(test: Setting): Predicate {
  if (typeof test.value === 'string') {
    test.refuse(`${test.name} is a text: write { glob: ${JSON.stringify(test.value)} }, or { equals: … }`);
  }
  const fields = test.fields(tests);
  const [which, ...more] = tests.filter((key) => fields[key] !== undefined);
  if (which === undefined || more.length > 0) {
    return test.refuse(`${test.name} needs exactly one of { equals: … }, { in: [ … ] }, { glob: … }`);
  }
  const field = fields[which]!;
  if (which === 'equals') return Object.freeze(ownFields({ equals: field.json() }));
  if (which === 'glob') return Object.freeze(ownFields({ glob: field.text() }));
  const values = field.items().map((item) => item.json());
  if (values.length === 0) field.refuse(`${field.name} is an empty list, which nothing is in: list the values`);
  return Object.freeze(ownFields({ in: Object.freeze(values) }));
}
