/** The verdict record, and reading a guard's answer. */
import type { Ask, GuardVerdict, HandlerRef, VerdictRecord } from '@treblehook/types';
import { ownKeys, ownValue, readKeys } from './answer.js';
import { mark, NotPlain } from './frozen.js';
import type { Keys } from './key.js';
import type { Registration } from './registration.js';

/**
 * Its prototype inherits from nothing: a `then` put on `Object.prototype` cannot make a promise adopt something else in
 * the record's place.
 */
export class Verdicts implements VerdictRecord {
  declare readonly handled: boolean;
  declare readonly decision: 'clear' | 'deny' | 'ask';
  declare readonly reason?: string;
  declare readonly by?: HandlerRef;
  declare readonly rule?: string;
  declare readonly halt?: true;
  declare readonly asks: readonly Ask[];
  declare readonly verdicts: readonly GuardVerdict[];
  declare readonly generation: number;
  declare readonly ms: number;

  constructor(
    decision: 'clear' | 'deny' | 'ask',
    verdicts: readonly GuardVerdict[],
    asks: readonly Ask[],
    generation: number,
    ms: number,
    denial?: Denial,
  ) {
    this.handled = decision !== 'clear';
    this.decision = decision;
    if (denial !== undefined) {
      this.reason = denial.reason;
      this.by = denial.by;
      if (denial.rule !== undefined) this.rule = denial.rule;
      if (denial.halt) this.halt = true;
    }
    this.asks = asks;
    this.verdicts = verdicts;
    this.generation = generation;
    this.ms = ms;
    Object.freeze(this);
  }
}
Object.setPrototypeOf(Verdicts.prototype, null);
Object.freeze(Verdicts.prototype);

/** Every field its own: one that is not set is not looked for on `Object.prototype`. */
export interface Denial {
  readonly reason: string;
  readonly by: HandlerRef;
  readonly rule: string | undefined;
  readonly halt: true | undefined;
}

/** Either is its own. */
export type Opinion =
  | { readonly deny: Denial; readonly ask: undefined }
  | { readonly deny: undefined; readonly ask: Ask }
  | undefined;

const ownKinds: ReadonlySet<string> = new Set(['deny', 'ask', 'rule', 'halt']);
const isOwnKind = (key: string): boolean => ownKinds.has(key);
const absent = Symbol('absent');
const isSet = (value: unknown): boolean => value !== absent && value !== undefined && value !== null;

/**
 * A guard's opinion; `undefined` is a pass. Throws `NotPlain` for anything else, which is a denial: a `deny` or `ask`
 * that is no string, `undefined` and `null` included, was meant as something.
 */
export function readOpinion(answer: unknown, registration: Registration, detail: Keys): Opinion {
  if (answer === undefined || answer === null) return undefined;
  const keys = ownKeys(answer);
  if (keys.length === 0) return undefined;
  if (keys.length === 1 && keys[0] === 'handled' && ownValue(answer, 'handled') === false) return undefined;
  for (const key of keys) {
    if (!isOwnKind(key) && !detail.has(key)) throw new NotPlain(`a guard says deny or ask, not '${key}'`);
  }
  const own = (key: string): unknown => (keys.includes(key) ? ownValue(answer, key) : absent);
  const deny = own('deny');
  const ask = own('ask');
  const rule = own('rule');
  const halt = own('halt');
  if (deny !== absent && typeof deny !== 'string') throw new NotPlain("the reason in 'deny' must be a string");
  if (ask !== absent && typeof ask !== 'string') throw new NotPlain("the question in 'ask' must be a string");
  if (isSet(rule) && typeof rule !== 'string') throw new NotPlain("'rule' must be a string");
  if (isSet(halt) && (halt !== true || deny === absent)) throw new NotPlain("'halt' is true and goes with 'deny'");
  const by = registration.ref;
  const named = isSet(rule) ? (rule as string) : undefined;
  if (typeof deny === 'string') {
    return { deny: { reason: deny, by, rule: named, halt: halt === true ? halt : undefined }, ask: undefined };
  }
  if (typeof ask !== 'string') throw new NotPlain('a guard says deny or ask, or nothing');
  const question = { ...readKeys(answer, detail, isOwnKind), by, ask, ...(named === undefined ? {} : { rule: named }) };
  return { deny: undefined, ask: mark(question) };
}
