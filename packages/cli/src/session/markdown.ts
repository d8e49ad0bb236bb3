/** A session as a page to read: what was said, and which tools ran. */
import { oneLine, printable } from '../io.js';
import type { SessionDocument, ShownTurn } from './document.js';
import { grantText, revokedText } from './show-text.js';
import { notEnded, stateText } from './state.js';
import { timeText } from './time.js';

export function markdownOf({
  sessionId,
  state,
  holder,
  openedAt,
  runs,
  open,
  grants,
  revoked,
}: SessionDocument): string {
  const blocks = [
    `# Session ${inline(sessionId)}`,
    `Opened ${timeText(openedAt)}; ${oneLine(stateText(state, open.length, holder))}.`,
    ...runs.flatMap(({ input, status, turns, startedAt }) => [
      `## ${timeText(startedAt)}: ${status ?? notEnded}`,
      quoted(input),
      ...turns.flatMap(turnBlocks),
    ]),
    ...listed('Granted for the session', grants.map(grantText)),
    ...listed('Granted, and taken back', revoked.map(revokedText)),
  ];
  return `${blocks.join('\n\n')}\n`;
}

const listed = (title: string, texts: readonly string[]): readonly string[] =>
  texts.length === 0 ? [] : [`## ${title}`, texts.map((text) => `- ${inline(text)}`).join('\n')];

const turnBlocks = ({ text, calls, revise }: ShownTurn): readonly string[] => [
  ...(text.trim() === '' ? [] : [printable(text).trim()]),
  ...calls.flatMap(({ name, args, sealed, fate, end }) => [
    `**${inline(name)}** ${inline(JSON.stringify(sealed?.args ?? args))}: ${fate}`,
    ...(end === undefined ? [] : [fenced(end.result.output)]),
  ]),
  ...(revise === undefined ? [] : [quoted(revise)]),
];

const quoted = (text: string): string =>
  printable(text)
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

/** The fence is longer than any in the text. */
function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}text\n${printable(text).trimEnd()}\n${fence}`;
}

function inline(text: string): string {
  const line = oneLine(text);
  const ticks = '`'.repeat(longestRun(line) + 1);
  const space = /^`|`$/.test(line) ? ' ' : '';
  return `${ticks}${space}${line}${space}${ticks}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
