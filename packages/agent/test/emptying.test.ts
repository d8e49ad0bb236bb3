// Whoever waits until a place is empty is told, beside others who wait, and leaves no timer.
import { expect, it } from 'vitest';
import { Emptying } from '../src/runtime/emptying.js';
import { manualClock } from '../src/testing/index.js';
import { settle } from './kit.js';

function place() {
  const clock = manualClock();
  const inside = { count: 1 };
  const emptying = new Emptying(() => inside.count === 0, clock);
  const told: string[] = [];
  const wait = (name: string, ms: number) => void emptying.wait(ms).then(() => told.push(name));
  return { clock, inside, emptying, told, wait };
}

it('tells each of those who wait, once it is empty', async () => {
  const { clock, inside, emptying, told, wait } = place();
  inside.count = 2;
  wait('first', 100);
  wait('second', Infinity);
  inside.count = 1;
  emptying.left();
  await settle();
  expect(told).toEqual([]);
  inside.count = 0;
  emptying.left();
  await settle();
  expect(told).toEqual(['first', 'second']);
  expect(clock.pending()).toBe(0);
});

it('lets each wait for its own time, and the others go on waiting', async () => {
  const { clock, inside, emptying, told, wait } = place();
  wait('short', 10);
  wait('long', 50);
  wait('for ever', Infinity);
  clock.advance(10);
  await settle();
  expect(told).toEqual(['short']);
  clock.advance(40);
  await settle();
  expect(told).toEqual(['short', 'long']);
  inside.count = 0;
  emptying.left();
  emptying.left();
  await settle();
  expect(told).toEqual(['short', 'long', 'for ever']);
  wait('late', Infinity);
  await settle();
  expect(told.at(-1)).toBe('late');
});
