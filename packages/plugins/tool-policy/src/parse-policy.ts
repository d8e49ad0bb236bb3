/** Reads a policy from plain data: every fault is refused with its place and the mend. */
import { givenInline, ownFields, Setting, type Locate, type ToolAnnotations } from '@treblehook/types';
import { readCommandTest, readHostTest, readNames, readPathTest, readPredicate } from './parse-predicate.js';
import { readPointer } from './pointer.js';
import type { PolicyParts, ReadPolicy, Rule, Unlisted } from './policy.js';
import type { Predicate } from './predicate.js';
import { allOf, keysOf, readMap, type Readers } from './readers.js';

/** Reads each part of a policy; one that is missing here does not compile. */
const policyReaders: Readers<PolicyParts, Set<string>> = {
  rules: readRules,
  unlisted: readUnlisted,
  unknown: (unknown) => readDecision(unknown, "what cannot be told is never passed over: write 'deny' or 'ask'"),
  mode: (mode) => readWord(mode, ['enforce', 'dry-run']),
};
const policyKeys = ['$schema', ...keysOf(policyReaders)] as const;

/** Reads each key of a rule, in the order in which refusals name them; one that is missing here does not compile. */
const ruleReaders: Readers<Rule, Set<string>> = {
  id: readId,
  tools: readNames,
  personalities: readNames,
  when: readWhen,
  paths: (paths) => readPathTest(paths),
  hosts: (hosts) => readHostTest(hosts),
  commands: (commands) => readCommandTest(commands),
  annotations: readAnnotations,
  decision: (decision) =>
    readDecision(
      decision,
      "there is no 'allow': a policy can only deny or ask; leave the rule out, and nothing is said",
    ),
  reason: (reason) => reason.text(),
  halt: readHalt,
};
/** What a rule cannot do without. */
const must = {
  tools: "name a tool or a glob, such as 'delete_*'",
  decision: "write 'deny' or 'ask'",
  reason: 'say why, for the model and for people',
};

/** Each hint that a tool may give, and no other: of a misspelt one the rule would never hold. */
const annotationReaders: Readers<ToolAnnotations, undefined> = {
  title: (title) => title.text(),
  readOnlyHint: readHint,
  destructiveHint: readHint,
  idempotentHint: readHint,
  openWorldHint: readHint,
};

/** What a personality has and a policy has not. */
const personal: ReadonlySet<string> = new Set(['id', 'system', 'model', 'plugins', 'tools', 'budgets']);
/** The label of what no rule names. */
export const unlistedLabel = 'unlisted';

/**
 * Reads a policy from plain data, as a file or a program gives it, into a frozen copy. Throws `TH_CONFIG_INVALID` with
 * the place, the fault and the mend.
 */
export function parsePolicy(value: unknown, at: Locate = givenInline('policy')): ReadPolicy {
  const policy = new Setting(value, at);
  if (value === null || value === undefined)
    policy.refuse("there is nothing in it: write 'rules:' and a list of rules below, or give no policy");
  if (Array.isArray(value)) policy.refuse("these are no rules yet: put 'rules:' above the list");
  const entries = policy.entries();
  if (!entries.some(([key]) => policyKeys.includes(key as never) || key === 'decision')) {
    const mine = entries.find(([key]) => personal.has(key));
    mine?.[1].refuse('this looks like a personality: give it as the personality, not as the policy', 'key');
  }
  const { read, fields } = readMap(policy, {
    readers: policyReaders,
    context: new Set<string>(),
    others: ['$schema'],
    must: {},
  });
  if (fields.rules === undefined && fields.unlisted === undefined) {
    return policy.lacks('rules', 'write a list of { tools, decision, reason, … }');
  }
  return Object.freeze(ownFields({ rules: noRules, ...read }));
}
const noRules: readonly Rule[] = Object.freeze([]);

function readRules(rules: Setting, taken: Set<string>): readonly Rule[] {
  return Object.freeze(allOf(rules.items().map((rule) => () => readRule(rule, taken))));
}

function readRule(rule: Setting, taken: Set<string>): Rule {
  const { read, fields } = readMap(rule, { readers: ruleReaders, context: taken, others: [], must });
  if (read.halt && read.decision !== 'deny')
    fields.halt!.refuse("only a 'deny' can halt the run: leave 'halt' out", 'key');
  return Object.freeze(read as Rule);
}

function readDecision(field: Setting, allowed: string): 'deny' | 'ask' {
  const { value } = field;
  if (value === 'deny' || value === 'ask') return value;
  if (value === 'allow' || value === 'silent') return field.refuse(allowed);
  return readWord(field, ['deny', 'ask']);
}

function readWord<W extends string>(field: Setting, words: readonly W[]): W {
  const { value } = field;
  if (words.includes(value as W)) return value as W;
  const given = typeof value === 'string' ? `'${value}'` : 'no text';
  return field.refuse(`'${field.path.at(-1)!}' is ${given}: write ${words.map((word) => `'${word}'`).join(' or ')}`);
}

function readUnlisted(field: Setting): NonNullable<PolicyParts['unlisted']> {
  const words = ['deny', 'ask', 'silent'] as const;
  if (typeof field.value === 'string') return readWord(field, words);
  const readSource = (source: string, word: Setting): readonly [string, Unlisted] => {
    if (!/^(?:host|(?:plugin|mcp)(?::[^\s]+)?)$/.test(source)) {
      word.refuse(`'${source}' is no source of tools: use host, plugin, mcp, plugin:<id> or mcp:<server>`, 'key');
    }
    return [source, readWord(word, words)];
  };
  const entries = allOf(
    field.entries().map(
      ([source, word]) =>
        () =>
          readSource(source, word),
    ),
  );
  return Object.freeze(ownFields(Object.fromEntries(entries)));
}

function readId(field: Setting, taken: Set<string>): string {
  const id = field.text();
  if (!/^[a-z][a-z0-9-]*$/.test(id)) field.refuse(`'${id}' is no rule id: use a-z, 0-9 and '-', a letter first`);
  if (id === unlistedLabel) field.refuse(`'${id}' stands for what no rule names: use another id`);
  if (taken.has(id)) field.refuse(`two rules have the id '${id}': rename one`);
  taken.add(id);
  return id;
}

function readHalt(field: Setting): true {
  const { value } = field;
  if (value === true) return value;
  const given = typeof value === 'string' ? `is the text ${JSON.stringify(value)}` : 'is not true';
  return field.refuse(`'halt' ${given}: write true, or leave it out`);
}

function readWhen(when: Setting): Readonly<Record<string, Predicate>> {
  const entries = when.entries();
  if (entries.length === 0) when.refuse("'when' is empty: leave it out to match each call");
  const read = ([text, test]: readonly [string, Setting]): readonly [string, Predicate] => {
    const pointer = readPointer(text);
    if (typeof pointer === 'string') test.refuse(`'${text}' is no JSON pointer: ${pointer}`, 'key');
    return [text, readPredicate(test)];
  };
  return Object.freeze(Object.fromEntries(allOf(entries.map((entry) => () => read(entry)))));
}

function readAnnotations(field: Setting): ToolAnnotations {
  if (field.entries().length === 0)
    field.refuse(`${field.name} is empty: leave it out, or write one such as { readOnlyHint: false }`);
  return Object.freeze(readMap(field, { readers: annotationReaders, context: undefined, others: [], must: {} }).read);
}

function readHint(hint: Setting): boolean {
  return typeof hint.value === 'boolean'
    ? hint.value
    : hint.refuse(`${hint.name} is neither true nor false: write true or false, without quotes`);
}
