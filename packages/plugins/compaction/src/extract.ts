/** The default summary: extracts taken by rule, without a model, and honest about it. */
import { charsPerToken, type Message, type ToolResultPart } from '@treblehook/types';
import { isSummary, summaryBody } from './summary.js';

/** Below this an extract says nothing, whatever the budget. */
const leastChars = 400;
const widest = 240;
const narrowest = 60;
/** The share of the newest lines, which are told whole; older ones are shortened. */
const inDetail = 0.6;

const notice = /^Extracts by rule, not by a model(?:; (\d+) older lines left out)?:$/;

/**
 * One line for each message and tool call, oldest first: who, and the first words. Lines of an earlier extract go in
 * front. Older lines are shortened; what does not fit in about `maxTokens` tokens is left out from the oldest on, and
 * counted.
 */
export function extractiveSummary(older: readonly Message[], maxTokens: number): string {
  const results = new Map<string, ToolResultPart>();
  for (const message of older) {
    for (const part of message.content) if (part.type === 'tool-result') results.set(part.callId, part);
  }
  const maxChars = Math.max(leastChars, maxTokens * charsPerToken);
  const width = Math.min(widest, Math.max(narrowest, Math.floor(maxChars / Math.max(1, older.length))));
  let leftOut = 0;
  const lines: string[] = [];
  for (const message of older) {
    if (!isSummary(message)) {
      lines.push(...linesOf(message, results, width));
      continue;
    }
    for (const line of summaryBody(message).split('\n')) {
      const before = notice.exec(line);
      if (before !== null) leftOut += Number(before[1] ?? 0);
      else if (line.trim() !== '') lines.push(clip(line, widest));
    }
  }
  let at = lines.length;
  let room = Math.floor(maxChars * inDetail);
  while (at > 0 && lines[at - 1]!.length < room) room -= lines[--at]!.length + 1;
  room += Math.ceil(maxChars * (1 - inDetail));
  while (at > 0) {
    const line = shortened(lines[at - 1]!);
    if (line.length >= room) break;
    room -= line.length + 1;
    lines[--at] = line;
  }
  leftOut += at;
  const omitted = leftOut > 0 ? `; ${leftOut} older lines left out` : '';
  return [`Extracts by rule, not by a model${omitted}:`, ...lines.slice(at)].join('\n');
}

function linesOf(message: Message, results: ReadonlyMap<string, ToolResultPart>, width: number): string[] {
  const lines: string[] = [];
  for (const part of message.content) {
    if (part.type === 'text' && part.text.trim() !== '') lines.push(`- ${message.role}: ${clip(part.text, width)}`);
    else if (part.type === 'file') lines.push(`- ${message.role}: a file, ${part.filename ?? part.mediaType}`);
    else if (part.type === 'tool-call') {
      const result = results.get(part.callId);
      const call = `- called ${part.name} ${clip(JSON.stringify(part.args) ?? '', width)}`;
      if (result === undefined) lines.push(call);
      else
        lines.push(
          `${call} → ${result.isError ? 'error' : `${result.output.length} characters`}: ${clip(result.output, width)}`,
        );
    }
  }
  return lines;
}

/** Of a call what was called, of a text its beginning. */
function shortened(line: string): string {
  const call = /^- called .*?(?= → )/.exec(line);
  return call === null ? clip(line, narrowest) : call[0];
}

function clip(text: string, width: number): string {
  const flat = text
    .slice(0, width * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (flat.length <= width) return text.length > width * 4 ? `${flat} …` : flat;
  return `${flat.slice(0, width).replace(/[\uD800-\uDBFF]$/, '')} …`;
}
