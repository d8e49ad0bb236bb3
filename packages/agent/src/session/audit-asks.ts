/** What a request has asked and an answer has said, read from a log that is audited. */
import {
  approvalOf,
  ownFields,
  type ApprovalAsk,
  type AskRecord,
  type Grant,
  type JsonValue,
  type LoggedSeal,
} from '@treblehook/types';
import { isNameless } from '../calls/grants.js';
import { seal } from '../door/seal.js';
import type { RecordOf } from './audit-calls.js';

export type Asked = RecordOf<'request'>;

export type Fields = { readonly [key: string]: JsonValue | undefined };

export const fieldsOf = (value: JsonValue | undefined): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (ownFields(value) as Fields) : {};

export const asksOf = ({ by, request }: Asked): readonly ApprovalAsk[] =>
  by === 'guards' ? (approvalOf(request)?.asks ?? []) : [];

export const isSame = (one: LoggedSeal['tool'], other: LoggedSeal['tool']): boolean =>
  one.source === other.source && one.name === other.name && one.digest === other.digest;

/** A rule stands for its question, but for that of a guard that may be another one. */
export const isShownAs = (shown: ApprovalAsk, { guard, rule, question }: AskRecord): boolean =>
  shown.guard === guard &&
  shown.rule === rule &&
  (shown.question === question || (rule !== undefined && !isNameless(guard)));

export const isFor = (grant: Grant, { guard, rule, question }: AskRecord): boolean =>
  grant.guard === guard && grant.rule === rule && (rule !== undefined || grant.question === question);

/** `undefined`: they cannot be sealed. */
export function digestOf(tool: LoggedSeal['tool'], args: JsonValue): string | undefined {
  try {
    return seal(tool, args).digest;
  } catch {
    return undefined; // swallows that it is no plain JSON: it is no call that was sealed
  }
}
