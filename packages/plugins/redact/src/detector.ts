/** What finds secrets in a text. */

/** Told each secret of a text, from `from` to before `to`. */
export type Found = (from: number, to: number) => void;

export interface Detector {
  /** The kind of what it finds; it stands in the placeholder. */
  readonly name: string;
  readonly find: (text: string, found: Found) => void;
}

/** A regular expression as a detector. Each of them takes time that is linear in the text, whatever stands there. */
export interface Shape {
  /** One of these stands in every text with such a secret; none: it is looked for in every text. */
  readonly hints?: readonly string[];
  /**
   * With the flag `g`. With two groups: what stands in front, and the secret; without a group the whole is the secret.
   * What repeats is bounded, or begins where no character of its own class stands.
   */
  readonly pattern: RegExp;
  /** Its groups mean nothing: the whole is the secret. */
  readonly isWhole?: true;
  /** Whether it is one after all. */
  readonly isSecret?: (secret: string, front: string) => boolean;
}

export function detectorOf(name: string, shapes: readonly Shape[]): Detector {
  return {
    name,
    find(text, found) {
      for (const { hints, pattern, isWhole, isSecret } of shapes) {
        if (hints !== undefined && !hints.some((hint) => text.includes(hint))) continue;
        for (const match of text.matchAll(pattern)) {
          const [whole] = match;
          const front = isWhole === true ? '' : (match[1] ?? '');
          const secret = isWhole === true ? whole : (match[2] ?? whole);
          if (secret === '' || isSecret?.(secret, front) === false) continue;
          const from = match.index + front.length;
          found(from, from + secret.length);
        }
      }
    },
  };
}

/** A value that stands for another one: a variable, a blank to be filled in, stars. */
export const isBlank = (value: string): boolean =>
  /^(?:\$\{?[\w.]+\}?|\$\(.*|%\w*%?|<.*>?|\{.*\}?|\[.*\]?|[*•x.…_-]+)$/i.test(value);
