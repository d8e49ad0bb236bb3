/** Variables: which ones get a text that bash may run as code, and which names make programs run other code. */
import type { Reader, Place } from './reader.js';
import type { SimpleCommand } from './read-command.js';
import { anything, type ShellWord } from './shell-word.js';
import { clip } from './clip.js';

/** Variables whose value programs hand to a shell. */
const commands = new Set(
  `BROWSER EDITOR FCEDIT GIT_ASKPASS GIT_EDITOR GIT_EXTERNAL_DIFF GIT_PAGER GIT_PROXY_COMMAND GIT_SEQUENCE_EDITOR GIT_SSH
  GIT_SSH_COMMAND LESSCLOSE LESSOPEN MANPAGER PAGER PROMPT_COMMAND RSYNC_RSH SSH_ASKPASS SUDO_ASKPASS SUDO_EDITOR
  SVN_SSH SYSTEMD_EDITOR SYSTEMD_PAGER VISUAL CVS_RSH MAKESHELL NPM_CONFIG_SCRIPT_SHELL AWS_PAGER GH_PAGER GH_EDITOR
  HGEDITOR KUBE_EDITOR PSQL_PAGER PSQL_EDITOR RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER AR CC CPP CXX LD
  FZF_DEFAULT_COMMAND FZF_CTRL_T_COMMAND FZF_ALT_C_COMMAND BAT_PAGER DELTA_PAGER CARGO_BUILD_RUSTC CARGO_BUILD_RUSTC_WRAPPER
  CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTDOC`.split(/\s+/),
);
/** Variables that make a shell or a program load code, or read a configuration that runs some. */
const loaders = new RegExp(
  `^(?:BASH_ENV|ENV|ZDOTDIR|R?PS[0-4]|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|BASH_LOADABLES_PATH|LD_PRELOAD|LD_AUDIT|\
LD_LIBRARY_PATH|DYLD_.*|GCONV_PATH|NODE_(?:OPTIONS|PATH)|PYTHON(?:STARTUP|HOME|INSPECT|BREAKPOINT|PATH|USERBASE)|PERL5(?:OPT|DB|LIB)|PERLLIB|RUBY(?:OPT|LIB)|\
LUA_INIT.*|PHPRC|PHP_INI_SCAN_DIR|_?JAVA(?:_TOOL)?_OPTIONS|JDK_JAVA_OPTIONS|GIT_CONFIG.*|GIT_EXEC_PATH|GIT_DIR|\
GIT_TEMPLATE_DIR|GIT_COMMON_DIR|XDG_CONFIG_(?:HOME|DIRS)|MANOPT|ZIPOPT|UNZIP|CLASSPATH|GOFLAGS|RUSTFLAGS|CARGO_.*_(?:LINKER|RUNNER|RUSTFLAGS)|GIT_ALLOW_PROTOCOL|TAR_OPTIONS|RSYNC_CONNECT_PROG|G?N?U?MAKEFLAGS|MAKEFILES|VIMINIT|EXINIT|MYVIMRC|\
LESS|INPUTRC|RIPGREP_CONFIG_PATH|OPENSSL_(?:CONF|ENGINES|MODULES)|CURL_HOME|WGETRC|CARGO_HOME|FZF_DEFAULT_OPTS(?:_FILE)?|BAT_OPTS)$`,
);
/** Settings of npm that only change what is printed or kept. Of the others some run a program of theirs. */
const npm =
  /^npm_config_(?!(?:yes|loglevel|fund|audit|progress|color|update_notifier|cache|offline|prefer_offline|engine_strict)$)/i;
/** Programs with a configuration in the home folder that runs commands. */
const homebodies = new Set(['git', 'hg', 'npm', 'pnpm', 'svn', 'yarn']);
/** The values of `NODE_OPTIONS` that people use and that load nothing. */
const calm = /^(?:--(?:max-old-space-size=\d+|no-warnings|no-deprecation|trace-warnings|enable-source-maps)\s*)*$/;
/** The same of `GOFLAGS`. */
const calmGo = /^(?:-(?:mod=\w+|race|v|count=\d+|buildvcs=\w+|trimpath)\s*)*$/;

