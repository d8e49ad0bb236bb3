// Owns the laws of what cannot be told: a plain answer that settles the whole wins over it, wherever it stands.
import { expect, it } from 'vitest';
import { everyOf, not, someOf, type Truth } from '../src/truth.js';

const self = (truth: Truth): Truth => truth;

it.each<[readonly Truth[], Truth, Truth]>([
  [[], true, false],
  [[true], true, true],
  [[false], false, false],
  [['why'], 'why', 'why'],
  [[true, false], false, true],
  [['why', true], 'why', true],
  [[true, 'why'], 'why', true],
  [['why', false], false, 'why'],
  [[false, 'why'], false, 'why'],
  [['why', 'more', true], 'why', true],
  [['why', 'more', false], false, 'why'],
  [['why', true, false], false, true],
])('%j: every is %j, some is %j', (items, every, some) => {
  expect(everyOf(items, self)).toBe(every);
  expect(someOf(items, self)).toBe(some);
  // one is the other upside down
  expect(not(someOf(items, (item) => not(item)))).toBe(every);
});
