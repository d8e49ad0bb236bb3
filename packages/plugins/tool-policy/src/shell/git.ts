/** git, which runs commands by its configuration, by options, and for each commit or submodule. */
import { clip } from './clip.js';
import { isShortFor, optionTable, readOptions, tail } from './options.js';
import type { Room } from './room.js';
import type { Use } from './run-words.js';
import { joined } from './shells.js';
import { mayBeOption, type ShellWord } from './shell-word.js';
import { runRest } from './wrappers.js';

export const gitRoom: Room = { names: ['git'], ruleOf: (name) => (name === 'git' ? git : undefined) };

/** What comes with git. Any other sub-command is an alias, or a program of somebody. */
const own = new Set(
  `add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap
  check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config
  count-objects credential describe diagnose diff diff-files diff-index diff-tree difftool fast-export fast-import fetch
  fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep hash-object
  help index-pack init init-db instaweb interpret-trailers log lfs ls-files ls-remote ls-tree mailinfo mailsplit maintenance
  merge merge-base merge-file merge-tree mergetool mktag mktree mv name-rev notes pack-objects prune pull push range-diff
  read-tree rebase reflog refs remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm
  send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule
  switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info var verify-commit
  verify-pack verify-tag version whatchanged worktree write-tree`.split(/\s+/),
);

const options = optionTable(
  `c: C: p P h v --version --help --exec-path? --html-path --man-path --info-path --paginate --no-pager --git-dir=
  --work-tree= --namespace= --bare --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs
  --icase-pathspecs --no-optional-locks --config-env= --super-prefix= --attr-source=`,
);
/** Settings that run nothing. Of the others nobody here says so. */
const calm =
  /^(?:user\.(?:name|email)|color\.\w+|init\.defaultbranch|advice\.\w+|commit\.gpgsign|tag\.gpgsign|core\.(?:quotepath|autocrlf|filemode|ignorecase|abbrev|bare|eol|safecrlf|longpaths)|gc\.auto|pull\.(?:rebase|ff)|push\.default|safe\.directory|http\.(?:postbuffer|lowspeedlimit|lowspeedtime|sslverify|version)|protocol\.version|fetch\.\w+|merge\.(?:ff|conflictstyle)|diff\.(?:renames|algorithm|mnemonicprefix|noprefix)|rebase\.\w+|status\.\w+|log\.\w+|column\.\w+)$/i;
/** Sub-commands of which each word that is not known may be an option that runs something. */
const wary = new Set(
  `archive bisect clone config difftool fetch filter-branch for-each-repo grep instaweb ls-remote mergetool pull push
  rebase remote send-email submodule daemon upload-pack receive-pack fetch-pack send-pack credential`.split(/\s+/),
);
/** Sub-commands that are there to run what they are told. */
const runners = /^(?:remote-(?:ext|fd)|merge-index|daemon|shell|web--browse|http-backend)$/;
const risky = /^(?:--(?:upl|rece|exe|ext|op|to-|cc-|tool|con|templ|c=)|-[A-Za-z]*O|ext::|fd::|[\w-]+::)/;
/** git takes a long option by any beginning that is not one of two; these run something in every sub-command. */
const everywhere = ['upload-pack', 'receive-pack', 'template'];
const inWary = [...everywhere, 'exec', 'extcmd', 'open-files-in-pager', 'to-cmd', 'tool', 'config'];

function git(given: Use): void {
  const use = { ...given, place: { ...given.place, stdin: undefined } };
  const { reader, words } = use;
  const { at, values } = readOptions(use, options);
  checkSettings(use, words.slice(0, at));
  if (values.has('--git-dir') || values.get('--exec-path') !== undefined) {
    reader.doubt("'git' takes its configuration or its programs from elsewhere");
  }
  const sub = words[at]?.text;
  const rest = words.slice(at + 1);
  if (sub === undefined) return;
  if (!own.has(sub)) reader.heed(use.command, rest);
  for (const word of rest) {
    if (word.text === undefined && wary.has(sub) && mayBeOption(word)) {
      reader.doubt(`'git ${sub}' has a word that is not written out: ${clip(word.guess)}`);
    } else if (
      isShortFor(word.start, wary.has(sub) ? inWary : everywhere) ||
      (risky.test(word.text ?? word.start) &&
        (wary.has(sub) || !/^--(?:exe|ext|op|to-|tool|con|c=)|^-[A-Za-z]*O/.test(word.guess)))
    ) {
      if (sub !== 'rebase' || !isShortFor(word.start, ['exec']))
        reader.doubt(`a word of 'git ${sub}' runs a command: ${clip(word.guess)}`);
    }
  }
  runSub(use, sub, rest);
}

