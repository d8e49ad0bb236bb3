/** The URLs that a command line names. */
import type { ReachReading } from '../shell/read-command.js';
import type { ShellWord } from '../shell/shell-word.js';
import { unknownWord } from './command-paths.js';
import { noFiles } from './operands.js';
import { speakers } from './speakers.js';

/** Why a URL is not known. */
export interface Unread {
  readonly why: string;
}

/** Programs that ask nobody on a network, whatever their words are. */
const locals: ReadonlySet<string> = new Set([
  'ls', 'cat', 'head', 'tail', 'wc', 'sort', 'uniq', 'cut', 'tr', 'grep', 'diff', 'cd', 'pwd', 'test', '[', 'basename',
  'dirname', 'mkdir', 'rmdir', 'rm', 'cp', 'mv', 'ln', 'touch', 'chmod', 'stat', 'realpath', 'readlink', 'tee',
]); // prettier-ignore

/** Options of curl that name the host to connect to beside the URL, or take it from elsewhere. */
const detours = /^(?:-[a-zA-Z0-9#]*[xK]|--(?:prox|prep|soc|res|connect-to|unix|abs|doh|hap|conf|alt|ipfs))/;
/** The same of others, as an option or as a setting: `--proxy=x`, `-e https_proxy=x`, `-c http.proxy=x`. */
const proxied = /^(?!-*no[-_]?proxy)(?:-[\w.-]*proxy(?:=|$)|[\w.-]*proxy=)/i;
const proxies = /^(?!no_?proxy$|goproxy$)\w*proxy$/i;

/** Each word with a scheme, and what bash opens a connection for; in words why there may be another. */
export function urlsOf(reading: ReachReading): readonly (string | Unread)[] {
  const found = reading.commands.flatMap((command, at) => {
    const { program, path, words, redirects, assigns } = command;
    const isOpen = redirects.some(({ target }) => target === undefined);
    const asksNobody = speakers.has(program) || locals.has(program);
    const plain = noFiles(program, reading.words[at]!);
    const mayAsk = !asksNobody && reading.words[at]!.some((word, place) => mayBeUrl(word) && !plain.has(place));
    const detour = asksNobody
      ? undefined
      : words.find(
          (word, place) =>
            word !== undefined &&
            (proxied.test(word) ||
              (program === 'curl' && detours.test(word)) ||
              (words[place - 1] === 'set' && /^(?:https?-)?proxy$/.test(word))),
        );
    const proxy = assigns.find((name) => proxies.test(name));
    return [
      // Behind a program that is not known stands a URL where a program should.
      ...urlIn(path),
      ...reading.words[at]!.flatMap((word) => (word.text === undefined && !hasHost(word) ? [] : urlIn(word.start))),
      ...redirects.flatMap(({ target }) => {
        const host = /^\/dev\/(?:tcp|udp)\/([^/]+)\//.exec(target ?? '')?.[1];
        return host === undefined ? [] : [`http://${host.includes(':') ? `[${host}]` : host}/`];
      }),
      ...(isOpen || mayAsk ? [{ why: unknownWord(command) }] : []),
      ...(detour === undefined ? [] : [{ why: `'${detour.slice(0, 40)}' of '${program}' leads to another host` }]),
      ...(proxy === undefined ? [] : [{ why: `'${proxy}' leads to another host` }]),
    ];
  });
  return [...found, ...reading.values.flatMap(urlOfValue), ...reading.unknown.slice(0, 1).map((why) => ({ why }))];
}

/** What a variable says is the URL of whoever reads it. */
function urlOfValue(value: ShellWord): readonly (string | Unread)[] {
  if (value.text !== undefined || hasHost(value)) return urlIn(value.start);
  return value.guess.includes('://')
    ? [{ why: `'${value.guess.slice(0, 80)}' is not known before the line runs` }]
    : [];
}

/** What a glob stands for are files. */
const mayBeUrl = (word: ShellWord): boolean =>
  word.text === undefined && !hasHost(word) && (word.glob === undefined || word.start.includes(':'));

/** Only behind the host something is not known. */
const hasHost = ({ start, solid }: ShellWord): boolean => solid && /^[a-z][a-z\d+.-]*:\/\/[^/?#\s]+[/?#]/i.test(start);

/** The URL in a word, from its scheme on. With one slash alone it is one, too, to those who read as browsers do. */
function urlIn(word: string): readonly (string | Unread)[] {
  const at = startOfUrl(word) ?? /(?:https?|wss?|ftp):[/\\\d]/i.exec(word)?.index;
  if (at === undefined) return [];
  const url = word.slice(at);
  const authority = /^[^:]*:\/*([^/?#]*)/.exec(url)![1]!;
  // Some programs make several URLs of such a one.
  if (/[{}]|\[(?![0-9a-f:.]*\])/i.test(authority)) return [{ why: `'${url.slice(0, 80)}' may be several URLs` }];
  return [url];
}

/** Where the scheme in front of a `://` begins, of the first that has one. */
function startOfUrl(word: string): number | undefined {
  for (let mark = word.indexOf('://'); mark !== -1; mark = word.indexOf('://', mark + 3)) {
    let at = mark;
    while (at > 0 && /[A-Za-z0-9+.-]/.test(word[at - 1]!)) at--;
    while (at < mark && !/[A-Za-z]/.test(word[at]!)) at++;
    if (at < mark) return at;
  }
  return undefined;
}
