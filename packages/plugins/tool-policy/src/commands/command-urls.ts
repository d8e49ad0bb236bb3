/** The URLs that a command line names. */
import type { CommandReading } from '../shell/read-command.js';
import { speakers, unknownWord } from './command-paths.js';

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
const proxies = /^(?:https?|all|ftp|wss?)_proxy$/i;

/** Each word with a scheme, and what bash opens a connection for; in words why there may be another. */
export function urlsOf(reading: CommandReading): readonly (string | Unread)[] {
  return reading.commands.flatMap((command) => {
    const { program, words, redirects, assigns } = command;
    const isOpen = redirects.some(({ target }) => target === undefined);
    const mayAsk = words.includes(undefined) && !speakers.has(program) && !locals.has(program);
    const detour = program === 'curl' ? words.find((word) => word !== undefined && detours.test(word)) : undefined;
    const proxy = assigns.find((name) => proxies.test(name));
    return [
      ...words.flatMap((word) => (word === undefined ? [] : urlIn(word))),
      ...redirects.flatMap(({ target }) => {
        const host = /^\/dev\/(?:tcp|udp)\/([^/]+)\//.exec(target ?? '')?.[1];
        return host === undefined ? [] : [`http://${host.includes(':') ? `[${host}]` : host}/`];
      }),
      ...(isOpen || mayAsk ? [{ why: unknownWord(command) }] : []),
      ...(detour === undefined ? [] : [{ why: `'${detour.slice(0, 40)}' of 'curl' leads to another host` }]),
      ...(proxy === undefined ? [] : [{ why: `'${proxy}' leads to another host` }]),
    ];
  });
}

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
