/** One reading under way: what was found so far, and the two ways in, a script and a list of words. */
import { parse } from 'unbash';
import { Names } from './names.js';
import { Reaches } from './reach.js';
import { runWords, type Given } from './run-words.js';
import { walkScript } from './walk.js';
import type { Heeded, SimpleCommand } from './read-command.js';
import type { ShellWord } from './shell-word.js';
import { clip } from './clip.js';

/** Where in the whole a script or a command stands. */
export interface Place {
  readonly behind: readonly string[];
  /** How many scripts and wrappers are around it. */
  readonly depth: number;
  /** `any`: which shell reads it is not known, so all that bash or a plain sh would run counts. */
  readonly dialect: 'any' | 'bash' | 'zsh';
  /** What its standard input holds, when the line itself says that. */
  readonly stdin: ShellWord | undefined;
  /** Whether it may run more than once, or later: in a loop, as long as no subshell is between; in a function or a trap. */
  readonly again: 'never' | 'loop' | 'call';
}

/** Scripts and wrappers inside each other. */
const deepest = 32;
/** Parsing takes the square of their number. */
const mostHereDocuments = 200;
/** Steps: characters of scripts and words of commands, each counted as often as it is read. */
export const mostWork = 1_000_000;
/** What a script or a command costs, however short it is. */
const least = 200;
/** What a word costs, however short it is. */
const perWord = 16;
/** A line that makes more reasons than this is not understood any better by more. */
const mostReasons = 24;

export class Reader {
  readonly commands: SimpleCommand[] = [];
  readonly unknown = new Set<string>();
  readonly names = new Names(this);
  readonly reaches = new Reaches();
  /** The words of each command, in the order of `commands`. */
  readonly words: (readonly ShellWord[])[] = [];
  readonly heeded: Heeded[] = [];
  /** What variables are given. */
  readonly values: ShellWord[] = [];
  #spent = 0;
  readonly outermost: Place = { behind: [], depth: 0, dialect: 'any', stdin: undefined, again: 'never' };

  /** Says that something is not known. */
  doubt(why: string): void {
    if (this.unknown.size < mostReasons) this.unknown.add(why);
  }

  /** Steps so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Counts the work on a text; false, with a doubt, when there was too much already. */
  #spend(characters: number): boolean {
    if (this.#spent > mostWork) return false;
    this.#spent += characters + least;
    if (this.#spent > mostWork) this.unknown.add('it takes too much work to read');
    return this.#spent <= mostWork;
  }

  /** Counts the work on a list of words: who looks at them again, at a place further on, asks again. */
  goesOn(words: number): boolean {
    return this.#spend(words * perWord);
  }

  /** Words that a program may run for all that is known of it. A rule that one of them would match is unknown. */
  heed(command: SimpleCommand, words: readonly ShellWord[]): void {
    if (words.length > 0 && this.goesOn(words.length)) this.heeded.push({ command, words });
  }

  /** A place one step further in, or `undefined`, with a doubt, when that is too deep. */
  inside(place: Place, label?: string, other?: Partial<Place>, characters = 0): Place | undefined {
    if (!this.#spend(characters)) return undefined;
    if (place.depth >= deepest) {
      this.doubt(`commands are nested more than ${deepest} deep`);
      return undefined;
    }
    const behind = label === undefined ? place.behind : [...place.behind, label];
    return { ...place, ...other, behind, depth: place.depth + 1 };
  }

  /** Reads a text as a shell would. */
  script(text: string, place: Place): void {
    if (text.includes('\0')) this.doubt('a NUL character stands in it');
    if (text.includes('<<') && text.split('<<').length > mostHereDocuments) {
      return this.doubt(`it has more than ${mostHereDocuments} here-documents`);
    }
    if (!this.#spend(text.length)) return;
    const script = parse(text);
    const last = script.commands.at(-1);
    // A bracket that opens nothing at the very end is passed over by the parser.
    if (last !== undefined && /^\s*[()]/.test(text.slice(last.end, last.end + 64))) {
      this.doubt('unparsable: a bracket stands where none can');
    }
    walkScript(script, text, this, place);
  }

  /** Reads a word that a shell will read as code. What is not known of it is said, and the rest read all the same. */
  code(word: ShellWord, place: Place | undefined): void {
    if (place === undefined) return;
    if (word.text === undefined)
      this.doubt(`the code for '${place.behind.at(-1) ?? 'sh'}' is not written out: ${clip(word.guess)}`);
    this.script(word.text ?? word.guess, place);
  }

  /** Lists a command that is these words, and what it runs in its turn. */
  run(words: readonly ShellWord[], given: Given, place: Place): void {
    if (this.goesOn(words.length)) runWords(words, given, this, place);
  }

  /** What can be said only when everything was seen. */
  settle(): void {
    this.names.settle(this.commands);
  }
}
