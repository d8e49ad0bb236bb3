/** Programs that build, and others with sub-commands of which some run words: make, cargo, go, gh. */
import { clip } from './clip.js';
import { tail } from './options.js';
import { isCommandName } from './names.js';
import type { Room, TakeApart } from './room.js';
import type { Use } from './run-words.js';
import { checkRisks, type Risk } from './scripted.js';
import { anything, known } from './shell-word.js';
import { runRest } from './wrappers.js';

const rules: Readonly<Record<string, TakeApart>> = { make, gmake: make, go, cargo, gh };

export const builders: Room = {
  names: Object.keys(rules),
  ruleOf: (name) => (Object.hasOwn(rules, name) ? rules[name] : undefined),
};

const ofMake: Risk = {
  other: /^--ev|^-[A-Za-z]*E|^-[A-Za-z]*f(?:-|$|[/.])|^--(?:fi|ma)/,
  longs: ['eval', 'file', 'makefile'],
};
/** Variables that say what recipes are run with. */
const steering = /^\.|SHELL|MAKE/;
/** Text that neither make nor a shell does anything with. */
const plain = /^[\w\s./:@%+,=-]*$/;

/** A word with `=` gives a variable to the recipes, whatever it is called. */
function make(use: Use): void {
  const { reader, words, command, name, place } = use;
  checkRisks(use, ofMake);
  for (const word of words) {
    const { text, guess } = word;
    const equal = guess.indexOf('=');
    if (equal === -1 || guess[0] === '-') continue;
    const variable = /(\S*?)\s*[:?+!]*$/.exec(guess.slice(0, equal))![1]!;
    const value = tail(word, equal + 1);
    if (text === undefined || guess[equal - 1] === '!' || steering.test(variable) || !plain.test(value.guess)) {
      reader.doubt(`an option of '${name}' can run commands: ${clip(guess)}`);
    } else if (isCommandName(variable)) reader.code(value, reader.inside(place, `make ${variable}`));
    else if (value.guess !== '') reader.heed(command, [value, anything('')]);
  }
}

/** The first word that is none of an option. */
const subOf = ({ words }: Use): number => words.findIndex(({ start }) => start[0] !== '-' && start[0] !== '+');

const ownOfGo = new Set(
  'build clean doc env fix fmt generate get install list mod work telemetry test version vet help bug'.split(' '),
);
/** A linker, or an option of one that runs a program. */
const links = /-extld(?:=|\s|$)|-wrapper|-fplugin|-specs|-fuse-ld|-B/;

function go(use: Use): void {
  const { reader, words, command } = use;
  checkRisks(use, { other: /^-{1,2}(?:exec|toolexec|vettool|w(?:=|$))/ });
  const sub = words[subOf(use)]?.text;
  if (sub === undefined || !ownOfGo.has(sub)) reader.heed(command, words.slice(subOf(use) + 1));
  for (const [at, { start, guess }] of words.entries()) {
    if (!/^-{1,2}(?:ld|gccgo)flags/.test(start)) continue;
    const value = guess.includes('=') ? guess : (words[at + 1]?.guess ?? '');
    if (links.test(value)) reader.doubt(`an option of 'go' can run commands: ${clip(value)}`);
  }
}

const ownOfCargo = new Set(
  `b build c check clean d doc new init add remove rm t test bench update search publish install uninstall fix clippy fmt
  tree metadata fetch generate-lockfile locate-project login logout owner package pkgid report rustc rustdoc vendor
  verify-project version yank help info config`.split(/\s+/),
);

function cargo(use: Use): void {
  const { reader, words, command } = use;
  checkRisks(use, { other: /^--(?:config|shell)|^-s/ });
  const at = subOf(use);
  if (at !== -1 && !ownOfCargo.has(words[at]!.text ?? '')) reader.heed(command, words.slice(at + 1));
}

const ownOfGh = new Set(
  `accessibility agent-task api attestation auth browse cache codespace completion config cs gist gpg-key help issue label
  org pr preview project release repo rs ruleset run search secret skill ssh-key status variable version workflow`.split(
    /\s+/,
  ),
);

function gh(use: Use): void {
  const { reader, words, command } = use;
  const at = subOf(use);
  if (at === -1) return;
  const { text, guess } = words[at]!;
  const risky = (what: string): void => reader.doubt(`an option of 'gh' can run commands: ${clip(what)}`);
  if (text === undefined || /^(?:alias|ext|extensions?|!.*)$/.test(text)) return risky(guess);
  if (!ownOfGh.has(text)) reader.heed(command, words.slice(at));
  const end = words.findIndex((word) => word.text === '--');
  if (text === 'config' && words.some((word) => word.text === 'set')) risky(guess);
  else if (/^(?:codespace|cs)$/.test(text)) {
    reader.heed(command, words.slice(at + 1));
    if (words.some((word) => word.text === 'ssh' || word.text === undefined)) risky(guess);
  } else if (text === 'repo' && end !== -1) {
    runRest(use, [known('git'), known('clone'), ...words.slice(end + 1)], 'gh repo');
  }
}