/** A number, so no code in an array index. */
const number = /^[-+]?\d*$/;
const identifier = /[A-Za-z_]\w*/g;
/** Parts of an arithmetic text whose outcome bash reads as arithmetic again. */
const computedLater = /\$\((?!\()|`|\$\{[\s|!]|\$\{?[\d@*]/;

/** Their values are folders. */
const folders = /^(?:(?:MAN|CD)?PATH|HOME|(?:OLD)?PWD|TMPDIR)$/;

/** A variable, as if it were a program. */
const valueOf = (name: string): SimpleCommand => ({
  program: `${name}=`,
  path: '',
  words: [],
  redirects: [],
  assigns: [],
  behind: [],
});

const isCalm = (name: string, value: string): boolean =>
  (name === 'NODE_OPTIONS' && calm.test(value)) || (name === 'GOFLAGS' && calmGo.test(value));

export const isCommandName = (name: string): boolean => commands.has(name);

/** Shells that people have. */
const shells = /^(?:(?:\/usr)?(?:\/local)?\/bin\/)?(?:ba|z|da|k|fi)?sh$/;
/** What make and the shells that it starts do something with. */
const expands = /[$`;|&<>\n]/;

export class Names {
  readonly #reader: Reader;
  /** Names that the line gives a text which is no number. */
  readonly #texts = new Set<string>();
  /** Names that the line computes with. */
  readonly #computed = new Set<string>();
  /** What functions are called. */
  readonly #shadows = new Set<string>();
  readonly #values: (readonly [name: string, value: ShellWord])[] = [];
  #runs = false;
  #anyText = false;
  #movesHome = false;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** A name gets a value; without one, a value that is not known. */
  assigned(name: string, value: ShellWord | undefined, place: Place): void {
    this.#reader.reaches.assigned(name, value);
    if (value !== undefined) this.#reader.values.push(value);
    if (value !== undefined && value.guess !== '' && !folders.test(name)) this.#values.push([name, value]);
    if (name === 'HOME') this.#movesHome = true;
    if (value?.text === undefined || !number.test(value.text)) this.#texts.add(name);
    if (name === 'SHELL' && !shells.test(value?.text ?? '?')) this.#reader.doubt('SHELL is set, which programs run');
    if (commands.has(name)) {
      if (value === undefined) this.#reader.doubt(`${name} names a command that is not written out`);
      else if (value.guess !== '') this.#reader.code(value, this.#reader.inside(place, name, { stdin: undefined }));
    } else if ((loaders.test(name) || npm.test(name)) && !isCalm(name, value?.text ?? '?')) {
      this.#reader.doubt(`${clip(name)} is set, which makes programs run other code`);
    }
  }

  /** A name that is given to a builtin as a word: `read x`, `unset 'a[0]'`. */
  named(word: ShellWord, place: Place): void {
    if (word.text === undefined) {
      this.#anyText = true;
      return this.#reader.doubt(`a variable is named by what is not written out: ${clip(word.guess)}`);
    }
    const [name = '', ...index] = word.text.split('[');
    if (index.length > 0) this.computes(index.join('['));
    this.assigned(name, undefined, place);
  }

  /** A text that bash computes. */
  computes(text: string): void {
    if (computedLater.test(text)) {
      this.#reader.doubt(`bash computes with what is not known, which can run commands: ${clip(text)}`);
    }
    for (const [name] of text.matchAll(identifier)) this.#computed.add(name);
  }

  /** A function takes a name. What it runs is read; what it writes is not. */
  shadowed(name: string): void {
    this.#reader.reaches.shadowed(name);
    this.#shadows.add(name);
    if (/^(?:echo|printf|cat)$/.test(name)) this.#reader.doubt(`a function takes the name of ${name}`);
  }

  /** Some variable gets this text, by a builtin. */
  holds(name: string, value: ShellWord): void {
    this.#values.push([name, value]);
  }

  isShadowed(program: string): boolean {
    return this.#shadows.has(program);
  }

  /** Some program runs that may look at what variables say. */
  runs(): void {
    this.#runs = true;
  }

  settle(programs: readonly { readonly program: string }[]): void {
    if (this.#runs) for (const [name, value] of this.#values) this.#reader.heed(valueOf(name), [value, anything('')]);
    const builds = programs.some(({ program }) => /^(?:g?make|cmake)$/.test(program));
    const expanded = builds
      ? this.#values.find(([, { text, guess }]) =>
          text === undefined ? /\$\(shell|`/.test(guess) : expands.test(text),
        )
      : undefined;
    if (expanded !== undefined)
      this.#reader.doubt(`make expands what ${clip(expanded[0])} says, which can run commands`);
    const found = this.#movesHome ? programs.find(({ program }) => homebodies.has(program)) : undefined;
    if (found !== undefined) {
      this.#reader.doubt(`HOME is set, where the configuration of '${found.program}' is, which can run commands`);
    }
    for (const name of this.#computed) {
      if (!this.#anyText && !this.#texts.has(name)) continue;
      this.#reader.doubt(`bash computes with ${clip(name)}, whose text may hold commands`);
      return;
    }
  }
}
