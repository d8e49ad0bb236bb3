/** Reads a policy from plain data: every fault is refused with its place and the mend. */
import { givenInline, ownFields, Setting, type Locate } from '@treblehook/types';
import { readCommandTest, readHostTest, readPathTest, readPredicate, readTexts } from './parse-predicate.js';
import { readPointer } from './pointer.js';
import type { Policy, Rule, Unlisted } from './policy.js';
import type { Predicate } from './predicate.js';

const policyKeys = ['$schema', 'rules', 'unlisted', 'unknown', 'mode'] as const;
const ruleKeys = [
  'id',
  'tools',
  'personalities',
  'when',
  'paths',
  'hosts',
  'commands',
  'annotations',
  'decision',
  'reason',
  'halt',
] as const;
/** What a personality has and a policy has not. */
const personal: ReadonlySet<string> = new Set(['id', 'system', 'model', 'plugins', 'tools', 'budgets']);
/** The label of what no rule names. */
export const unlistedLabel = 'unlisted';

/**
 * Reads a policy from plain data, as a file or a program gives it, into a frozen copy. Throws `TH_CONFIG_INVALID` with
 * the place, the fault and the mend.
 */
export function parsePolicy(value: unknown, at: Locate = givenInline('policy')): Policy {
  const policy = new Setting(value, at);
  if (value === null || Array.isArray(value)) policy.refuse("these are no rules yet: put 'rules:' above the list");
  const entries = policy.entries();
  if (!entries.some(([key]) => policyKeys.includes(key as never) || key === 'decision')) {
    const mine = entries.find(([key]) => personal.has(key));
    mine?.[1].refuse('this looks like a personality: give it as the personality, not as the policy', 'key');
  }
  const { rules, unlisted, unknown, mode } = policy.fields(policyKeys);
  if (rules === undefined && unlisted === undefined) {
    return policy.lacks('rules', 'write a list of { tools, decision, reason, … }');
  }
  const taken = new Set<string>();
  return Object.freeze(
    ownFields({
      rules: Object.freeze((rules?.items() ?? []).map((rule) => readRule(rule, taken))),
      ...(unlisted && { unlisted: readUnlisted(unlisted) }),
      ...(unknown && {
        unknown: readDecision(unknown, "what cannot be told is never passed over: write 'deny' or 'ask'"),
      }),
      ...(mode && { mode: readWord(mode, ['enforce', 'dry-run']) }),
    }),
  );
}

function readRule(rule: Setting, taken: Set<string>): Rule {
  const fields = rule.fields(ruleKeys);
  if (fields.tools === undefined) return rule.lacks('tools', "name a tool or a glob, such as 'delete_*'");
  if (fields.decision === undefined) return rule.lacks('decision', "write 'deny' or 'ask'");
  if (fields.reason === undefined) return rule.lacks('reason', 'say why, for the model and for people');
  const decision = readDecision(
    fields.decision,
    "there is no 'allow': a policy can only deny or ask; leave the rule out, and nothing is said",
  );
  const id = fields.id && readId(fields.id, taken);
  if (fields.halt !== undefined) readHalt(fields.halt, decision);
  return Object.freeze(
    ownFields({
      ...(id !== undefined && { id }),
      tools: readTexts(fields.tools),
      ...(fields.personalities && { personalities: readTexts(fields.personalities) }),
      ...(fields.when && { when: readWhen(fields.when) }),
      ...(fields.paths && { paths: readPathTest(fields.paths) }),
      ...(fields.hosts && { hosts: readHostTest(fields.hosts) }),
      ...(fields.commands && { commands: readCommandTest(fields.commands) }),
      ...(fields.annotations && { annotations: readAnnotations(fields.annotations) }),
      decision,
      reason: fields.reason.text(),
      ...(fields.halt && { halt: true as const }),
    }),
  );
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

function readHalt(field: Setting, decision: Rule['decision']): void {
  const { value } = field;
  if (value !== true) {
    const given = typeof value === 'string' ? `is the text ${JSON.stringify(value)}` : 'is not true';
    field.refuse(`'halt' ${given}: write true, or leave it out`);
  }
  if (decision !== 'deny') field.refuse("only a 'deny' can halt the run: leave 'halt' out", 'key');
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
