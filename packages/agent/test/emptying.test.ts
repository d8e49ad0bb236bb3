// Whoever waits until a place is empty is told, beside others who wait.
import { expect, it } from 'vitest';
import { Emptying } from '../src/runtime/emptying.js';
import { settle } from './kit.js';

it('tells each of those who wait, once it is empty, and at once who comes then', async () => {
  const inside = { count: 2 };
  const emptying = new Emptying(() => inside.count === 0);
  const told: string[] = [];
  const wait = (name: string): void => void emptying.wait().then(() => told.push(name));
  wait('first');
  wait('second');
  inside.count = 1;
  emptying.left();
  await settle();
  expect(told).toEqual([]);
  inside.count = 0;
  emptying.left();
  emptying.left();
  await settle();
  expect(told).toEqual(['first', 'second']);
  wait('late');
  await settle();
  expect(told.at(-1)).toBe('late');
});
