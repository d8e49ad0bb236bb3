/** `treblehook audit`: what the log of a session proves, call by call. */
import {
  auditSession,
  type AuditedAnswer,
  type AuditedAsk,
  type AuditedCall,
  type AuditedEdit,
  type AuditedRequest,
  type AuditProblem,
  type SessionAudit,
} from '@treblehook/agent';
import { ruleName } from '@treblehook/plugin-tool-policy';
import type { JsonValue, StoredRecord } from '@treblehook/types';
import { shortDigest } from '../approval-text.js';
import { visible } from '../visible.js';
import { createColors } from '../colors.js';
import { exitCodes, jsonText, oneLine, wantsColor, type Io } from '../io.js';
import { redactor } from '../redact.js';
import { openKept, type StoreFlags } from '../store-file.js';
import { cut, type Style } from '../table.js';
import { findSession } from './find.js';
import { grantsToldBy, termText, type ToldGrant } from './granted.js';
import { guardsText } from './guards-text.js';
import { timeText } from './time.js';

export interface AuditFlags extends StoreFlags {
  readonly session: string;
  readonly verify?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** `askedAt`: when the model asked for it, ms since the epoch; absent of a call that a body makes. */
interface TimedCall extends AuditedCall {
  readonly askedAt?: number;
  /** What its answers have granted for the rest of the session. */
  readonly grants: readonly ToldGrant[];
}

export interface AuditDocument extends Omit<SessionAudit, 'calls'> {
  readonly sessionId: string;
  readonly records: number;
  /** How many calls were looked at. */
  readonly verified: number;
  /** Not with `--verify`. */
  readonly calls?: readonly TimedCall[];
}

/** Characters of arguments and of texts that are shown; the whole is in the document. */
const longestText = 300;

/** Ends with 1 when the log contradicts the law of the door. */
export async function audit(flags: AuditFlags, io: Io): Promise<number> {
  const kept = openKept(flags, io);
  try {
    const { summary, records } = await findSession(kept, flags.session);
    const audited = auditSession(records);
    const { problems } = audited;
    const times = askedTimes(records);
    const granted = grantsToldBy(records);
    const calls = audited.calls.map((call) => ({
      ...call,
      grants: granted.filter(({ request }) => call.requests.some(({ id }) => id === request)),
      ...(times.has(call.callId) && { askedAt: times.get(call.callId)! }),
    }));
    const document: AuditDocument = {
      sessionId: summary.sessionId,
      records: records.length,
      verified: calls.length,
      ...(!flags.verify && { calls }),
      problems,
    };
    const redact = redactor(io.env);
    const { bold } = createColors(wantsColor(io.stdout, io.env));
    const shown = redact.data(document);
    const count = `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}, ${records.length} records`;
    const text = flags.json ? jsonText(shown, 2) : auditLines(shown, count, bold).join('\n');
    io.stdout.write(`${text}\n`);
    return problems.length === 0 ? exitCodes.done : exitCodes.failed;
  } finally {
    await kept?.store.close();
  }
}

/** By the id of each call that a model asked for. */
function askedTimes(records: readonly StoredRecord[]): ReadonlyMap<string, number> {
  const told = records.flatMap(({ at, record }) =>
    record.type === 'answer' ? record.calls.map(({ callId }) => [callId, at] as const) : [],
  );
  return new Map(told);
}

export function auditLines(
  { calls = [], problems }: Pick<AuditDocument, 'calls' | 'problems'>,
  count: string,
  title: Style = (text) => text,
): readonly string[] {
  const proven =
    problems.length === 0
      ? `verified: ${count}; of what the log holds every digest is right, and nothing has run without a clearance`
      : `NOT verified: ${count}; ${problems.length} ${problems.length === 1 ? 'contradiction' : 'contradictions'}`;
  return [...calls.flatMap((call) => callLines(call, title)), title(proven), ...problems.map(problemLine)];
}

function callLines(call: TimedCall, title: Style): readonly string[] {
  const { name, tool, args, given, edits, digest, outcome, ms, attempt, fault, personality, askedBy } = call;
  const which = tool === undefined || name.startsWith(`${tool.source}/`) ? name : `${tool.source}/${name}`;
  const how = outcome ?? (call.startedAt === undefined ? 'has not run' : 'was running when the log ends');
  const who = 'call' in askedBy ? `the call ${askedBy.call}` : `${askedBy.model}, turn ${askedBy.turn}`;
  const again = attempt === 1 ? '' : `, attempt ${attempt}`;
  const lasted = ms === undefined ? '' : `, ${ms.toFixed(0)} ms`;
  const { askedAt, startedAt } = call;
  const lines = [
    `asked for by ${who}, personality ${personality}${askedAt === undefined ? '' : `, ${timeText(askedAt)}`}`,
    ...(startedAt === undefined ? [] : [`started ${timeText(startedAt)}`]),
    `arguments ${cut(JSON.stringify(args), longestText)}${digest === undefined ? ', never sealed' : `, digest ${shortDigest(digest)}`}`,
    ...edits.map((edit) => editLine(edit, given)),
    guardsOf(call),
    ...call.asks.map((ask) =>
      askLine(
        ask,
        call.grants.filter(({ guard }) => guard === ask.guard),
      ),
    ),
    ...call.requests.flatMap((request) => requestLine(request, call)),
    ...whyLines(call),
    ...(fault === undefined ? [] : [`told to the model: ${cut(fault, longestText)}`]),
  ];
  return [
    `${title(oneLine(visible(`${call.callId} ${which}`)))}: ${oneLine(how)}${lasted}${again}`,
    ...lines.map((line) => `    ${oneLine(visible(line))}`),
  ];
}

/**
 * Who has changed the arguments, from what, and to what, and what the log says that a schema has made of that: what is sealed
 * is not what anybody has typed then.
 */
function editLine({ request, shown, args, sealed }: AuditedEdit, given: JsonValue): string {
  const [model, was, is, made] = [given, shown, args, sealed].map((one) => cut(JSON.stringify(one), longestText));
  const seen = was === model ? '' : `, and the request showed ${was}`;
  const as = made === is ? '' : `, sealed as ${made}`;
  return `changed by the answer to ${request}: to ${is}${as}; the model gave ${model}${seen}`;
}

/** A rule of a denial is that of the guard that denied. */
function whyLines({ reason, by, rule }: AuditedCall): readonly string[] {
  if (reason === undefined) return [];
  const who = [...(by === undefined ? [] : [by]), ...(rule === undefined ? [] : [`rule ${rule}`])].join(', ');
  return [`because: ${reason}${who === '' ? '' : ` (${who})`}`];
}

function guardsOf({ guards: verdicts, guardMs, requests, ...call }: AuditedCall): string {
  const waits = requests.filter((one) => one.by === 'guards').flatMap((one) => one.asks);
  const lasted = guardMs === undefined || call.decision === undefined ? '' : `, in ${guardMs.toFixed(2)} ms`;
  return `${guardsText({ ...call, verdicts, waits })}${lasted}`;
}

function askLine({ guard, rule, question, granted, answer, grant }: AuditedAsk, grants: readonly ToldGrant[]): string {
  const asked = `${guard}${rule === undefined ? '' : `, rule ${ruleName(rule)}`} asked "${question}"`;
  if (granted === undefined) return `${asked}: not granted`;
  if (answer !== undefined) return `${asked}: ${answerText(answer, grants)}`;
  if (grant !== undefined)
    return `${asked}: granted for the session by ${grant.id}, from the answer to ${grant.request}`;
  return `${asked}: granted by ${'grant' in granted ? granted.grant : granted.request}, which the log does not have`;
}

/** A yes that has granted something stands beside that; one that has not, because a guard denied then, has a line. */
function requestLine({ id, by, prompt, answer }: AuditedRequest, { asks, grants }: TimedCall): readonly string[] {
  if (answer === undefined) return [`waits for an answer to ${id}: ${prompt}`];
  if (asks.some((ask) => ask.answer?.request === id)) return [];
  const asked = by === 'guards' && answer.ok ? `asked ${prompt}: ` : '';
  return [`answered: ${asked}${answerText(answer, grants)}`];
}

/** A yes with how long it holds, if that is longer than for the call. */
function answerText({ ok, request, at, reason }: AuditedAnswer, grants: readonly ToldGrant[]): string {
  const terms = grants.filter((one) => one.request === request).map((one) => `, ${termText(one)} (${one.id})`);
  return `${ok ? 'yes' : 'no'} to ${request}, ${timeText(at)}${reason === undefined ? '' : ` (${reason})`}${terms.join('')}`;
}

const problemLine = ({ code, callId, seq, what }: AuditProblem): string =>
  oneLine(visible(`record ${seq}, ${callId}: ${code}: ${what}`));
