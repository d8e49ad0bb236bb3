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
  /** The command stands behind `--`, with words of the program in front of that. */
  readonly dashed?: true;
}

export const sub = (options = '--', other: Partial<Omit<Sub, 'options'>> = {}): Sub => ({
  options: optionTable(options),
  operands: 0,
  ...other,
});

/** Runs what stands behind the sub-command at a place. Gives the place of what is run. */
export function runSub(use: Use, { options, operands, code, dashed }: Sub, at: number, label: string): number {
  const { reader, words: all, command } = use;
  if (dashed === true) {
    const end = all.findIndex(({ text }, place) => place > at && text === '--');
    reader.heed(command, all.slice(at + 1, end === -1 ? undefined : end));
    if (end === -1) reader.doubt(`what '${label}' runs does not stand behind '--'`);
    else runRest(use, all.slice(end + 1), label);
    return at;
  }
  const read = readOptions(use, options, at + 1);
  const inside = (): ReturnType<typeof use.reader.inside> => use.reader.inside(use.place, label);
  const given = read.values.get('c') ?? read.values.get('--shell-mode');
  if (/^\w*npm |^yarn /.test(label) && given !== undefined) use.reader.code(given, inside());
  // Options may stand behind the container; `--` ends them.
  const rest = use.words.slice(read.at + operands);
  const words = rest[0]?.text === '--' ? rest.slice(1) : rest;
  if (code !== true) runRest(use, words, label);
  else if (words.length === 0) use.reader.doubt(`'${label}' without a command starts a shell`);
  else use.reader.code(joined(words), inside());
  return all.length - words.length;
}
