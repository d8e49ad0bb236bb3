/** The settings: which detectors look, what else is a secret, what stands in its place. */
import { didYouMean, settingsSchema, type Setting, type StandardSchema } from '@treblehook/types';
import { detectorOf, type Detector } from './detector.js';
import { detectors as known } from './detectors.js';
import type { Rules } from './masker.js';
import { patternFault } from './pattern-fault.js';
import { defaultReplacement, Placeholder } from './placeholder.js';

/** What `config` may say. */
export interface RedactConfig {
  /** Names of detectors, or `all`, which is the default. */
  readonly detectors?: readonly string[] | 'all';
  /** A kind of secret, and the regular expression of its spelling. */
  readonly patterns?: Readonly<Record<string, string>>;
  /** Secrets that are known: at least four characters each. */
  readonly words?: readonly string[];
  /** What stands in place of a secret; `{kind}` and `{number}` are filled in. */
  readonly replacement?: string;
}

const names = known.map(({ name }) => name);
const keys = ['detectors', 'patterns', 'words', 'replacement'] as const satisfies readonly (keyof RedactConfig)[];

function read(settings: Setting): Rules {
  const { detectors, patterns, words, replacement } = settings.fields(keys);
  const chosen = detectors === undefined ? names : readNames(detectors);
  const own = patterns === undefined ? [] : patterns.entries().map(([name, pattern]) => readPattern(name, pattern));
  const exact = words === undefined ? [] : readWords(words);
  const all = [...exact, ...own, ...known.filter(({ name }) => chosen.includes(name))];
  if (all.length === 0) settings.refuse('nothing is looked for: name a detector, a pattern or a word');
  const kinds = [...new Set([...all.map(({ name }) => name), 'assignment'])];
  return {
    detectors: all,
    placeholder: new Placeholder(replacement === undefined ? defaultReplacement : readReplacement(replacement), kinds),
    hasFields: chosen.includes('assignment'),
  };
}

function readNames(setting: Setting): readonly string[] {
  if (setting.value === 'all') return names;
  if (typeof setting.value === 'string') setting.refuse("write 'all', or a list of names");
  return setting.items().map((one) => {
    const name = one.text();
    if (names.includes(name)) return name;
    return one.refuse(`there is no such detector: ${didYouMean(name, names) ?? `use ${names.join(', ')}`}`);
  });
}

function readPattern(name: string, setting: Setting): Detector {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) {
    setting.refuse("its name stands in the placeholder: use a-z, 0-9 and '-', a letter first, 40 at most", 'key');
  }
  if (names.includes(name) || name === 'word') setting.refuse('a detector has this name: use another one', 'key');
  const source = setting.text();
  const fault = patternFault(source);
  if (fault !== undefined) setting.refuse(fault);
  return detectorOf(name, [{ pattern: new RegExp(source, 'gu'), isWhole: true }]);
}

function readWords(setting: Setting): readonly Detector[] {
  const words = setting.items().map((one) => {
    const { value } = one;
    if (typeof value !== 'string') return one.refuse('it is no text: write each secret as a text');
    return value.length < 4 ? one.refuse('it is shorter than 4 characters: it would be found everywhere') : value;
  });
  if (words.length === 0) return [];
  const longestFirst = [...new Set(words)].toSorted((a, b) => b.length - a.length);
  const source = longestFirst.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)).join('|');
  return [detectorOf('word', [{ pattern: new RegExp(source, 'g'), isWhole: true }])];
}

function readReplacement(setting: Setting): string {
  const text = setting.text();
  if (text.length > 200) setting.refuse('it is longer than 200 characters');
  const fixed = text.split('{kind}').join('').split('{number}').join('');
  if (fixed.length < 3 || !/[^\w\s-]/.test(fixed)) {
    setting.refuse(`it must be known again: give it three characters of its own, one of them no letter, such as '[…]'`);
  }
  return text;
}

const inner = settingsSchema(read)['~standard'];
/** Whose values may be shown. */
const shown: ReadonlySet<unknown> = new Set(['detectors', 'replacement', 'patterns']);

/**
 * What is refused may be a secret: an issue about anything but these points beside the value, at a place where there is
 * none, so that whoever shows the value of an issue shows nothing.
 */
export const configSchema: StandardSchema<RedactConfig | undefined, Rules> = Object.freeze({
  '~standard': Object.freeze({
    ...inner,
    validate: (value: unknown) => {
      const answer = inner.validate(value) as Awaited<ReturnType<typeof inner.validate>>;
      if (answer.issues === undefined) return answer;
      const issues = answer.issues.map(({ message, path = [] }) =>
        shown.has(path[0]) ? { message, path } : { message, path: [...path, 'secret'] },
      );
      return { issues };
    },
  }),
});
