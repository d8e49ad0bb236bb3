/** The three models and their five disciplines, on a catalogue of one's own: the life of a letter. */
import { createHookRegistry } from '@treblehook/core';
import { claimingHook, defineHooks, modifyingHook, voidHook } from '@treblehook/types';

interface Letter {
  readonly to: string;
  readonly text: string;
}
const letterHooks = defineHooks({
  letterRead: voidHook<Letter>({ summary: 'A letter has been read.' }),
  letterHead: modifyingHook<Letter, { greeting: string; lines: readonly string[] }>({
    discipline: 'merge',
    summary: 'Before the head of a letter is set.',
    keys: { greeting: 'string', lines: 'strings' },
    collect: ['lines'],
  }),
  letterText: modifyingHook<Letter, { text: string; tear: string }>({
    discipline: 'pipeline',
    summary: 'Before a letter is folded: its text can be rewritten.',
    keys: { text: 'string', tear: 'string' },
    terminal: ['tear'],
  }),
  letterDesk: claimingHook<Letter, { desk: string }>({
    discipline: 'route',
    summary: 'A letter has come in: whose is it?',
    keys: { desk: 'string' },
  }),
  letterPost: claimingHook<Letter>({ discipline: 'guard', summary: 'A letter is about to be posted.' }),
});

const registry = createHookRegistry(letterHooks);
const letter: Letter = { to: 'ann', text: 'hello' };

registry.registerVoid('letterRead', () => console.log('observe: the archive has it'));
registry.registerVoid('letterRead', () => console.log('observe: so has the clerk'));

registry.registerModifying('letterHead', () => ({ greeting: 'Dear Ann', lines: ['today'] }));
registry.registerModifying('letterHead', () => ({ greeting: 'Hi', lines: ['by air'] })); // its greeting comes too late

registry.registerModifying('letterText', ({ text }) => ({ text: `${text}, how are you` }));
registry.registerModifying('letterText', ({ text }) => ({ text: `${text}?` })); // sees what the first one made of it

registry.registerClaiming('letterDesk', ({ to }) => (to === 'bob' ? { handled: true, desk: 'second' } : undefined));
registry.registerClaiming('letterDesk', () => ({ handled: true, desk: 'first' }));

registry.registerClaiming('letterPost', ({ text }) => (text.includes('!') ? { deny: 'no shouting' } : undefined));
registry.registerClaiming('letterPost', ({ to }) => (to === 'press' ? { ask: 'to the press?' } : undefined));

await registry.fireVoid('letterRead', letter);
console.log('merge:', await registry.fireModifying('letterHead', letter));
console.log('pipeline:', await registry.fireModifying('letterText', letter));
console.log('route:', await registry.fireClaiming('letterDesk', letter));
for (const other of [letter, { ...letter, to: 'press' }, { to: 'press', text: 'hello!' }]) {
  const { decision, verdicts } = await registry.fireClaiming('letterPost', other);
  console.log(`guard: ${decision}, ${verdicts.length} of 2 were asked`);
}
