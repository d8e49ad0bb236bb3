// Closed classes: what stands on `Object.prototype` is no part of their instances, and methods are final.
import { afterEach, expect, it } from 'vitest';
import { closeClass } from '../src/index.js';

class Base {
  kept = 1;
  base(): string {
    return 'base';
  }
}
closeClass(Base);
class Derived extends Base {
  own = 2;
  derived(): string {
    return this.base();
  }
}
closeClass(Derived);

afterEach(() => void Reflect.deleteProperty(Object.prototype, 'kept'));

it.each([
  ['alone', Base],
  ['behind another', Derived],
])('a class that stands %s inherits nothing of everybody, and leads to no class', (_, Class) => {
  const taken: unknown[] = [];
  // oxlint-disable-next-line no-extend-native -- that is the attack
  Object.defineProperty(Object.prototype, 'kept', {
    configurable: true,
    set(value) {
      taken.push(value);
    },
  });
  const made = new Class();
  expect([Object.hasOwn(made, 'kept'), taken]).toEqual([true, []]);
  expect('constructor' in made).toBe(false);
  expect('toString' in made).toBe(false);
  expect(() => Object.assign(Class.prototype, { base: () => 'stolen' })).toThrow(TypeError);
});

it('a class behind another has the methods of both', () => {
  expect(new Derived().derived()).toBe('base');
});
