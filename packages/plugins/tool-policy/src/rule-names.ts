/** How verdicts name rules, and an ask the wording that it means: made and taken apart here alone. */
import { hash } from 'node:crypto';
import type { Rule } from './policy.js';

/** Another one as soon as the rule says anything else. */
export const versionOf = (rule: Rule): string => hash('sha256', JSON.stringify(rule)).slice(0, 12);

/** What an ask names: `env@3f2a91c0d1e2`. A grant, or an answer, to one wording is none to another. */
export const asAsked = ({ rule, version }: { readonly rule: string; readonly version: string }): string =>
  `${rule}@${version}`;

/** The rule that an ask names, without the version that tells one wording of it from another: `env` of `env@3f2a91c0d1e2`. */
export const ruleName = (rule: string): string =>
  rule.replace(/@(?:[0-9a-f]{12}\??|unlisted)(?:\+(?:[0-9a-f]{12}\??|unlisted))*$/, '');

/** Each rule that a verdict or an ask names. */
export const rulesIn = (rule: string): readonly string[] => ruleName(rule).split(', ');
