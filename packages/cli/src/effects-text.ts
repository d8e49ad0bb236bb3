/** What a call would do, as lines for a person: nothing in them steers a terminal, and what is left out is said. */
import type { CommandReading, SimpleCommand } from '@treblehook/plugin-tool-policy';
import type { Preview } from '@treblehook/tools';
import type { CallEffects } from './effects.js';
import { visible } from './visible.js';

/** Where it is shown, in characters and lines. */
export interface Screen {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}
/** What a terminal that does not know its size, or is none, is taken for. */
export const usualScreen = { columns: 80, rows: 24 };

export function effectLines({ commands = [], change, fault }: CallEffects, screen: Screen): readonly string[] {
  return [
    ...within(commands.flatMap(commandLines), screen),
    ...(change === undefined ? [] : changeLines(change, screen)),
    ...(fault === undefined ? [] : [visible(`what it would change cannot be shown: ${fault}`)]),
  ];
}

/** Each simple command that was found in a command, and what could not be read of it. */
export const commandLines = ({ commands, unknown }: CommandReading): readonly string[] =>
  [
    ...commands.map(commandLine),
    ...commands.flatMap(unreadFiles),
    ...unknown.map((why) => `it may run more: ${why}`),
  ].map(visible);

/** Of a redirect to what is known only when the line runs. */
const unreadFiles = ({ redirects }: SimpleCommand): readonly string[] =>
  redirects
    .filter(({ target }) => target === undefined)
    .map(({ kind }) => `which file it ${kind === 'write' ? 'writes' : 'reads'} cannot be read before it runs`);

function commandLine({ program, path, words, redirects, assigns, behind }: SimpleCommand): string {
  const parts = [
    ...assigns.map((name) => `${name}=…`),
    ...(program === '' ? [] : [wordText(path)]),
    ...words.map(wordText),
    ...redirects.map(({ kind, target }) => `${kind === 'write' ? '>' : '<'} ${wordText(target)}`),
  ];
  const how = behind.length === 0 ? '' : ` (behind ${behind.join(', ')})`;
  return `${program === '' ? 'it runs nothing, but' : 'it runs:'} ${parts.join(' ')}${how}`;
}

/** A word that could pass for two, or for a sign, stands in quotes. */
const wordText = (word: string | undefined): string =>
  word === undefined ? '…' : /^[\w@%+=:,./~^-]+$/.test(word) ? word : JSON.stringify(word);

const kinds: Readonly<Record<Preview['kind'], string>> = {
  new: 'it makes',
  changed: 'it changes',
  unchanged: 'it leaves as it is',
  deleted: 'it deletes',
};

function changeLines({ kind, path, diff, added, removed, notes }: Preview, screen: Screen): readonly string[] {
  const count = kind === 'unchanged' ? '' : `: ${linesText(added)} added, ${linesText(removed)} removed`;
  const lines = diff === '' ? [] : diff.trimEnd().split('\n');
  return [
    visible(`${kinds[kind]} ${path}${count}`),
    ...notes.map((note) => visible(`(${note})`)),
    ...within(lines.map(visible), screen).map((line) => `  ${line}`),
  ];
}

const linesText = (count: number): string => `${count} ${count === 1 ? 'line' : 'lines'}`;

/** Lines that the question and its choices take, the margin in front of each line, and the least that is shown. */
const [othersTake, margin, least] = [12, 8, 8];

/** As many as a screen holds beside the choices; a line that is longer than it is wide counts for several. */
function within(lines: readonly string[], { columns, rows }: Screen): readonly string[] {
  const wide = Math.max(20, (columns || usualScreen.columns) - margin);
  const room = Math.max(least, (rows || usualScreen.rows) - othersTake);
  const shown: string[] = [];
  let left = room;
  for (const [at, line] of lines.entries()) {
    const takes = Math.max(1, Math.ceil(line.length / wide));
    const others = lines.length - at - 1;
    // the last line is for what is left out
    if (takes > left - (others > 0 ? 1 : 0)) {
      if (takes > left && left > 1) shown.push(`${line.slice(0, wide * (left - 1))}…`);
      const more = takes > left && left > 1 ? others : others + 1;
      return [...shown, `… cut to a screenful, ${linesText(more)} more: the arguments have all that it is given`];
    }
    shown.push(line);
    left -= takes;
  }
  return shown;
}
