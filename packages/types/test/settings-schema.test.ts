/** A reader of settings as a schema: its value, its refusals with their paths, and nothing swallowed. */
import { expect, test } from 'vitest';
import { settingsSchema } from '../src/index.js';

const schema = settingsSchema((settings) => {
  const { names } = settings.fields(['names']);
  if (names?.value === 'bug') throw new RangeError('a bug');
  return { names: names === undefined ? [] : names.items().map((one) => one.text()) };
});
const read = (value: unknown) => schema['~standard'].validate(value);

test('gives what the reader makes, of nothing what it makes of an empty map', () => {
  expect(read({ names: ['a'] })).toEqual({ value: { names: ['a'] } });
  expect(read(undefined)).toEqual({ value: { names: [] } });
});

test.each([
  [{ names: ['a', 7] }, { message: "'names[1]' is a number: write a text", path: ['names', 1] }],
  [{ nmaes: [] }, { message: "there is no 'nmaes' here: did you mean 'names'?", path: ['nmaes'] }],
  [null, { message: 'the whole is empty: write a map', path: [] }],
])('%j is an issue with its place', (value, issue) => {
  expect(read(value)).toEqual({ issues: [issue] });
});

test('a reader that has a bug is not taken for a refusal', () => {
  expect(() => read({ names: 'bug' })).toThrow(RangeError);
});
