// The types of approvals: both are plain JSON, and a request is narrowed by a function.
import {
  approvalOf,
  type Answer,
  type ApprovalAnswer,
  type ApprovalData,
  type JsonValue,
  type Request,
} from '../src/index.js';

declare const request: Request;
// @ts-expect-error -- it may be the question of a tool
void approvalOf(request).args;
const approval = approvalOf(request);
export const guards: readonly string[] = approval?.asks.map(({ guard }) => guard) ?? [];
export const digest: string | undefined = approval?.tool.digest;

declare const data: ApprovalData;
export const json: JsonValue = data;
const yes: ApprovalAnswer = { args: { euros: 11 }, remember: { for: 'session', args: 'any', until: 0 } };
export const answer: Answer = { id: request.id, ok: true, data: yes };
// @ts-expect-error -- there is nothing else to remember it for
export const longer: ApprovalAnswer = { remember: { for: 'ever' } };
