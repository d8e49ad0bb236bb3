/** What a sub-command runs: the words behind its options, or code for a shell. */
import { optionTable, readOptions, type OptionTable } from './options.js';
import type { Use } from './run-words.js';
import { joined } from './shells.js';
import { runRest } from './wrappers.js';

export interface Sub {
  readonly options: OptionTable;
  /** Words between the options and the command: the container, the image. */
  readonly operands: number;
  /** What stands there goes to a shell, as one text; without it, the shell has the input. */
  readonly code?: true;
}

export const sub = (options = '--', other: Partial<Omit<Sub, 'options'>> = {}): Sub => ({
  options: optionTable(options),
  operands: 0,
  ...other,
});

const replaces = (words: Use['words']): boolean => words.some(({ start }) => start.startsWith('--entry'));

/** Runs what stands behind the sub-command at a place. */
export function runSub(use: Use, { options, operands, code }: Sub, at: number, label: string): void {
  const read = readOptions(use, options, at + 1);
  const inside = (): ReturnType<typeof use.reader.inside> => use.reader.inside(use.place, label);
  const given = read.values.get('c') ?? read.values.get('--shell-mode');
  if (/^\w*npm |^yarn /.test(label) && given !== undefined) use.reader.code(given, inside());
  if (replaces(use.words.slice(at, read.at))) use.reader.doubt(`'${label}' has another program to start with`);
  // Options may stand behind the container; `--` ends them.
  const rest = use.words.slice(read.at + operands);
  const words = rest[0]?.text === '--' ? rest.slice(1) : rest;
  if (code !== true) return runRest(use, words, label);
  if (words.length === 0) use.reader.doubt(`'${label}' without a command starts a shell`);
  else use.reader.code(joined(words), inside());
}
