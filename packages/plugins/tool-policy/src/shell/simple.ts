/** A simple command of a line: its words, its assignments, its redirects, and what it finds on its input. */
import type { Assignment, Command, HereDoc, Redirection } from 'unbash';
import type { CommandRedirect } from './read-command.js';
import { anything, known, partly, wordOf, type ShellWord } from './shell-word.js';
import { oneWord, shellWords } from './words-of.js';
import type { At } from './at.js';

/** Behind so many words braces are not undone any more. */
const mostWords = 1000;

/** Lists a command and what it runs. `label` is the wrapper in front of it that the grammar has, and no program. */
export function readSimple(command: Command, above: At, label?: string): void {
  const at = { ...above, level: above.level + 1 };
  const { name, prefix, suffix, redirects } = command;
  const parts = { ...at, place: { ...at.place, stdin: undefined } };
  const assigns: string[] = [];
  for (const part of prefix) {
    if (part.type === 'Assignment') assigns.push(part.name);
    at.visit(part, parts);
  }
  const words = name === undefined ? [] : [...shellWords(name)];
  for (const part of suffix) {
    if (part.type === 'Word') {
      if (part.parts === undefined) words.push(known(part.value));
      else words.push(...(words.length < mostWords ? shellWords(part) : [anything(part.text)]));
    } else if (part.type === 'Assignment') {
      words.push(assignment(part));
      assigns.push(part.name);
    }
  }
  const place = { ...at.place, stdin: inputOf(redirects, at.place.stdin) };
  const all = label === undefined ? words : [known(label), ...words];
  at.reader.run(all, { assigns, redirects: filesOf(redirects) }, place);
  if (name?.parts !== undefined) at.visit(name, parts);
  for (const part of suffix) {
    if (part.type !== 'Word' || part.parts !== undefined) at.visit(part, parts);
  }
}

/** The redirects of a group or a loop, as a command that runs nothing. */
export function readRedirects(redirects: readonly Redirection[], at: At): void {
  at.reader.run([], { assigns: [], redirects: filesOf(redirects) }, at.place);
  for (const redirect of redirects) at.visit(redirect, at);
}

/** `A=b` behind `export` and its like is a word that is not split. */
function assignment({ name, append, value }: Assignment): ShellWord {
  const front = `${name}${append === true ? '+=' : '='}`;
  if (value.type === 'ArrayValue') return partly(`${front}(…)`, front);
  const word = oneWord(value);
  if (word.text !== undefined) return known(front + word.text);
  return partly(front + word.guess, front + word.start);
}

function filesOf(redirects: readonly Redirection[]): CommandRedirect[] {
  return redirects.flatMap((redirect): CommandRedirect[] => {
    if (redirect.type !== 'Redirect') return [];
    const { operator } = redirect;
    const word = redirect.target === undefined ? anything('') : targetOf(redirect.target);
    if (operator === '<&' || operator === '>&') {
      if (word.text !== undefined && /^(?:\d+-?|-)$/.test(word.text)) return [];
      // Bash writes both outputs to what is no descriptor.
      return operator === '>&' ? [{ kind: 'write', target: word.text }] : [];
    }
    const target = word.text;
    if (operator === '<') return [{ kind: 'read', target }];
    if (operator === '<>')
      return [
        { kind: 'read', target },
        { kind: 'write', target },
      ];
    return [{ kind: 'write', target }];
  });
}

function targetOf(target: Parameters<typeof oneWord>[0]): ShellWord {
  const word = oneWord(target);
  // Braces are not undone in a target by each shell.
  return target.parts?.some(({ type }) => type === 'BraceExpansion') === true ? partly(word.guess) : word;
}

/** What stands on the input of a command: the last redirect of it decides. */
export function inputOf(redirects: readonly Redirection[], given: ShellWord | undefined): ShellWord | undefined {
  let input = given;
  for (const redirect of redirects) {
    const { descriptor } = redirect;
    const standard = descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 0);
    if (!standard) continue;
    if (redirect.type === 'HereDoc') input = bodyOf(redirect);
    else if (redirect.type === 'HereString')
      input = redirect.target === undefined ? undefined : oneWord(redirect.target);
    else if (redirect.operator.startsWith('<')) input = undefined;
  }
  return input;
}

/** `<<-` takes the tabs in front of each line away, which can end a here-document inside of this one. */
function bodyOf({ operator, body, delimiter }: HereDoc): ShellWord {
  const { parts } = body;
  const text = operator === '<<-' ? body.text.replaceAll(/^\t+/gm, '') : body.text;
  if (delimiter?.quoted === true) return known(text);
  if (parts !== undefined && operator === '<<-') return partly(text);
  if (parts !== undefined) return wordOf(text, parts);
  return text.includes('\\') ? partly(text) : known(text);
}
