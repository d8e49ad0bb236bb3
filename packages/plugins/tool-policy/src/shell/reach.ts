/** Where a line goes and what it names beside the words of its commands: the folders that it moves to, values, tests, globs. */
import type { Place } from './reader.js';
import type { ShellWord } from './shell-word.js';

/** A step to another folder. */
export interface Move {
  /** As it is written; `undefined` when it is not known. */
  readonly to: string | undefined;
  /** What moves: `cd`. */
  readonly by: string;
  /** It may happen any number of times, and at any time: in a loop, or in a function. */
  readonly again: boolean;
  /** The shell itself goes there; else a program does, for itself and what it runs. */
  readonly shell: boolean;
}

export interface Reach {
  readonly moves: readonly Move[];
  /** Texts that may hold names of files. */
  readonly names: readonly string[];
  /** The line gives `HOME` a value, so `~` is another folder than here. */
  readonly movesHome: boolean;
}

/** Of more than these nobody asks where they lead. */
const enough = 64;
const movers: ReadonlySet<string> = new Set(['cd', 'chdir', 'pushd', 'popd', 'dirs']);
/** Variables and options of a shell that change where `cd` leads. */
const steering: ReadonlySet<string> = new Set(['CDPATH', 'PWD', 'OLDPWD']);
const switches = /^(?:cdable_?vars|auto_?cd)$/i;
/** Programs whose `-C` is about something else. */
const stays = /^(?:ls|dir|[a-z]*grep|rg|diff|curl|ssh|scp|rsync|hexdump|column)$/;
const longs = /^--(?:chdir|directory|cwd|cd|wd|wdns|working-dir(?:ectory)?|workdir|work-tree|prefix|dir)(?:=|$)/;

export class Reaches {
  readonly #moves: Move[] = [];
  readonly #names = new Set<string>();
  #steers: string | undefined;
  #movesHome = false;

  /** A variable gets a value. */
  assigned(name: string, value: ShellWord | undefined): void {
    if (name === 'HOME') this.#movesHome = true;
    else if (steering.has(name)) this.#steers = name;
    // Programs are found by it, which is said of the command.
    if (value !== undefined && name !== 'PATH') this.#valued(value);
  }

  /** A function takes a name. */
  shadowed(name: string): void {
    if (movers.has(name)) this.#steers = name;
  }

  /** A word that names a file, and is no word of a command. */
  file(word: ShellWord): void {
    if (word.text === undefined) this.#begun(word);
    else this.#names.add(word.text);
  }

  command(name: string, words: readonly ShellWord[], { again }: Place): void {
    for (const { text } of words) {
      if (text !== undefined && text.length < 12 && switches.test(text)) this.#steers = text;
    }
    if (movers.has(name)) {
      const to = name === 'popd' || name === 'dirs' ? undefined : targetOf(name, words);
      this.#moves.push({ to, by: name, again: again !== 'never', shell: true });
    } else if (name !== '' && this.#moves.length < enough) {
      for (const { text } of folders(name, words)) this.#moves.push({ to: text, by: name, again: false, shell: false });
    }
  }

  found(): Reach {
    const moves = this.#moves;
    if (this.#steers !== undefined && moves.some(({ shell }) => shell)) {
      moves.push({ to: undefined, by: this.#steers, again: true, shell: true });
    }
    return { moves, names: [...this.#names], movesHome: this.#movesHome };
  }

  #valued(word: ShellWord): void {
    if (word.text === undefined) this.#begun(word);
    else if (/^[.~]|\//.test(word.text)) this.#names.add(word.text);
  }

  /** Of `/root/*` the folder is known. */
  #begun(word: ShellWord): void {
    const folder = folderOf(word);
    if (folder !== undefined) this.#names.add(folder);
  }
}

/** The folder in front of what is not known of a word, as far as it has one. */
export function folderOf({ start }: ShellWord): string | undefined {
  const end = start.lastIndexOf('/') + 1;
  return end > 0 ? start.slice(0, end) : undefined;
}

/** `cd` alone leads home; an option moves nothing; `-` and what is not known lead somewhere. */
function targetOf(name: string, words: readonly ShellWord[]): string | undefined {
  const end = words.findIndex(({ text }) => text === '--');
  const rest = words.filter(({ text }, at) =>
    end !== -1 && at >= end ? at > end : text === undefined || text === '-' || !text.startsWith('-'),
  );
  if (rest.length === 0) return name === 'pushd' ? undefined : '~';
  const text = rest[0]?.text;
  return rest.length > 1 || text === '-' || text?.startsWith('+') === true ? undefined : text;
}

const somewhere: Pick<ShellWord, 'text'> = { text: undefined };

/** Where a program goes by an option of its own: `env -C x`, `make --directory=x`, `find -execdir`. */
function folders(name: string, words: readonly ShellWord[]): readonly Pick<ShellWord, 'text'>[] {
  if (name === 'chroot') return [somewhere];
  const letter = name === 'sudo' ? /^-[A-Za-z]*D/ : name === 'nsenter' || name === 'unshare' ? /^-[A-Za-z]*w/ : plain;
  const found: Pick<ShellWord, 'text'>[] = [];
  for (const [at, { text, start }] of words.entries()) {
    const next = words[at + 1] ?? somewhere;
    if (name === 'tar' && at === 0 && /^[A-Za-z]*C/.test(start)) found.push(somewhere);
    else if (name === 'cmake' && text === 'chdir' && words[at - 1]?.text === '-E') found.push(next);
    else if (start[0] !== '-') continue;
    else if (/^-(?:exec|ok)dir$/.test(start) && name.endsWith('find')) found.push(somewhere);
    else if ((name === 'sudo' && /^-(?:-login$|[A-Za-z]*i)/.test(start)) || (name.startsWith('su') && isLogin(start)))
      found.push(somewhere);
    else {
      const option = longs.exec(start) ?? (stays.test(name) ? null : letter.exec(start));
      if (option === null) continue;
      const front = option[0].length;
      if (text === undefined) found.push(somewhere);
      else found.push(text.length > front || option[0].endsWith('=') ? { text: text.slice(front) } : next);
    }
  }
  return found;
}
const plain = /^-[A-Za-z]*C/;
const isLogin = (start: string): boolean => start === '-' || /^-(?:-login$|[A-Za-z]*l)/.test(start);
