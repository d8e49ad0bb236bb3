/** Three-valued tests (Kleene's strong logic): what cannot be told is neither a yes nor a no, and says why. */

/** `true`, `false`, or in words why it cannot be told. */
export type Truth = boolean | string;

export const isUnknown = (truth: Truth): truth is string => typeof truth === 'string';

export const not = (truth: Truth): Truth => (isUnknown(truth) ? truth : !truth);

/** True when each is; false as soon as one is; else why it cannot be told. Of nothing: true. */
export function everyOf<T>(items: readonly T[], test: (item: T) => Truth): Truth {
  let unknown: string | undefined;
  for (const item of items) {
    const truth = test(item);
    if (truth === false) return false;
    if (isUnknown(truth)) unknown ??= truth;
  }
  return unknown ?? true;
}

/** True as soon as one is; false when none is; else why it cannot be told. Of nothing: false. */
export function someOf<T>(items: readonly T[], test: (item: T) => Truth): Truth {
  let unknown: string | undefined;
  for (const item of items) {
    const truth = test(item);
    if (truth === true) return true;
    if (isUnknown(truth)) unknown ??= truth;
  }
  return unknown ?? false;
}
