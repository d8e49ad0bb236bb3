/** One session as text: its runs with their calls and decisions, what is open, what was granted. */
import type { QuestionView } from '@treblehook/agent';
import { ruleName } from '@treblehook/plugin-tool-policy';
import { approvalOf, type AskRecord } from '@treblehook/types';
import { pathText, requestLines, shortDigest } from '../approval-text.js';
import { visible } from '../visible.js';
import type { Screen } from '../effects-text.js';
import { flagsOf, givenOf } from '../given.js';
import { oneLine, printable } from '../io.js';
import { cut, type Style } from '../table.js';
import type { SessionDocument, ShownGrant, ShownRequest, ShownRun, ShownTurn } from './document.js';
import type { RevokedGrant } from './granted.js';
import { guardsText } from './guards-text.js';
import { notEnded, stateText } from './state.js';
import { timeText } from './time.js';

/** Characters of a result that are shown; the whole is in the export. */
const longestResult = 200;

type ShownCall = ShownTurn['calls'][number];

/** Control characters of what was said and done are shown, not sent. */
export function sessionLines(
  document: SessionDocument,
  title: Style = (text) => text,
  screen: Screen = {},
): readonly string[] {
  const { sessionId, store, openedAt, changedAt, records, state, parent, holder, runs, open, grants, revoked } =
    document;
  return [
    `${title(`session ${oneLine(sessionId)}`)}: ${oneLine(stateText(state, open.length, holder))}`,
    oneLine(`${records} records in ${store}; opened ${timeText(openedAt)}, changed ${timeText(changedAt)}`),
    ...(parent === undefined
      ? []
      : [oneLine(`a child of the session ${parent}: it is answered and resumed from its root`)]),
    ...runs.flatMap((run) => ['', ...runLines(run, title)]),
    ...(open.length === 0
      ? []
      : [
          '',
          `${title('open requests')}${whereToAnswer(document)}`,
          ...open.flatMap((request) => openLines(request, screen)),
        ]),
    ...(grants.length === 0 ? [] : ['', title('granted for the session'), ...grants.flatMap(grantLines)]),
    ...(revoked.length === 0
      ? []
      : ['', title('granted, and taken back'), ...revoked.map((one) => `  ${revokedText(one)}`)]),
  ];
}

/** What stands beside the commands, or in place of them. */
function whereToAnswer({ parent, runs, open, agent }: SessionDocument): string {
  if (open.some(({ yes }) => yes === undefined)) {
    const whose = parent === undefined ? ` of the agent '${oneLine(agent ?? '')}'` : '';
    return `: a program${whose} began the run, and only there it can be answered`;
  }
  const isGivenKnown = parent !== undefined || givenOf(runs.at(-1)) !== undefined; // a child has its root's
  if (isGivenKnown) return '';
  return ': a program began the run, so answer it there, or give the --policy, --dir, --model and --tools that it had';
}

function runLines(run: ShownRun, title: Style): readonly string[] {
  const { runId, personality, startedAt, resumed, input, turns } = run;
  const given = givenOf(run);
  const times = resumed === 0 ? '' : `, resumed ${resumed === 1 ? 'once' : `${resumed} times`}`;
  return [
    `${title(`run ${oneLine(runId)}`)}, ${timeText(startedAt)}, personality ${oneLine(personality)}${times}: ${oneLine(endText(run))}`,
    ...(given === undefined ? [] : [`  with ${oneLine(visible(flagsOf(given)))}`]),
    ...indented('> ', input),
    ...turns.flatMap(turnLines),
  ];
}

function endText({ status, limit, reason, error }: ShownRun): string {
  if (status === undefined) return notEnded;
  const why = error?.message ?? reason?.text ?? limit;
  const by = reason?.by === undefined ? '' : ` (${reason.by})`;
  return why === undefined ? status : `${status}: ${why}${by}`;
}

const turnLines = ({ turn, model, text, calls, revise }: ShownTurn): readonly string[] => [
  `  turn ${turn}, ${oneLine(model)}`,
  ...(text === '' ? [] : indented('    ', text)),
  ...calls.flatMap(callLines),
  ...(revise === undefined ? [] : indented('    to revise: ', revise)),
];

