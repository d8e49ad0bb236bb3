/** Reads a policy from plain data: every fault is refused with its place and the mend. */
import { givenInline, HookError, isHookError, ownFields, Setting, textOf, type Locate } from '@treblehook/types';
import { readCommandTest, readHostTest, readPathTest, readPredicate, readTexts } from './parse-predicate.js';
import { readPointer } from './pointer.js';
import type { PolicyParts, ReadPolicy, Rule, Unlisted } from './policy.js';
import type { Predicate } from './predicate.js';
import { keysOf, readBy, type Readers } from './readers.js';

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
  tools: readTexts,
  personalities: readTexts,
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
const ruleKeys = keysOf(ruleReaders);

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
  const fields = policy.fields(policyKeys);
  if (fields.rules === undefined && fields.unlisted === undefined) {
    return policy.lacks('rules', 'write a list of { tools, decision, reason, … }');
  }
  return Object.freeze(ownFields({ rules: noRules, ...readBy(policyReaders, fields, new Set<string>()) }));
}
const noRules: readonly Rule[] = Object.freeze([]);

/** Throws the first fault, with those of the other rules as `faults`: who mends a file wants to know them at once. */
function readRules(rules: Setting, taken: Set<string>): readonly Rule[] {
  const read = rules.items().map((rule): Rule | HookError => {
    try {
      return readRule(rule, taken);
    } catch (error) {
      if (isHookError(error)) return error;
      throw error;
    }
  });
  const faults = read.filter(isHookError);
  const [first, ...others] = faults;
  if (first === undefined) return Object.freeze(read as readonly Rule[]);
  if (others.length === 0) throw first;
  const more = `${others.length} more ${others.length === 1 ? 'rule is' : 'rules are'} refused, too`;
  const what = `${textOf(first.details['what'])} (${more})`;
  throw new HookError('TH_CONFIG_INVALID', { ...first.details, what, faults });
}

function readRule(rule: Setting, taken: Set<string>): Rule {
  const fields = rule.fields(ruleKeys);
  if (fields.tools === undefined) return rule.lacks('tools', "name a tool or a glob, such as 'delete_*'");
  if (fields.decision === undefined) return rule.lacks('decision', "write 'deny' or 'ask'");
  if (fields.reason === undefined) return rule.lacks('reason', 'say why, for the model and for people');
  const read = readBy(ruleReaders, fields, taken) as Rule;
  if (read.halt && read.decision !== 'deny')
    fields.halt!.refuse("only a 'deny' can halt the run: leave 'halt' out", 'key');
  return Object.freeze(read);
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

function readUnlisted(field: Setting): Unlisted | Readonly<Record<string, Unlisted>> {
  const words = ['deny', 'ask', 'silent'] as const;
  if (typeof field.value === 'string') return readWord(field, words);
  const entries = field.entries().map(([source, word]) => {
    if (!/^(?:host|(?:plugin|mcp)(?::[^\s]+)?)$/.test(source)) {
      word.refuse(`'${source}' is no source of tools: use host, plugin, mcp, plugin:<id> or mcp:<server>`, 'key');
    }
    return [source, readWord(word, words)] as const;
  });
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

function readAnnotations(field: Setting): Readonly<Record<string, boolean | string>> {
  const entries = field.entries();
  if (entries.length === 0)
    field.refuse(`${field.name} is empty: leave it out, or write one such as { readOnlyHint: false }`);
  return Object.freeze(
    ownFields(
      Object.fromEntries(
        entries.map(([name, hint]) => {
          const { value } = hint;
          if (typeof value !== 'boolean' && typeof value !== 'string')
            hint.refuse(`${hint.name} is neither true, false nor a text`);
          return [name, value as boolean | string] as const;
        }),
      ),
    ),
  );
}
