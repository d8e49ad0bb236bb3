/** Pins what the compiler refuses in a catalogue entry. */
import { claimingHook, modifyingHook, voidHook } from '../src/index.js';

interface Seen {
  readonly id: number;
  readonly tags?: readonly string[];
}
interface Change {
  readonly id: number;
  readonly tags: readonly string[];
  readonly stop: string;
}
interface Counts {
  readonly tags: readonly number[];
}
const keys = { id: 'number', tags: 'strings', stop: 'string' } as const;

interface Lists {
  readonly words: readonly ('a' | 'b')[];
  readonly loose: readonly any[];
  readonly mixed: readonly (string | number)[];
  readonly texts?: string[] | null;
}

// Legal, so that what follows is refused for its one fault.
voidHook<Seen>({ summary: '', fields: { id: 'number', tags: 'strings?' }, budgetMs: 5, aka: ['seen'], owner: 'acme' });
modifyingHook<Seen, Change>({ discipline: 'pipeline', summary: '', keys, terminal: ['stop'], locks: { a: ['id'] } });
modifyingHook<Seen, Change>({ discipline: 'merge', summary: '', keys, collect: ['tags'], hostKeys: ['id'] });
voidHook<Lists>({ summary: '', fields: { words: 'strings', loose: 'strings', mixed: 'array', texts: 'strings?' } });
voidHook<Lists>({ summary: '', fields: { words: 'any', loose: 'array', mixed: 'any', texts: 'any?' } });
claimingHook<Seen>({ discipline: 'guard', summary: '' });
claimingHook<Seen, { readonly why: string }>({ discipline: 'guard', summary: '', keys: { why: 'string' } });

// Terminal, collect, host and lock keys are keys of the amendment.
// @ts-expect-error 'halt' is no key of the amendment
modifyingHook<Seen, Change>({ discipline: 'pipeline', summary: '', keys, terminal: ['halt'] });
// @ts-expect-error a string cannot be collected
modifyingHook<Seen, Change>({ discipline: 'merge', summary: '', keys, collect: ['stop'] });
// @ts-expect-error what is collected is a key of the amendment
modifyingHook<Seen, Change>({ discipline: 'merge', summary: '', keys, collect: ['list'] });
// @ts-expect-error a host key is a key of the amendment
modifyingHook<Seen, Change>({ discipline: 'merge', summary: '', keys, hostKeys: ['own'] });
// @ts-expect-error a lock names keys of the amendment
modifyingHook<Seen, Change>({ discipline: 'pipeline', summary: '', keys, locks: { a: ['idd'] } });

// What a merge, a claim or an observer cannot have.
// @ts-expect-error a merge runs to its end: it has no terminal keys
modifyingHook<Seen, Change>({ discipline: 'merge', summary: '', keys, terminal: ['stop'] });
// @ts-expect-error the first value of a merge wins: there is nothing to lock
modifyingHook<Seen, Change>({ discipline: 'merge', summary: '', keys, locks: { a: ['id'] } });
// @ts-expect-error a guard collects asks, not keys
claimingHook<Seen>({ discipline: 'guard', summary: '', collect: [] });
// @ts-expect-error an observer answers nothing
voidHook<Seen>({ summary: '', keys: { id: 'number' } });
// @ts-expect-error a modifying point is merge or pipeline
modifyingHook<Seen, Change>({ discipline: 'route', summary: '', keys });
// @ts-expect-error a claiming point is guard or route
claimingHook<Seen>({ discipline: 'pipeline', summary: '' });

// Payload and amendment agree.
// @ts-expect-error the payload's 'id' is a number: a string cannot feed forward
modifyingHook<Seen, { readonly id: string }>({ discipline: 'pipeline', summary: '', keys: { id: 'string' } });
// @ts-expect-error a list of numbers is no list of tags
modifyingHook<Seen, Counts>({ discipline: 'pipeline', summary: '', keys: { tags: 'array' } });

// Keys and fields are complete and of the right kind.
// @ts-expect-error a modifying point lists its keys
modifyingHook<Seen, Change>({ discipline: 'merge', summary: '' });
// @ts-expect-error 'stop' is missing
modifyingHook<Seen, Change>({ discipline: 'merge', summary: '', keys: { id: 'number', tags: 'strings' } });
// @ts-expect-error 'stop' is a string
modifyingHook<Seen, Change>({ discipline: 'merge', summary: '', keys: { ...keys, stop: 'boolean' } });
// @ts-expect-error the amendment has no 'more'
modifyingHook<Seen, Change>({ discipline: 'merge', summary: '', keys: { ...keys, more: 'any' } });
// @ts-expect-error a claim that carries something lists its keys
claimingHook<Seen, { readonly why: string }>({ discipline: 'route', summary: '' });
// @ts-expect-error 'id' is missing in the fields
voidHook<Seen>({ summary: '', fields: { tags: 'strings?' } });
// @ts-expect-error 'id' is a number
voidHook<Seen>({ summary: '', fields: { id: 'string', tags: 'strings?' } });
// @ts-expect-error 'array' would let a handler get a tag that is no string
voidHook<Seen>({ summary: '', fields: { id: 'number', tags: 'array?' } });
// @ts-expect-error nor may an answer carry one
modifyingHook<Seen, Change>({ discipline: 'merge', summary: '', keys: { ...keys, tags: 'array' } });
// @ts-expect-error a list of some strings is a list of strings
voidHook<Lists>({ summary: '', fields: { words: 'array', loose: 'any', mixed: 'array', texts: 'any?' } });
// @ts-expect-error a list that may hold numbers is none
voidHook<Lists>({ summary: '', fields: { words: 'strings', loose: 'any', mixed: 'strings', texts: 'any?' } });
// @ts-expect-error 'tags' may be missing, and the field must say so
voidHook<Seen>({ summary: '', fields: { id: 'number', tags: 'strings' } });
// @ts-expect-error the payload has no 'more'
voidHook<Seen>({ summary: '', fields: { id: 'number', tags: 'strings?', more: 'any' } });
// @ts-expect-error every point says in a sentence when it fires
voidHook<Seen>({});
