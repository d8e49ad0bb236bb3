/** What to look at next: list, search, then read the files that match the question best. */
import { entriesIn, hitsIn, normal, type Entry, type Hit } from './listing.js';
import type { Exchange, PromptView } from './prompt-view.js';
import { stableKey, stableText } from './stable-key.js';
import type { Role, Roles } from './tool-roles.js';
import { identifiersIn, matches, pathsIn, stemOf, topicOf, wordsOf } from './words.js';

export interface Call {
  readonly tool: string;
  readonly input: unknown;
}

/** A file that was read, or that could not be. */
export interface Reading {
  readonly path: string;
  readonly output: string;
  readonly isError: boolean;
}

/** What is known so far, all of it from the prompt. */
export interface Findings {
  readonly topic: readonly string[];
  /** Files that the question names. */
  readonly named: readonly string[];
  /** What is there is part of the answer. */
  readonly wantsListing: boolean;
  /** It is the whole answer: nothing needs to be read. */
  readonly listingOnly: boolean;
  readonly entries: readonly Entry[];
  readonly hits: readonly Hit[];
  readonly readings: readonly Reading[];
  /** Listings and searches that failed. */
  readonly failed: readonly Exchange[];
}

/** Calls of one step. */
const atOnce = 2;
const mostListings = 5;
/** Paths of a question that are taken for files to read. */
const mostNamed = 20;
const mostSearches = 3;

/** Folders and files that machines wrote, or that are no text. */
const noise =
  /(?:^|\/)(?:node_modules|dist|build|coverage|vendor|target|\.git|\.cache|\.turbo|__snapshots__)(?:\/|$)|(?:^|\/)(?:[\w.-]*lock(?:\.\w+)?|[\w.-]+-lock\.\w+)$|\.(?:png|jpe?g|gif|ico|webp|svg|pdf|zip|gz|tgz|wasm|woff2?|ttf|mp[34]|min\.js|map|tsbuildinfo)$/i;

export function findingsOf(view: PromptView, question: string, roles: Roles): Findings {
  const of = (role: Role | undefined): readonly (Exchange & { readonly argument: string })[] =>
    role === undefined
      ? []
      : view.done
          .filter(({ tool, output }) => tool === role.tool.name && output !== undefined)
          .map((call) => ({ ...call, argument: argumentOf(call.input, role) }));
  const listings = of(roles.list);
  const searches = of(roles.search);
  const entries = new Map<string, Entry>();
  for (const { output, isError, argument } of listings) {
    if (!isError) for (const entry of entriesIn(output!, argument)) entries.set(entry.path, entry);
  }
  for (const path of pathsIn(view.folded.join('\n')))
    if (!entries.has(normal(path))) entries.set(normal(path), { path: normal(path), isFolder: path.endsWith('/') });
  const paths = pathsIn(question).slice(0, mostNamed).map(normal);
  const named = paths.filter((path) => /\.\w+$/.test(path) && !entries.get(path)?.isFolder);
  const topic = topicOf(paths.reduce((text, path) => text.replaceAll(path, ' '), question));
  const general = topic.length === 0 && named.length === 0;
  const listingOnly =
    general && /\b(?:list|show|which|what)\b[^.?]*\b(?:files|folders|directories|entries)\b/i.test(question);
  return {
    topic,
    named,
    wantsListing:
      general &&
      (listingOnly || /\bin (?:here|there|it|this|that)\b|\bcontents?\b/i.test(question) || paths.length > 0),
    listingOnly,
    entries: [...entries.values()].filter(({ path }) => !noise.test(path)),
    hits: searches
      .flatMap(({ output, isError }) => (isError ? [] : hitsIn(output!)))
      .filter(({ path }) => !noise.test(path)),
    readings: of(roles.read).map(({ argument, output, isError }) => ({
      path: normal(argument),
      output: output!,
      isError,
    })),
    failed: [...listings, ...searches].filter(({ isError }) => isError),
  };
}

/** The calls of the next step; none when enough is known. No call is made twice. */
export function nextCalls(
  view: PromptView,
  question: string,
  roles: Roles,
  found: Findings,
  mostReads: number,
): readonly Call[] {
  const made = new Set(view.done.map(({ key }) => key));
  const isNew = ({ tool, input }: Call): boolean =>
    !made.has(stableKey(tool, input)) && !view.folded.some((line) => line.startsWith(`${tool} ${stableText(input)}`));
  const fresh = (calls: readonly Call[]): readonly Call[] => calls.filter(isNew);

  const isKnown = (path: string): boolean => /\//.test(path) || roles.list === undefined;
  const direct = fresh(found.named.filter(isKnown).flatMap((path) => callOf(roles.read, path))).slice(0, atOnce);
  if (direct.length > 0) return direct;

  const onlyNamed =
    found.named.length > 0 && found.named.every(isKnown) && found.readings.some(({ isError }) => !isError);
  if (onlyNamed) return [];
  const lists = fresh(foldersToList(view, question, roles, found)).slice(0, atOnce);
  if (lists.length > 0) return lists;
  if (found.listingOnly) return [];

  if (found.named.length === 0 && roles.search !== undefined) {
    const words = [...identifiersIn(question), ...found.topic.toSorted((a, b) => b.length - a.length)];
    const searches = fresh(words.slice(0, mostSearches).flatMap((word) => callOf(roles.search, word)));
    if (searches.length > 0) return searches;
  }
  const folded = view.folded.filter(
    (line) => roles.read !== undefined && line.startsWith(`${roles.read.tool.name} `),
  ).length;
  const failures = found.readings.filter(({ isError }) => isError).length;
  const left = mostReads - folded - (found.readings.length - failures);
  if (left <= 0 || failures >= mostReads) return [];
  return fresh(ranked(found).flatMap((path) => callOf(roles.read, path))).slice(0, Math.min(left, atOnce));
}

