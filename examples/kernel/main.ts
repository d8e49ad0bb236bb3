/** The kernel alone: a catalogue, a registry, two handlers, a fire. */
import { createHookRegistry } from '@treblehook/core';
import { defineHooks, modifyingHook } from '@treblehook/types';

const hooks = defineHooks({
  beforeSave: modifyingHook<{ readonly title: string }, { title: string }>({
    discipline: 'pipeline',
    summary: 'Before a note is saved: its title can be rewritten.',
    keys: { title: 'string' },
  }),
});

const registry = createHookRegistry(hooks, { order: { beforeSave: ['*', 'limit'] } });
registry.registerModifying('beforeSave', ({ title }) => ({ title: title.slice(0, 20) }), { id: 'limit' });
registry.registerModifying('beforeSave', ({ title }) => ({ title: title.trim() }), { id: 'trim' });

const note = { title: '   A title that goes on and on  ' };
const amended = await registry.fireModifying('beforeSave', note);
console.log(registry.plan('beforeSave').map(({ id }) => id)); // [ 'trim', 'limit' ]
console.log(amended); // { title: 'A title that goes on' }
