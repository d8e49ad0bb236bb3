/** Who has said yes to what, as a log tells it so far: requests, answers and grants of the session. */
import { closeClass } from '@treblehook/core';
import {
  approvalOf,
  type Answer,
  type AskRecord,
  type Grant,
  type LoggedSeal,
  type SessionRecord,
} from '@treblehook/types';
import { approvalFault } from '../calls/answer-given.js';
import { approvalPrompt } from '../calls/ask.js';
import { asksOf, digestOf, fieldsOf, isFor, isSame, isShownAs, type Asked, type Fields } from './audit-asks.js';
import type { AuditedAnswer, AuditedAsk, AuditedCall, AuditedEdit, AuditProblem } from './audit-contract.js';

type RecordOf<T extends SessionRecord['type']> = Extract<SessionRecord, { readonly type: T }>;
export type { Asked } from './audit-asks.js';

/** Of which attempt of a call: what was said to one holds for no other. */
export interface OfAttempt {
  readonly callId: string;
  readonly attempt: number;
}

/** A place in the log. */
export interface Place {
  readonly seq: number;
  readonly at: number;
}

interface Put extends OfAttempt {
  readonly record: Asked;
  /** What is wrong with it: a yes to it is worth nothing. */
  readonly fault: string | undefined;
  /** What the schema made of the arguments that its answer has given. */
  edited?: LoggedSeal;
}

export class Consents {
  readonly #put = new Map<string, Put>();
  readonly #answers = new Map<string, { readonly answer: Answer; readonly at: number }>();
  readonly #grants = new Map<string, Grant>();
  /** What was granted: each once by its answer. */
  readonly #given = new Set<string>();
  /** Where each was revoked. */
  readonly #revoked = new Map<string, number>();

  asked(record: Asked, attempt: number): void {
    const { callId, by, request } = record;
    const before = this.#put.get(request.id)?.record;
    const isChilds = by === 'tool' && before?.by === 'tool'; // of a child that waits: its task puts it once more
    const fault = before === undefined || isChilds ? this.#askFault(record) : `'${request.id}' was put before`;
    if (isChilds) this.#answers.delete(request.id);
    this.#put.set(request.id, { record, callId, attempt, fault });
  }

