/** Extracts of a text: the lines that match a topic, with their numbers where they can be known. */
import { matches } from './words.js';

export interface Line {
  /** From 1; `undefined` behind a cut, where nobody can count. */
  readonly number: number | undefined;
  readonly text: string;
}

/** The note that stands in place of what was cut out of a result. */
export const cutNote = /^\[(?:…|\.\.\.).*\b(?:cut|omitted|truncated|left out)\b.*\]$/i;
const widest = 200;

/** The lines of what a tool has read. Numbers that the tool wrote in front are taken, else lines are counted. */
export function linesIn(output: string): readonly Line[] {
  const raw = output.split('\n');
  if (/^\[.*\]$/.test(raw.at(-1) ?? '') && raw.length > 1) raw.pop();
  const numbered = raw.map((line) => /^\s*(\d+)(?:\t|: | \| |→)(.*)$/.exec(line));
  const written =
    raw.length > 1 &&
    numbered.every((found, at) => found !== null && Number(found[1]) === Number(numbered[0]![1]) + at);
  if (written) return numbered.map((found) => ({ number: Number(found![1]), text: found![2]! }));
  let counts = true;
  return raw.map((text, at) => {
    if (cutNote.test(text)) counts = false;
    return { number: counts ? at + 1 : undefined, text };
  });
}

/** The `most` lines that have the most words of the topic, in the order of the text. Headings count a little more. */
export function bestLines(lines: readonly Line[], topic: readonly string[], most: number): readonly Line[] {
  return lines
    .map((line, at) => ({ line, at, score: scoreOf(line.text, topic) }))
    .filter(({ score }) => score >= 1)
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, most)
    .sort((a, b) => a.at - b.at)
    .map(({ line }) => line);
}

function scoreOf(text: string, topic: readonly string[]): number {
  const found = matches(text, topic);
  if (found === 0) return 0;
  return (
    found +
    (/^\s*(?:#|\/\*\*|export |class |def |fn |func )/.test(text) ? 0.5 : 0) -
    (/^\s*import\b/.test(text) ? 0.6 : 0) -
    (text.length > 400 ? 0.5 : 0)
  );
}

const sourceFile = /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|cs|cpp|cc|c|h|hpp|swift|php|sh)$/i;
const telling: readonly (readonly [RegExp, RegExp])[] = [
  [
    sourceFile,
    /^\s{0,2}(?:\/\*\*|\/\/|#(?!!)|export|public|class|def|fn|func|function|interface|struct|type|const [A-Z])/,
  ],
  [/\.json$/i, /^\s{0,4}"(?:name|description|title|main|bin|type|start|test|build|scripts)"/],
];

/** The first lines that say something about a file: no badges, rules, fences or lone brackets; of code its declarations. */
export function firstLines(path: string, lines: readonly Line[], most: number): readonly Line[] {
  const worded = lines.filter(({ text }) => /\p{L}{2}/u.test(text) && !/^\s*(?:\[?!\[|<\/?\w|```|---|#!)/.test(text));
  const tells = telling.find(([kind]) => kind.test(path))?.[1];
  const best = tells === undefined ? [] : worded.filter(({ text }) => tells.test(text));
  return (best.length > 0 ? best : worded).slice(0, most);
}

export const shown = ({ number, text }: Line): string =>
  `  ${number === undefined ? '~' : number}: ${clip(text.trim())}`;

export function clip(text: string, width = widest): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length <= width ? flat : `${flat.slice(0, width).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
