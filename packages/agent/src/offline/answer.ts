/** The answer in words: extracts with file names and lines, and honest notes about what was not seen. */
import { bestLines, clip, firstLines, linesIn, shown } from './extract.js';
import { ranked, type Findings, type Reading } from './explore.js';
import type { Exchange, PromptView } from './prompt-view.js';
import { stableText } from './stable-key.js';
import type { Roles } from './tool-roles.js';
import { matches } from './words.js';

export const firstLine = 'Offline model: it follows fixed rules, runs without a network and understands no language.';

const linesOfFile = 5;
const mostHits = 6;
const mostEntries = 60;

/** What ordered calls have answered. A refusal is quoted, not smoothed over. */
export function reportOf(calls: readonly Exchange[]): readonly string[] {
  return calls.map(({ tool, input, output, isError }) => {
    const call = `${tool} ${clip(stableText(input), 160)}`;
    if (output === undefined) return `${call} has no result.`;
    if (isError) return `${call} was not done. The answer was: ${clip(output, 400)}`;
    const lines = output.trim().split('\n');
    const body = lines.slice(0, 20).map((line) => `  ${clip(line)}`);
    return [`${call} answered:`, ...body, ...(lines.length > 20 ? [`  … ${lines.length - 20} more lines`] : [])].join(
      '\n',
    );
  });
}

/** What was found about the question. */
export function findingsText(view: PromptView, found: Findings, roles: Roles): readonly string[] {
  const blocks: string[] = [];
  const good = found.readings.filter(({ isError }) => !isError);
  if (found.wantsListing) blocks.push(listingText(found));
  const texts = good.flatMap((reading) => extractOf(reading, found));
  if (texts.length > 0)
    blocks.push(
      found.topic.length > 0
        ? `Lines that share words with the question (${found.topic.join(', ')}):`
        : 'The beginnings of what was read:',
      ...texts,
    );
  const read = new Set(found.readings.map(({ path }) => path));
  const elsewhere = found.hits.filter(({ path, line }) => !read.has(path) && line !== undefined);
  if (elsewhere.length > 0) {
    blocks.push(
      [
        'Found by searching, files not read:',
        ...elsewhere.slice(0, mostHits).map(({ path, line, text }) => `  ${path}:${line}: ${clip(text)}`),
      ].join('\n'),
    );
  }
  blocks.push(...earlierText(view, found.topic));
  if (blocks.length === 0) {
    blocks.push(
      good.length === 0
        ? 'Nothing that could be listed or read answers the question.'
        : `No line of what was read shares a word with the question (${found.topic.join(', ')}).`,
    );
  }
  return [...blocks, ...notesOf(found, roles)];
}

function extractOf(reading: Reading, { topic, named }: Findings): readonly string[] {
  const lines = linesIn(reading.output);
  const isNamed = named.some((name) => reading.path === name || reading.path.endsWith(`/${name}`));
  const best = bestLines(lines, topic, linesOfFile);
  const chosen =
    best.length > 0
      ? best
      : topic.length === 0 || isNamed
        ? firstLines(reading.path, lines, isNamed ? linesOfFile * 2 : linesOfFile)
        : [];
  return chosen.length === 0 ? [] : [[reading.path, ...chosen.map(shown)].join('\n')];
}

function listingText({ entries }: Findings): string {
  if (entries.length === 0) return 'The listing is empty.';
  const names = entries.map(({ path, isFolder }) => `  ${path}${isFolder ? '/' : ''}`);
  return [
    `${entries.length} entries:`,
    ...names.slice(0, mostEntries),
    ...(names.length > mostEntries ? [`  … ${names.length - mostEntries} more`] : []),
  ].join('\n');
}

/** What a summary of earlier messages has on the topic. */
export function earlierText({ summaries }: PromptView, topic: readonly string[]): readonly string[] {
  const lines = summaries.flatMap((summary) => summary.split('\n').slice(1)).filter((line) => matches(line, topic) > 0);
  if (lines.length === 0) return [];
  return [
    ['From the summary of earlier messages:', ...lines.slice(-linesOfFile).map((line) => `  ${clip(line)}`)].join('\n'),
  ];
}

function notesOf(found: Findings, roles: Roles): readonly string[] {
  const notes: string[] = [];
  const refused = [
    ...found.failed.map(
      ({ tool, input, output }) => `${tool} ${clip(stableText(input), 120)}: ${clip(output ?? '', 240)}`,
    ),
    ...found.readings.filter(({ isError }) => isError).map(({ path, output }) => `${path}: ${clip(output, 240)}`),
  ];
  if (refused.length > 0)
    notes.push(['Not seen, with the answer that came instead:', ...refused.map((line) => `  ${line}`)].join('\n'));
  const read = found.readings.filter(({ isError }) => !isError).map(({ path }) => path);
  const all = new Set(found.readings.map(({ path }) => path));
  const others = ranked(found).filter((path) => !all.has(path)).length;
  if (read.length > 0) {
    const more =
      others > 0 && !found.wantsListing
        ? `; ${others} more ${others === 1 ? 'file matches' : 'files match'} less well and were not read`
        : '';
    notes.push(`Read: ${read.join(', ')}${more}.`);
  }
  if (roles.list === undefined && roles.read === undefined && roles.search === undefined) {
    notes.push('No tool to list, read or search files was offered.');
  }
  return notes;
}

/** Without tools there is only what was said before. */
export function fromConversation(view: PromptView, topic: readonly string[]): readonly string[] {
  const lines = view.said.flatMap(({ who, text }) =>
    text.startsWith(firstLine) ? [] : text.split('\n').map((line) => ({ who, line })),
  );
  const hits = lines.filter(({ line }) => matches(line, topic) > 0).slice(-linesOfFile);
  const blocks =
    hits.length === 0 ? [] : [['Said earlier:', ...hits.map(({ who, line }) => `  ${who}: ${clip(line)}`)].join('\n')];
  const all = [...blocks, ...earlierText(view, topic)];
  return all.length > 0
    ? all
    : ['No tool was offered that could look anything up, and nothing said earlier shares a word with the question.'];
}

export function selfText(roles: Roles, tools: readonly string[]): string {
  const able = [roles.list && 'list', roles.search && 'search', roles.read && 'read'].filter(
    (word) => word !== undefined,
  );
  const what =
    able.length > 0
      ? `It can ${able.join(', ')} files through the offered tools and quote what matches the words of a question.`
      : 'It was offered no tool to look at files with.';
  const others = tools.length > 0 ? ` It calls a tool that is named: ${tools.join(', ')}.` : '';
  return `${what}${others} Ask about a folder, or name a tool and its arguments.`;
}