function callLines(call: ShownCall): readonly string[] {
  const { name, args, sealed, fate, end, questions, late, parent } = call;
  const shown = sealed?.args ?? args;
  const isRewritten = sealed !== undefined && JSON.stringify(sealed.args) !== JSON.stringify(args);
  const ms = end === undefined ? '' : `, ${end.ms.toFixed(0)} ms`;
  const digest = sealed === undefined ? '' : `, digest ${shortDigest(sealed.digest)}`;
  const lines = [
    `${name} ${JSON.stringify(shown)}${parent === undefined ? '' : ' (called by a tool)'}: ${fate}${ms}${digest}`,
    ...(isRewritten ? [`asked for as ${JSON.stringify(args)}`] : []),
    ...decisionLines(call),
    ...questions.map(questionLine),
    ...(end === undefined ? [] : [`result: ${cut(end.result.output, longestResult)}`]),
    ...late.map((text) => `said when nobody waited any more: ${cut(text, longestResult)}`),
  ];
  return lines
    .map((line, at) => oneLine(visible(`${at === 0 ? '· ' : ''}${line}`)))
    .map((line, at) => `${at === 0 ? '    ' : '      '}${line}`);
}

/** What the guards said of a call, also of one that a person has refused, or that waits; of one that nobody has seen, nothing. */
function decisionLines({ end, questions }: ShownCall): readonly string[] {
  const waits = questions.flatMap(({ by, request }) => (by === 'guards' ? (approvalOf(request)?.asks ?? []) : []));
  if (end === undefined) {
    return waits.length === 0 ? [] : [guardsText({ decision: undefined, verdicts: [], asks: [], waits })];
  }
  const { record } = end;
  const { asks, reason, by } = record;
  const why = reason === undefined ? [] : [`reason: ${reason}${by === undefined ? '' : ` (${by})`}`];
  return [guardsText({ ...record, waits }), ...asks.map(askLine), ...why];
}

function askLine({ guard, rule, question, granted }: AskRecord): string {
  const settled =
    granted === undefined
      ? 'not granted'
      : 'request' in granted
        ? `granted by the answer to ${granted.request}`
        : `granted for the session by ${granted.grant}`;
  return `${guard}${rule === undefined ? '' : `, rule ${ruleName(rule)}`} asked: ${question}: ${settled}`;
}

function questionLine({ request, by, answer, answeredAt }: QuestionView): string {
  const way = pathText(request);
  const who = `${{ guards: 'the guards', stage: 'a stage', tool: 'the tool' }[by]}${way === undefined ? '' : `, on the way ${way}`}`;
  const asked = `${request.id} by ${who}: ${request.prompt}`;
  if (answer === undefined) return `${asked}: not answered`;
  const reason = answer.reason === undefined ? '' : ` (${answer.reason})`;
  const data = answer.data === undefined ? '' : ` with ${JSON.stringify(answer.data)}`;
  return `${asked}: ${answer.ok ? 'yes' : 'no'}${reason}${data}${answeredAt === undefined ? '' : `, ${timeText(answeredAt)}`}`;
}

const openLines = (request: ShownRequest, screen: Screen): readonly string[] => [
  `  ${oneLine(request.id)}${request.isExpired ? ' (expired: it counts as a no)' : ''}`,
  ...requestLines(request, request.effects, screen).map((line) => `    ${line}`),
  ...(request.yes === undefined ? [] : [`    yes: ${oneLine(request.yes)}`]),
  ...(request.no === undefined ? [] : [`    no:  ${oneLine(request.no)} --reason "…"`]),
];

/** Which calls a grant is for, and since when it is over. */
export const revokedText = (grant: RevokedGrant): string =>
  oneLine(
    visible(`${grantText(grant)}, from the answer to ${grant.request}: taken back ${timeText(grant.revokedAt!)}`),
  );

/** Which calls a grant is for, and until when. */
export function grantText({
  id,
  tool,
  guard,
  rule,
  question,
  digest,
  until,
  path,
}: Omit<ShownGrant, 'revoke'>): string {
  const what = digest === undefined ? 'any arguments' : `digest ${shortDigest(digest)}`;
  const which = rule === undefined ? `"${question ?? ''}"` : `rule ${ruleName(rule)}`;
  const end = until === undefined ? '' : `, until ${timeText(until)}`;
  const way = path === undefined ? '' : `, on the way ${path.join(' > ')}`;
  return oneLine(visible(`${id}: ${tool.name}, ${what}, for ${guard}, ${which}${end}${way}`));
}

const grantLines = (grant: ShownGrant): readonly string[] => [
  `  ${grantText(grant)}`,
  `    take back: ${oneLine(grant.revoke)}`,
];

const indented = (before: string, text: string): readonly string[] =>
  printable(text)
    .trimEnd()
    .split('\n')
    .map((line, at) =>
      `${at === 0 || before.trim() === '>' ? before : ' '.repeat(before.length)}${visible(line)}`.trimEnd(),
    );
