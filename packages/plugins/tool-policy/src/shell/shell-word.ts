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
  return open ? known(start) : { text: undefined, guess, start, solid };
}
