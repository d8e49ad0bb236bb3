/** The two classic mistakes: Modifying where somebody should take over, Claiming where everybody should add. */
import { createHookRegistry } from '@treblehook/core';
import { claimingHook, defineHooks, modifyingHook } from '@treblehook/types';

interface Order {
  readonly item: string;
}
const orderHooks = defineHooks({
  wrongKitchen: modifyingHook<Order, { kitchen: string }>({
    discipline: 'pipeline',
    summary: 'Who cooks it? (the wrong model: nothing stops the chain)',
    keys: { kitchen: 'string' },
  }),
  kitchen: claimingHook<Order, { name: string }>({
    discipline: 'route',
    summary: 'Who cooks it? The first kitchen that claims it.',
    keys: { name: 'string' },
  }),
  wrongExtras: claimingHook<Order, { extras: readonly string[] }>({
    discipline: 'route',
    summary: 'What goes with it? (the wrong model: one claim silences the rest)',
    keys: { extras: 'strings' },
  }),
  extras: modifyingHook<Order, { extras: readonly string[] }>({
    discipline: 'merge',
    summary: 'What goes with it? Everybody may add.',
    keys: { extras: 'strings' },
    collect: ['extras'],
  }),
});
const registry = createHookRegistry(orderHooks);
const order: Order = { item: 'soup' };
const cooked: string[] = [];
const cook = (kitchen: string): string => {
  cooked.push(kitchen);
  return kitchen;
};

registry.registerModifying('wrongKitchen', () => ({ kitchen: cook('north') }));
registry.registerModifying('wrongKitchen', () => ({ kitchen: cook('south') }));
const wrong = await registry.fireModifying('wrongKitchen', order);
console.log(`modifying for routing: cooked by ${cooked.splice(0).join(' and ')}, served by ${wrong?.kitchen}`);

registry.registerClaiming('kitchen', () => ({ handled: true, name: cook('north') }));
registry.registerClaiming('kitchen', () => ({ handled: true, name: cook('south') }));
const right = await registry.fireClaiming('kitchen', order);
console.log(
  `claiming for routing: cooked by ${cooked.join(' and ')}, served by ${right.handled ? right.name : 'nobody'}`,
);

registry.registerClaiming('wrongExtras', () => ({ handled: true, extras: ['bread'] }));
registry.registerClaiming('wrongExtras', () => ({ handled: true, extras: ['salt'] }));
const lost = await registry.fireClaiming('wrongExtras', order);
console.log(`claiming for amending: ${lost.handled ? lost.extras.join(' and ') : 'nothing'}`);

registry.registerModifying('extras', () => ({ extras: ['bread'] }));
registry.registerModifying('extras', () => ({ extras: ['salt'] }));
console.log(`modifying for amending: ${(await registry.fireModifying('extras', order))?.extras?.join(' and ')}`);