  /** Whoever answers goes by what the request shows. */
  #askFault({ by, request, sealed }: Asked): string | undefined {
    if (by === 'tool' || by === 'stage') return undefined;
    const shown = approvalOf(request);
    if (shown === undefined || shown.asks.length === 0) return `'${request.id}' shows no call, or no question`;
    const isIts = shown.digest === sealed.digest && digestOf(shown.tool, shown.args) === sealed.digest;
    if (!isIts) return `'${request.id}' shows another call`;
    return request.prompt === approvalPrompt(shown.tool, shown.asks)
      ? undefined
      : `'${request.id}' asks something else`;
  }

  /** Says what is wrong with it: it comes behind its request, and the first one stands. */
  answered(answer: Answer, at: number): Pick<AuditProblem, 'code' | 'what'> | undefined {
    const { id } = answer;
    if (!this.#put.has(id))
      return { code: 'not-granted', what: `'${id}' is answered, and the log has not asked it yet` };
    if (this.#answers.has(id)) return { code: 'twice', what: `'${id}' was answered before` };
    this.#answers.set(id, { answer, at });
    return undefined;
  }

  /** Says what is wrong with it. */
  edited({ callId, request, given, sealed }: RecordOf<'edited'>): string | undefined {
    const put = this.#put.get(request);
    const { args } = this.#saidBy(request);
    if (put?.callId !== callId || args === undefined || !isSame(put.record.sealed.tool, sealed.tool)) {
      return `no answer to '${request}' has given arguments`;
    }
    put.edited = sealed;
    return digestOf(sealed.tool, args) === given ? undefined : `the answer to '${request}' has given other arguments`;
  }

  /** Says what is wrong with it: it is worth what its answer has said. */
  granted(grant: Grant): string | undefined {
    const { id, request, tool, guard, rule, question, digest, until } = grant;
    const key = JSON.stringify([request, guard, rule, question]);
    if (this.#given.has(key) || this.#grants.has(id))
      return `the answer to '${request}' had given a grant of that before`;
    this.#given.add(key);
    this.#grants.set(id, grant);
    const put = this.#put.get(request);
    const why = put === undefined ? `the log has no request '${request}'` : this.noYes(put.record);
    if (why !== undefined) return why;
    const { remember } = this.#saidBy(request);
    const { for: scope, args, until: last } = fieldsOf(remember);
    const isShown = asksOf(put!.record).some(
      (ask) => ask.guard === guard && ask.rule === rule && (rule !== undefined || ask.question === question),
    );
    const isGiven =
      scope === 'session' &&
      isShown &&
      isSame(put!.record.sealed.tool, tool) &&
      digest === (args === 'any' ? undefined : this.approved(put!.record)) &&
      until === (typeof last === 'number' ? last : undefined);
    return isGiven ? undefined : `the answer to '${request}' has not given the grant '${id}'`;
  }

  /** The call that a request is about. */
  callOf(requestId: string): string | undefined {
    return this.#put.get(requestId)?.callId;
  }

  /** Says what is wrong with it. */
  revoked(grantId: string, seq: number): string | undefined {
    if (!this.#revoked.has(grantId)) this.#revoked.set(grantId, seq);
    return this.#grants.has(grantId) ? undefined : `'${grantId}' is revoked, and the log has no such grant`;
  }

  /** Why a request keeps its call from going on; a body reads a no as it likes. */
  noYes({ by, request }: Asked): string | undefined {
    const fault = this.#put.get(request.id)?.fault;
    if (by === 'tool' || fault !== undefined) return fault;
    const answered = this.#answers.get(request.id);
    if (answered === undefined) return `the log has no answer to '${request.id}'`;
    if (!answered.answer.ok) return `'${request.id}' was answered with no`;
    if (answered.at > (request.expiresAt ?? Infinity)) return `'${request.id}' had expired when it was answered`;
    const unread = by === 'guards' ? approvalFault(answered.answer) : undefined;
    return unread && `the answer to '${request.id}' ${unread}`;
  }

  /** The digest of the call behind a request: with other arguments when its answer has given such. */
  approved({ request, by, sealed }: Asked): string | undefined {
    const { args } = by === 'guards' ? this.#saidBy(request.id) : {};
    if (args === undefined) return sealed.digest;
    return this.#put.get(request.id)?.edited?.digest ?? digestOf(sealed.tool, args);
  }

  /** Why a question is not settled for a call; `undefined` when it is, unless that was taken back. */
  fault(ask: AskRecord, of: OfAttempt, sealed: LoggedSeal): string | undefined {
    const { granted } = ask;
    if (granted === undefined) return 'nobody has granted it';
    if ('grant' in granted) {
      const grant = this.#grants.get(granted.grant);
      if (grant === undefined) return `the log has no grant '${granted.grant}'`;
      if (!isFor(grant, ask)) return `the grant '${grant.id}' is for another question`;
      if (!isSame(grant.tool, sealed.tool)) return `the grant '${grant.id}' is for another tool`;
      if (grant.digest !== undefined && grant.digest !== sealed.digest) {
        return `the grant '${grant.id}' is for other arguments`;
      }
      return undefined;
    }
    const put = this.#put.get(granted.request);
    if (put === undefined) return `the log has no request '${granted.request}'`;
    const { callId, attempt, record } = put;
    if (callId !== of.callId || attempt !== of.attempt) return `'${granted.request}' was asked about another call`;
    if (!asksOf(record).some((shown) => isShownAs(shown, ask))) return `'${granted.request}' has not shown it`;
    const why = this.noYes(record);
    if (why !== undefined) return why;
    if (this.approved(record) !== sealed.digest) return `'${granted.request}' was answered for other arguments`;
    return undefined;
  }

  /** The grant by which a question was settled, or that its answer gave beside, when it was over or taken back. */
  gone({ guard, rule, question, granted }: AskRecord, { seq, at }: Place): string | undefined {
    if (granted === undefined) return undefined;
    for (const grant of this.#grants.values()) {
      const isIts = 'grant' in granted ? grant.id === granted.grant : grant.request === granted.request;
      if (!isIts || !isFor(grant, { guard, question, ...(rule !== undefined && { rule }) })) continue;
      if ((this.#revoked.get(grant.id) ?? Infinity) < seq) return `the grant '${grant.id}' had been revoked`;
      if ((grant.until ?? Infinity) <= at) return `the grant '${grant.id}' was over`;
    }
    return undefined;
  }

  #saidBy(requestId: string): Fields {
    return fieldsOf(this.#answers.get(requestId)?.answer.data);
  }

  /** What has answered a request. */
  answerTo(requestId: string): AuditedAnswer | undefined {
    const answered = this.#answers.get(requestId);
    if (answered === undefined) return undefined;
    const { ok, reason } = answered.answer;
    return { request: requestId, ok, at: answered.at, ...(reason !== undefined && { reason }) };
  }

  /** What was put to whoever answers about a call, and the arguments that answers have changed. */
  told(requests: readonly Asked[]): Pick<AuditedCall, 'requests' | 'edits'> {
    return {
      requests: requests.map(({ by, request }) => ({
        id: request.id,
        by,
        prompt: request.prompt,
        asks: by === 'guards' ? (approvalOf(request)?.asks ?? []) : [],
        answer: this.answerTo(request.id),
      })),
      edits: requests.flatMap((asked) => this.#editOf(asked) ?? []),
    };
  }

  #editOf({ by, request, sealed }: Asked): AuditedEdit | undefined {
    if (by !== 'guards' || this.#answers.get(request.id)?.answer.ok !== true) return undefined;
    const { args } = this.#saidBy(request.id);
    return args === undefined
      ? undefined
      : { request: request.id, shown: sealed.args, args, sealed: this.#put.get(request.id)?.edited?.args ?? args };
  }

  /** The questions with what has settled each. */
  shown(asks: readonly AskRecord[]): readonly AuditedAsk[] {
    return asks.map((ask) => {
      const { granted } = ask;
      if (granted === undefined) return ask;
      if ('grant' in granted) {
        const grant = this.#grants.get(granted.grant);
        return grant === undefined ? ask : { ...ask, grant: { id: grant.id, request: grant.request } };
      }
      const answer = this.answerTo(granted.request);
      return answer === undefined ? ask : { ...ask, answer };
    });
  }
}
closeClass(Consents);
