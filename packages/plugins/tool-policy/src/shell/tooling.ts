/** Tools of projects that run words, or code, behind an option or a sub-command of theirs. */
import type { Room } from './room.js';
import type { Use } from './run-words.js';
import { known } from './shell-word.js';
import { assignments, runRest } from './wrappers.js';

const rules: Readonly<Record<string, (use: Use) => void>> = {
  cmake,
  nix: (use) => runBehind(use, /^(?:-c|--command)$/),
  just: (use) => {
    runBehind(use, /^(?:-c|--command)$/);
    if (use.words.some(({ start }) => /^(?:--(?:shell|chooser|justfile)|-f(?:-|.*\/(?:dev|proc)\/))/.test(start))) {
      use.reader.doubt("an option of 'just' can run commands");
    }
  },
  onchange: (use) => runBehind(use, /^--$/),
  concurrently: codes,
  pee: codes,
  mispipe: codes,
};

export const tooling: Room = {
  names: Object.keys(rules),
  ruleOf: (name) => (Object.hasOwn(rules, name) ? rules[name] : undefined),
};

/** `cmake -E env A=b command`, `cmake -E chdir folder command`. */
function cmake(use: Use): void {
  use.reader.heed(use.command, use.words);
  const at = use.words.findIndex(({ text }) => text === '-E');
  const rest = use.words.slice(at + 2);
  switch (at === -1 ? undefined : use.words[at + 1]?.text) {
    case 'env': {
      const from = rest.findIndex(({ start }) => !/^--(?:unset|modify)=/.test(start));
      const words = from === -1 ? [] : rest.slice(rest[from]!.text === '--' ? from + 1 : from);
      const [names, to] = assignments({ ...use, words }, 0);
      return runRest({ ...use, assigns: [...use.assigns, ...names] }, words.slice(to), 'cmake -E env');
    }
    case 'chdir':
      return runRest(use, rest.slice(1), 'cmake -E chdir');
    case 'time':
      return runRest(use, rest, 'cmake -E time');
    default:
      // What stands behind is for make, or for what else it builds with.
      if (use.words.some(({ text }) => text === '--build')) {
        const end = use.words.findIndex(({ text }) => text === '--');
        if (end !== -1) runRest(use, [known('make'), ...use.words.slice(end + 1)], 'cmake --build');
      }
  }
}

/** What stands behind an option is a command and its words. */
function runBehind(use: Use, option: RegExp): void {
  const at = use.words.findIndex(({ text }) => text !== undefined && option.test(text));
  if (use.name !== 'just') use.reader.heed(use.command, at === -1 ? use.words : use.words.slice(0, at));
  if (at !== -1) runRest(use, use.words.slice(at + 1), `${use.name} ${use.words[at]!.guess}`);
}

/** Each word that is no option is code for a shell, or the value of an option, which is taken for some, too. */
function codes(use: Use): void {
  use.reader.heed(
    use.command,
    use.words.filter(({ start }) => start[0] === '-'),
  );
  for (const word of use.words) {
    if (word.start[0] !== '-') use.reader.code(word, use.reader.inside(use.place, use.name));
  }
}
