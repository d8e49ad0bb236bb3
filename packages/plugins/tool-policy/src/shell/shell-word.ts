/** A word of a command as far as it is known before anything runs. */
import type { WordPart } from 'unbash';

export interface ShellWord {
  /** Quotes and escapes undone; `undefined` when it is not known. */
  readonly text: string | undefined;
  /** The known text, or the text with its unknown parts as they are written. Good for finding out more, never for less. */
  readonly guess: string;
  /** What it surely begins with. */
  readonly start: string;
  /** False when it may become no word, or several of which not each begins with `start`. */
  readonly solid: boolean;
  /** The name of a pipe to a command of the line. */
  readonly isPipe?: true;
  /** Of a glob over the names of one folder: the folder, and what is known of the names, in their order. */
  readonly glob?: { readonly folder: string; readonly pieces: readonly string[] };
}

export const known = (text: string): ShellWord => ({ text, guess: text, start: text, solid: true });
/** Any number of any words. */
export const anything = (guess: string): ShellWord => ({ text: undefined, guess, start: '', solid: false });
/** One word, or a glob, of which the begin is known. */
export const partly = (guess: string, start = ''): ShellWord => ({ text: undefined, guess, start, solid: true });

/** True when a word may be an option: it begins with `-`, or nobody knows with what. */
export const mayBeOption = (word: ShellWord): boolean => !word.solid || word.start === '' || word.start[0] === '-';

/** Special parameters that are one number. */
const counts = /^\$(?:[?#$!]|\{[?#$!]\})$/;
/** Expansions that are several words even in double quotes. */
const lists = /^\$(?:@|\{@|\{!?\w+(?:\[@\]|@\}))/;

export function wordOf(guess: string, parts: readonly WordPart[]): ShellWord {
  let start = '';
  let open = true;
  let solid = true;
  const unknown = (splits: boolean): void => {
    open = false;
    if (splits) solid = false;
  };
  for (const part of parts) {
    switch (part.type) {
      case 'AnsiCQuoted':
        // A byte that is no character is lost in the text.
        if (part.value.includes('\uFFFD')) unknown(false);
        else if (open) start += part.value;
        break;
      case 'Literal':
      case 'SingleQuoted':
        if (open) start += part.value;
        break;
      case 'DoubleQuoted':
      case 'LocaleString':
        for (const child of part.parts) {
          if (child.type !== 'Literal') unknown(lists.test(child.text));
          else if (open) start += child.value;
        }
        break;
      case 'Glob':
      case 'ExtendedGlob':
        unknown(false);
        break;
      case 'ProcessSubstitution':
        if (open) start += '/dev/fd/';
        unknown(false);
        break;
      default:
        unknown(!counts.test(part.text));
    }
  }
  if (open) return known(start);
  if (parts.length === 1 && parts[0]!.type === 'ProcessSubstitution')
    return { text: undefined, guess, start, solid, isPipe: true };
  const glob = globOf(parts);
  return { text: undefined, guess, start, solid, ...(glob && { glob }) };
}

/** Only what is between its signs is known; a name that begins with a dot is none of those that a sign at its begin stands for. */
function globOf(parts: readonly WordPart[]): ShellWord['glob'] {
  const pieces = [''];
  for (const part of parts) {
    if (part.type === 'Glob') pieces.push('');
    else if (part.type === 'Literal' || part.type === 'SingleQuoted') pieces[pieces.length - 1] += part.value;
    else return undefined;
  }
  const end = pieces[0]!.lastIndexOf('/') + 1;
  const names = [pieces[0]!.slice(end), ...pieces.slice(1)];
  // Behind a dot stand `.` and `..`, too; and signs in a folder are files of several.
  if (names[0]!.startsWith('.') || names.some((piece) => piece.includes('/')) || names.length > 5) return undefined;
  return /^[-~]/.test(pieces[0]!) ? undefined : { folder: pieces[0]!.slice(0, end), pieces: names };
}
