/** The arguments of a tool and no others: one that is not there is refused with the names of those that are. */
import { didYouMean } from '@treblehook/types';
import { z } from 'zod';

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
