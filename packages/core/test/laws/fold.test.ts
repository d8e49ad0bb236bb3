/** The fold that pipelines and plain hooks share: one amendment into an object. */
import { expect, test } from 'vitest';
import { fold } from '../../src/index.js';

test('the last value per key wins, and what is null or undefined is not set', () => {
  const into: Record<string, unknown> = { a: 1, b: 2 };
  fold(into, { a: null, b: undefined, c: 0 });
  fold(into, { a: '', c: false });
  expect(into).toEqual({ a: '', b: 2, c: false });
});

test('collect keys are concatenated, others replaced, and no list is changed in place', () => {
  const first = [1];
  const into: Record<string, unknown> = { list: first, other: first };
  fold(into, { list: [2], other: [3] }, ['list']);
  fold(into, { list: [], more: [4] }, ['list', 'more']);
  expect(into).toEqual({ list: [1, 2], other: [3], more: [4] });
  expect(first).toEqual([1]);
});

test('it copies nothing else: values keep their identity', () => {
  const value = { n: 1 };
  const into: Record<string, unknown> = {};
  fold(into, { value });
  expect(into['value']).toBe(value);
});
