/** Who has said yes to what, as a log tells it so far: answers and grants of the session. */
import { closeClass } from '@treblehook/core';
import {
  approvalOf,
  ownFields,
  type Answer,
  type AskRecord,
  type Grant,
  type JsonObject,
  type LoggedSeal,
  type SessionRecord,
} from '@treblehook/types';
import type { AuditedAnswer, AuditedAsk, AuditedCall, AuditedEdit } from './audit-contract.js';

type Asked = Extract<SessionRecord, { readonly type: 'request' }>;
type Consent = Extract<SessionRecord, { readonly type: 'request' | 'answered' | 'grant' | 'revoked' }>;

export class Consents {
  /** The call that each request is about. */
  readonly #askers = new Map<string, string>();
  readonly #answers = new Map<string, { readonly answer: Answer; readonly at: number }>();
  readonly #grants = new Map<string, Grant>();
  readonly #revoked = new Set<string>();

  read(record: Consent, at: number): void {
    if (record.type === 'request') this.#askers.set(record.request.id, record.callId);
    else if (record.type === 'answered') this.#answers.set(record.answer.id, { answer: record.answer, at });
    else if (record.type === 'grant') this.#grants.set(record.grant.id, record.grant);
    else this.#revoked.add(record.grantId);
  }

  /** Why a question is not settled for a call, by what stood when it was about to run; `undefined` when it is. */
  fault({ granted, guard, rule }: AskRecord, callId: string, sealed: LoggedSeal | undefined): string | undefined {
    if (granted === undefined) return 'nobody has granted it';
    if ('grant' in granted) {
      const grant = this.#grants.get(granted.grant);
      if (grant === undefined) return `the log has no grant '${granted.grant}'`;
      if (this.#revoked.has(grant.id)) return `the grant '${grant.id}' had been revoked`;
      if (grant.guard !== guard || grant.rule !== rule) return `the grant '${grant.id}' is for another question`;
      if (grant.tool.digest !== sealed?.tool.digest) return `the grant '${grant.id}' is for another tool`;
      if (grant.digest === undefined || grant.digest === sealed.digest) return undefined;
      return `the grant '${grant.id}' is for other arguments`;
    }
    const answered = this.#answers.get(granted.request);
    if (answered === undefined) return `the log has no answer to '${granted.request}'`;
    if (this.#askers.get(granted.request) !== callId) return `'${granted.request}' was asked about another call`;
    return answered.answer.ok ? undefined : `'${granted.request}' was answered with no`;
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
    const { ok, data } = this.#answers.get(request.id)?.answer ?? { ok: false };
    if (by !== 'guards' || !ok || typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
    const { args } = ownFields(data as JsonObject);
    return args === undefined ? undefined : { request: request.id, shown: sealed.args, args };
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
