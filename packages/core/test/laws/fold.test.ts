/** The fold that pipelines and plain hooks share: one amendment into an object. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold } from '../../src/index.js';
import { fire, points, register, registryOf } from '../support/points.js';

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

test('for any amendments, folding them gives what a pipeline gives whose stages return them', async () => {
  const some = fc.array(fc.integer(), { maxLength: 3 });
  const amendment = fc.record(
    { text: fc.string(), any: fc.oneof(some, fc.constant(null)), list: some, tags: some },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(amendment, { maxLength: 5 }), async (amendments) => {
      const registry = registryOf();
      const folded: Record<string, unknown> = {};
      for (const one of amendments) {
        register(registry, 'shape', () => one);
        // an empty list under a collect key adds nothing, so a registry does not take it for an answer
        fold(folded, one.tags?.length === 0 ? { ...one, tags: undefined } : one, points.shape.collect);
      }
      expect((await fire(registry, 'shape')) ?? {}).toEqual(folded);
    }),
  );
});
