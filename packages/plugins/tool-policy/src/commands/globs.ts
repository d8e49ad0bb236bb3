/** The files that a glob over the names of one folder stands for, as far as they are there. */
import { leadsTo } from '../paths/leads-to.js';
import type { ReachReading } from '../shell/read-command.js';
import type { ShellWord } from '../shell/shell-word.js';
import type { PolicyWorld } from '../world.js';
import type { Bases } from './folders.js';

/** A folder with more names is not looked at. */
const mostNames = 2000;

/** Programs that put no file anywhere. */
const quiet: ReadonlySet<string> = new Set([
  '', 'cd', 'pwd', 'ls', 'cat', 'head', 'tail', 'wc', 'grep', 'rg', 'echo', 'printf', 'test', '[', '[[', 'cut', 'tr', 'diff',
  'du', 'stat', 'basename', 'dirname', 'set', 'true', 'false', ':', 'sleep', 'date', 'which',
]); // prettier-ignore

/** What changes which files a glob stands for. */
const switches = /glob|nullglob|BASHOPTS|LC_|LANG/i;

/** Whether the globs of a command stand for files that are there before the line runs. */
export function hasPlainGlobs({ commands }: ReachReading, at: number): boolean {
  return (
    commands
      .slice(0, at)
      .every(({ program, redirects }) => quiet.has(program) && redirects.every((one) => one.kind === 'read')) &&
    !commands.some(({ words, assigns }) =>
      [...words, ...assigns].some(
        (word) => word !== undefined && word.length < 40 && switches.test(word) && /^(?:[-+]?\w+)$/.test(word),
      ),
    )
  );
}

/** Their names, from the folders that they may be meant from; `undefined` when they are not known. */
export function filesOfGlob(
  { guess, glob }: ShellWord,
  bases: Bases,
  world: PolicyWorld,
): readonly string[] | undefined {
  if (glob === undefined || typeof bases === 'string') return undefined;
  const places = leadsTo(glob.folder === '' ? '.' : glob.folder, bases, world);
  if (typeof places === 'string') return undefined;
  const found = new Set<string>([guess]);
  for (const place of places) {
    let names: readonly string[];
    try {
      names = world.namesIn(place);
    } catch {
      continue; // there is no such folder, so nothing is in it
    }
    if (names.length > mostNames) return undefined;
    for (const name of names) if (mayStandFor(name, glob.pieces)) found.add(glob.folder + name);
  }
  return [...found];
}

/** Each piece stands in it, in their order: more than the glob matches, never less. */
function mayStandFor(name: string, pieces: readonly string[]): boolean {
  if (name.startsWith('.') || !name.startsWith(pieces[0]!) || !name.endsWith(pieces.at(-1)!)) return false;
  let at = 0;
  for (const piece of pieces) {
    const found = name.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return true;
}