function runSub(use: Use, sub: string, rest: readonly ShellWord[]): void {
  const { reader } = use;
  if (sub === 'rebase') return valuesOf(rest, 'x', 'exec').forEach((code) => codeOf(use, code, 'git rebase -x'));
  if (sub === 'bisect' && rest[0]?.text === 'run') return runRest(use, rest.slice(1), 'git bisect run');
  if (sub === 'difftool') return valuesOf(rest, 'x', 'extcmd').forEach((code) => codeOf(use, code, 'git difftool -x'));
  if (sub === 'submodule') {
    const at = rest.findIndex(({ text }) => text === 'foreach');
    if (at !== -1)
      codeOf(use, joined(rest.slice(at + 1).filter(({ text }) => text !== '--recursive')), 'git submodule');
    return;
  }
  if (runners.test(sub)) return reader.doubt(`'git ${clip(sub)}' runs commands that are not read`);
  if (sub === 'filter-branch' || sub === 'for-each-repo' || sub === 'instaweb' || sub === 'send-email') {
    return reader.doubt(`'git ${sub}' runs commands that are not read`);
  }
  if (sub === 'config') checkConfig(use, rest);
  if ((sub === 'clone' || sub === 'ls-remote') && valuesOf(rest, 'u', 'upload-pack').length > 0) {
    reader.doubt(`'git ${sub}' names a program for the other side`);
  }
  if (sub === 'clone' && valuesOf(rest, 'c', 'config').length > 0) reader.doubt("'git clone' sets its configuration");
}

const codeOf = ({ reader, place }: Use, word: ShellWord, label: string): void =>
  reader.code(word, reader.inside(place, label));

/** The values of an option, wherever it stands. */
function valuesOf(words: readonly ShellWord[], letter: string, long: string): readonly ShellWord[] {
  const short = new RegExp(`^-[A-Za-z]*?${letter}(?!$)`);
  const alone = new RegExp(`^-[A-Za-z]*${letter}$`);
  return words.flatMap((word, at) => {
    const isLong = isShortFor(word.start, [long]);
    const equal = word.start.indexOf('=');
    if ((isLong && equal === -1) || alone.test(word.text ?? '')) return words.slice(at + 1, at + 2);
    const front = isLong ? equal + 1 : (short.exec(word.start)?.[0].length ?? 0);
    return front === 0 ? [] : [tail(word, front)];
  });
}

/** `-c key=value`, each of them. */
function checkSettings({ reader }: Use, words: readonly ShellWord[]): void {
  for (const [at, { start, text }] of words.entries()) {
    if (start.startsWith('--config-env')) reader.doubt("'git' takes a setting from a variable");
    const attached = /^-c(.+)$/s.exec(start);
    const setting = text === '-c' ? words[at + 1]?.start : attached?.[1];
    if (setting !== undefined && !calm.test(setting.split('=')[0]!)) {
      reader.doubt(`a setting of 'git' can run commands: ${clip(setting)}`);
    }
  }
}

/** Options of `git config` with a word of their own. */
const valued = /^(?:-f|-t|--(?:comm|typ|def|fil|bl|val|url)[\w-]*)$/;
/** A setting that is written stays for later calls. */
function checkConfig({ reader }: Use, words: readonly ShellWord[]): void {
  const operands = words.filter(
    ({ text }, at) => text?.startsWith('-') !== true && !valued.test(words[at - 1]?.text ?? ''),
  );
  const reads =
    /^(?:get|list|unset|get-(?:all|regexp|urlmatch|color|colorbool))$/.test(operands[0]?.text ?? '') ||
    words.some(({ text }) => /^(?:--get(?:-\w+)?|--list|-l|--unset(?:-all)?)$/.test(text ?? ''));
  if (reads || (operands.length < 2 && !words.some(({ text }) => text === '--edit' || text === '-e'))) return;
  const name = operands.find(({ text }) => text !== 'set');
  if (!calm.test(name?.text ?? '')) reader.doubt(`a setting of 'git' can run commands: ${clip(name?.guess ?? '')}`);
}
