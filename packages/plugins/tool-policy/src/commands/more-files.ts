/** Files of a line that none of its words names. */
import { clip } from '../shell/clip.js';
import type { SimpleCommand } from '../shell/read-command.js';
import { speakers } from './speakers.js';

/** A field of a form: quotes may stand around each of its files, and a comma between two. */
export const isForm = (word: string, program: string): boolean => program === 'curl' && /=[@<(]/.test(word);

const uploads = /^(?:-[A-WYZa-z0-9#]*T|--up[a-z-]*=?)/;
/** What stands in front of the first slash of a URL whose scheme may be one of several. */
const front = /^[^\s"'/]*\//;
const alternatives = /(?:^|[^%])[{[]/;

/** Why it is not known which files a command opens: curl makes several of `{a,b}` and `[a-z]`, in URLs and in what it sends. */
function severalFiles({ program, words }: SimpleCommand): readonly string[] {
  if (program !== 'curl') return [];
  const several = words.find((word, at) => {
    if (word?.startsWith('--proto-d') === true) return true;
    if (word === undefined || !alternatives.test(word)) return false;
    const option = words[at - 1] ?? '';
    const isSent = uploads.test(word) || (option !== '' && uploads.exec(option)?.[0] === option);
    return isSent || /file:/i.test(word) || alternatives.test(front.exec(word)?.[0] ?? '');
  });
  return several === undefined ? [] : [`'${clip(several)}' of 'curl' may be several files`];
}

const lists = /^--(?:files0-from|files-from|pathspec-from-file)/;
/** `tar -T list`, `zip -@`, `cpio -o`, `7z a x @list`. */
const ofProgram: Readonly<Record<string, RegExp | undefined>> = Object.assign(Object.create(null), {
  tar: /^-[A-Za-z]*T/,
  bsdtar: /^-[A-Za-z]*T/,
  zip: /^-[A-Za-z]*@/,
  cpio: /^-[A-Za-z]*[op]|^--(?:create|pass)/,
  '7z': /^@/,
  wget: /^-[A-Za-z]*i|^--input-file/,
});

/** Programs that take a list of files from another one. */
function listed({ program, words }: SimpleCommand): readonly string[] {
  const own = ofProgram[program];
  const found = words.find(
    (word, at) =>
      word !== undefined &&
      (lists.test(word) ||
        own?.test(word) === true ||
        (program === 'tar' && at === 0 && /^[A-Za-z]*T[A-Za-z]*$/.test(word))),
  );
  return found === undefined ? [] : [`'${clip(found)}' of '${program}' names a list of files`];
}

const links = /^(?:-[A-Za-z]*s|--symbolic)/;

/** A link that the line itself makes: where the rest of it leads is not known before it is there. */
function linked(commands: readonly SimpleCommand[]): readonly string[] {
  const at = commands.findIndex(
    ({ program, words }) =>
      (program === 'ln' || program === 'cp') && words.some((word) => word === undefined || links.test(word)),
  );
  if (at === -1) return [];
  const uses = commands.slice(at + 1).some(({ program, redirects }) => !speakers.has(program) || redirects.length > 0);
  return uses ? [`'${commands[at]!.program}' makes a link, and what stands behind may lead through it`] : [];
}

/** In words, why a line may open more files than it names. */
export function whyMore(commands: readonly SimpleCommand[]): readonly string[] {
  return [...commands.flatMap((command) => [...severalFiles(command), ...listed(command)]), ...linked(commands)];
}