const callOf = (role: Role | undefined, value: string): Call[] =>
  role === undefined ? [] : [{ tool: role.tool.name, input: { [role.argument]: value, ...role.fixed } }];

function argumentOf(input: unknown, role: Role): string {
  const value =
    typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[role.argument] : undefined;
  return typeof value === 'string' ? value : '';
}

/** The folder that is asked about, then, where listings do not go down by themselves, the folders that match best. */
function foldersToList(view: PromptView, question: string, { list }: Roles, found: Findings): readonly Call[] {
  if (list === undefined) return [];
  const asked = pathsIn(question)
    .filter((path) => !/\.\w+$/.test(normal(path)))
    .map(normal);
  const failed = found.failed.some(({ tool }) => tool === list.tool.name);
  const first = (asked.length === 0 || failed ? [...asked, '.'] : asked).flatMap((path) => callOf(list, path));
  const listed = view.done.filter(({ tool }) => tool === list.tool.name).length;
  if ('recursive' in list.fixed || listed >= mostListings || found.listingOnly) return first;
  const below = found.entries
    .filter(({ path, isFolder }) => isFolder && path.split('/').length <= 3)
    .map(({ path }) => ({
      path,
      score:
        matches(path, found.topic) * 3 +
        (/^(?:src|lib|docs?|packages|app)$/.test(path) ? 1 : 0) -
        path.split('/').length * 0.1,
    }))
    .sort((a, b) => b.score - a.score);
  return [...first, ...below.slice(0, mostListings - 1).flatMap(({ path }) => callOf(list, path))].slice(
    0,
    mostListings,
  );
}

/** Files to read, the best first: those that are named, then by words of their path and by hits of a search. */
export function ranked({ topic, named, entries, hits }: Findings): readonly string[] {
  const scores = new Map<string, number>();
  const add = (path: string, score: number): void => void scores.set(path, (scores.get(path) ?? 0) + score);
  for (const { path, isFolder } of entries) if (!isFolder) add(path, pathScore(path, topic));
  for (const [path, { words, lines }] of hitsByPath(hits, topic)) add(path, words.size * 2 + Math.min(1, lines * 0.1));
  for (const name of named) {
    const below = scores.has(name) ? [] : [...scores.keys()].filter((path) => path.endsWith(`/${name}`));
    for (const path of below.length > 0 ? below : [name]) add(path, 100 - path.split('/').length);
  }
  const least = named.length > 0 ? 50 : topic.length > 0 ? 0.9 : -Infinity;
  const best = [...scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const good = best.filter(([, score]) => score >= least);
  return (good.length > 0 ? good : best.slice(0, 2)).map(([path]) => path);
}

function hitsByPath(
  hits: readonly Hit[],
  topic: readonly string[],
): Map<string, { words: Set<string>; lines: number }> {
  const found = new Map<string, { words: Set<string>; lines: number }>();
  for (const { path, text } of hits) {
    const of = found.get(path) ?? { words: new Set<string>(), lines: 0 };
    found.set(path, of);
    of.lines++;
    for (const word of wordsOf(text).map(stemOf)) if (topic.includes(word)) of.words.add(word);
  }
  return found;
}

function pathScore(path: string, topic: readonly string[]): number {
  const parts = path.split('/');
  const name = parts.at(-1)!;
  let score = matches(name, topic) * 3 + matches(parts.slice(0, -1).join('/'), topic) - (parts.length - 1) * 0.15;
  if (/^readme(?:\.\w+)?$/i.test(name)) score += parts.length === 1 ? 0.85 : 0.6;
  else if (/^(?:package\.json|pyproject\.toml|cargo\.toml|go\.mod)$/i.test(name))
    score += parts.length === 1 ? 0.7 : 0.1;
  else if (/^(?:licen[cs]e|copying|notice|changelog|contributing|code_of_conduct)\b/i.test(name)) score -= 0.5;
  else if (/\.(?:md|mdx|rst|txt)$/i.test(name)) score += 0.2;
  else if (/\.(?:jsonc?|ya?ml|toml|ini)$|rc$|\.config\./i.test(name)) score -= 0.5;
  if (/(?:^|\/)(?:tests?|spec|fixtures)\/|\.(?:test|spec)\./i.test(path)) score -= 0.5;
  if (/(?:^|\/)\./.test(path)) score -= 1;
  return score;
}
