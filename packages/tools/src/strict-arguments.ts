/** The arguments of a tool and no others, each refused in words that a model can mend it by. */
import { didYouMean } from '@treblehook/types';
import { z } from 'zod';

/** One that is no text, or is not there. */
export const text = () => z.string({ error: 'write a text, in quotes' });
export const flag = () => z.boolean({ error: 'write true or false, without quotes' });
/** Counted from 1. */
export function count() {
  const error = 'write a whole number, from 1, without quotes';
  return z.int(error).min(1, error);
}

/** One that is not there is refused with the names of those that are. */
export function strictArguments<S extends z.ZodRawShape>(shape: S) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return `write an object: { ${names.join(', ')} }`;
      const told = issue.keys.map(
        (key) => `there is no '${key}': ${didYouMean(key, names) ?? `there is ${names.join(', ')}`}`,
      );
      return told.join('; ');
    },
  });
}
