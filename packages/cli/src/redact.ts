/** The last look at what leaves: no key of the environment is in it, whole or in pieces. */
import { keyFor, type ProviderName } from '@treblehook/providers';

const providers = Object.keys({
  'openai-compatible': true,
  openai: true,
  anthropic: true,
} satisfies Record<ProviderName, true>);

/** A key that short would be found in ordinary words. */
const shortest = 8;

const mark = '[redacted]';
/** Something was taken out of it. */
export const isRedacted = (text: string): boolean => text.includes(mark);

/** Of a URL in a text that no model has written: scheme, user part, the sign in front of the host. */
const userPart = /(\b[a-z][a-z\d+.-]*:\/\/)[^\s"'`/\\<>]+@(?=[\w[])/gi;

/**
 * What a model has written is shown to whoever decides on it, so nothing is taken out of it by a pattern, which it could
 * write around what it does: the keys alone are, by their values, which it does not know.
 */
export interface Redactor {
  /** A whole text. */
  readonly text: (text: string) => string;
  /** Plain data: the names and the texts in it. */
  readonly data: <T>(value: T) => T;
  /** A text that comes in pieces: a secret that is cut in two is held back until it is known to be one. */
  readonly stream: () => RedactedStream;
  /** The words of a fault, which may quote a URL: without its user part, too. */
  readonly fault: (text: string) => string;
}

export interface RedactedStream {
  /** What may leave now. */
  readonly push: (piece: string) => string;
  /** What was held back; nothing follows it. */
  readonly flush: () => string;
}

/** Puts `[redacted]` where a key of `env` stands. */
export function redactor(env: Readonly<Record<string, string | undefined>>): Redactor {
  const keys = providers
    .map((name) => keyFor(name, env) ?? '')
    .filter((key) => key.length >= shortest)
    .sort((a, b) => b.length - a.length);
  const text = (whole: string): string => keys.reduce((left, key) => left.replaceAll(key, mark), whole);
  return {
    text,
    data: <T>(value: T): T => masked(value, text) as T,
    fault: (words) => text(words).replaceAll(userPart, `$1${mark}@`),
    stream: () => {
      let held = '';
      return {
        push: (piece) => {
          const whole = held + piece;
          const end = safeEnd(whole, keys);
          held = whole.slice(end);
          return text(whole.slice(0, end));
        },
        flush: () => {
          const rest = text(held);
          held = '';
          return rest;
        },
      };
    },
  };
}

function masked(value: unknown, text: (text: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((item) => masked(item, text));
  if (typeof value !== 'object' || value === null) return value;
  const names = new Set<string>();
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      let name = text(key);
      while (names.has(name)) name += mark; // two names that would be one: the other would not be shown
      names.add(name);
      return [name, masked(item, text)];
    }),
  );
}

/** Where the part begins that could become a secret with what follows; a secret that reaches into it stays whole. */
function safeEnd(whole: string, keys: readonly string[]): number {
  let end = whole.length;
  for (const key of keys) {
    let open = Math.min(key.length - 1, whole.length);
    while (open > 0 && !whole.endsWith(key.slice(0, open))) open--;
    end = Math.min(end, whole.length - open);
  }
  for (let moved = true; moved;) {
    moved = false;
    for (const { from, to } of secretsIn(whole, keys)) {
      if (from < end && end < to) [end, moved] = [from, true];
    }
  }
  return end;
}

function* secretsIn(whole: string, keys: readonly string[]): Generator<{ readonly from: number; readonly to: number }> {
  for (const key of keys) {
    for (let from = whole.indexOf(key); from >= 0; from = whole.indexOf(key, from + 1))
      yield { from, to: from + key.length };
  }
}
