/** Words of a question, and how well a text matches them. */

/** English words that say nothing about what is asked for. */
const empty = new Set(
  (
    'a about after all also am an and any are as at be been before being but by can could did do does doing done each ' +
    'else every exist few find for from get give go had has have having here how i if in into is it its just know let ' +
    'like list look make many may me more most much must my need no not now of off on one only or other our out over ' +
    'please read say show so some such sum summarise summarize tell than that the their them then there these they ' +
    'thing things this those through to too under up us use using very want was we were what when where whether which ' +
    'while who whom whose why will with work works would yes you your explain describe overview mention mentions contain contains'
  ).split(' '),
);

/** Words for the whole that is looked at: a question of these alone asks for an overview. */
const whole = new Set(
  'code codebase content contents dir directory file files folder folders project repo repository'.split(' '),
);

/** Lower-case words; camelCase, snake_case and paths fall apart. */
export function wordsOf(text: string): string[] {
  return (
    text
      .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** A crude stem: plural and verb endings fall off, so that `hooks` meets `hook`. */
export function stemOf(word: string): string {
  if (word.length <= 4) return word.replace(/(?<=..[^s])s$/, '');
  return word.replace(/(?:ies|ing|ed|es|s)$/, '');
}

/** Of a pasted text the first words stand for all. */
const mostStems = 24;

/** The stems that a question is about, in order, each once. */
export function topicOf(question: string): readonly string[] {
  const stems = new Set<string>();
  for (const word of wordsOf(question)) {
    if (stems.size === mostStems) break;
    if (word.length > 1 && !empty.has(word) && !whole.has(word)) stems.add(stemOf(word));
  }
  return [...stems];
}

/** Names of code: camelCase, snake_case, or a single word in backticks. */
export function identifiersIn(question: string): readonly string[] {
  return [
    ...new Set(question.match(/\b[a-z]+(?:[A-Z][a-z0-9]*)+\b|\b[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+\b|(?<=`)\w{2,}(?=`)/g)),
  ];
}

/** How many stems a text has. */
export function matches(text: string, topic: readonly string[]): number {
  if (topic.length === 0) return 0;
  const stems = new Set(wordsOf(text).map(stemOf));
  let sum = 0;
  for (const stem of topic) if (stems.has(stem)) sum++;
  return sum;
}

/** Quoted texts, and tokens that look like paths or file names. */
export function pathsIn(text: string): readonly string[] {
  const paths = new Set<string>();
  for (const [, quoted] of text.matchAll(/[`"']([^`"'\n]{1,200})[`"']/g))
    if (looksLikePath(quoted!)) paths.add(quoted!);
  for (const token of text.split(/[\s`"'(),;]+/)) {
    const path = token.replace(/(?:[.:!?]+|'s)$/, '');
    if (looksLikePath(path)) paths.add(path);
  }
  return [...paths];
}

const looksLikePath = (token: string): boolean =>
  token.length <= 300 &&
  !/^\w+:\/\//.test(token) &&
  !/^[-\d./]+$/.test(token) &&
  /^(?:\.{0,2}\/)?[\w.@+-]+(?:\/[\w.@+-]+)*\/?$/.test(token) &&
  (token.includes('/') || /[\w@+-]\.[a-zA-Z]\w{0,9}$/.test(token));
