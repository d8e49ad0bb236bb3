/** `treblehook audit`: what the log of a session proves, call by call. */
import {
  auditSession,
  type AuditedAsk,
  type AuditedCall,
  type AuditedRequest,
  type AuditProblem,
  type SessionAudit,
} from '@treblehook/agent';
import { shortDigest } from '../approval-text.js';
import { visible } from '../visible.js';
import { createColors } from '../colors.js';
import { exitCodes, jsonText, oneLine, wantsColor, type Io } from '../io.js';
import { redactor } from '../redact.js';
import { openKept, type StoreFlags } from '../store-file.js';
import { cut, type Style } from '../table.js';
import { findSession } from './find.js';
import { timeText } from './time.js';

export interface AuditFlags extends StoreFlags {
  readonly session: string;
  readonly verify?: boolean | undefined;
  readonly json?: boolean | undefined;
}

export interface AuditDocument extends SessionAudit {
  readonly sessionId: string;
  readonly records: number;
}

/** Characters of arguments that are shown; the whole is in the document. */
const longestArgs = 300;

/** Ends with 1 when the log contradicts the law of the door. */
export async function audit(flags: AuditFlags, io: Io): Promise<number> {
  const kept = openKept(flags, io);
  try {
    const { summary, records } = await findSession(kept, flags.session);
    const { calls, problems } = auditSession(records);
    const document: AuditDocument = { sessionId: summary.sessionId, records: records.length, calls, problems };
    const redact = redactor(io.env);
    const { bold } = createColors(wantsColor(io.stdout, io.env));
    const shown = redact.data(flags.verify ? { ...document, calls: [] } : document);
    const count = `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}, ${records.length} records`;
    const text = flags.json ? jsonText(shown, 2) : auditLines(shown, count, bold).join('\n');
    io.stdout.write(`${text}\n`);
    return problems.length === 0 ? exitCodes.done : exitCodes.failed;
  } finally {
    await kept?.store.close();
  }
}

export function auditLines(
  { calls, problems }: SessionAudit,
  count: string,
  title: Style = (text) => text,
): readonly string[] {
  const proven =
    problems.length === 0
      ? `verified: ${count}; every digest is right, and nothing has run without a clearance`
      : `NOT verified: ${count}; ${problems.length} ${problems.length === 1 ? 'contradiction' : 'contradictions'}`;
  return [...calls.flatMap((call) => callLines(call, title)), title(proven), ...problems.map(problemLine)];
}

function callLines(call: AuditedCall, title: Style): readonly string[] {
  const { name, tool, args, digest, outcome, ms, attempt, reason, by, personality, askedBy } = call;
  const which = tool === undefined || name.startsWith(`${tool.source}/`) ? name : `${tool.source}/${name}`;
  const how = outcome ?? (call.startedAt === undefined ? 'has not run' : 'was running when the log ends');
  const who = 'call' in askedBy ? `the call ${askedBy.call}` : `${askedBy.model}, turn ${askedBy.turn}`;
  const again = attempt === 1 ? '' : `, attempt ${attempt}`;
  const lasted = ms === undefined ? '' : `, ${ms.toFixed(0)} ms`;
  const why = reason === undefined ? [] : [`because: ${reason}${by === undefined ? '' : ` (${by})`}`];
  const at = call.startedAt ?? call.endedAt;
  const lines = [
    `asked for by ${who}, personality ${personality}${at === undefined ? '' : `, ${timeText(at)}`}`,
    `arguments ${cut(JSON.stringify(args), longestArgs)}${digest === undefined ? ', never sealed' : `, digest ${shortDigest(digest)}`}`,
    guardsOf(call),
    ...call.asks.map(askLine),
    ...call.requests.flatMap(openLine),
    ...why,
  ];
  return [
    `${title(visible(oneLine(`${call.callId} ${which}`)))}: ${oneLine(how)}${lasted}${again}`,
    ...lines.map((line) => `    ${visible(oneLine(line))}`),
  ];
}

/** None at all and three that passed are different facts. */
function guardsOf({ decision, guards, guardMs, requests }: AuditedCall): string {
  if (decision === undefined) return requests.some(({ by }) => by === 'guards') ? 'guards: ask' : 'guards: not asked';
  const said = guards.map(({ by, verdict, kind }) => `${by.id} ${verdict}${kind === 'policy' ? '' : ` (${kind})`}`);
  const lasted = guardMs === undefined ? '' : `, in ${guardMs.toFixed(2)} ms`;
  return `guards: ${decision} (${said.join(', ') || 'nobody sits there'})${lasted}`;
}

function askLine({ guard, rule, question, granted, answer, grant }: AuditedAsk): string {
  const asked = `${guard}${rule === undefined ? '' : `, rule ${rule}`} asked "${question}"`;
  if (granted === undefined) return `${asked}: not granted`;
  if (answer !== undefined) {
    const reason = answer.reason === undefined ? '' : ` (${answer.reason})`;
    return `${asked}: ${answer.ok ? 'yes' : 'no'} to ${answer.request}, ${timeText(answer.at)}${reason}`;
  }
  if (grant !== undefined)
    return `${asked}: granted for the session by ${grant.id}, from the answer to ${grant.request}`;
  return `${asked}: granted by ${'grant' in granted ? granted.grant : granted.request}, which the log does not have`;
}

/** What has an answer stands beside the question that it settled. */
const openLine = ({ id, prompt, answer }: AuditedRequest): readonly string[] =>
  answer === undefined ? [`waits for an answer to ${id}: ${prompt}`] : [];

const problemLine = ({ code, callId, seq, what }: AuditProblem): string =>
  visible(oneLine(`record ${seq}, ${callId}: ${code}: ${what}`));
