// What the compiler knows of the answers and payloads of a point, for tests of a handler by itself.
import { voidHook, modifyingHook, defineHooks } from '@treblehook/types';
import { expectAnswer, type AnswerAt, type PayloadAt } from '../src/index.js';

const own = defineHooks({
  noted: voidHook<{ readonly text: string }>({ summary: 'A note was taken.' }),
  noting: modifyingHook<{ readonly text: string }, { readonly text: string }>({
    discipline: 'pipeline',
    summary: 'A note is taken.',
    keys: { text: 'string' },
  }),
});

expectAnswer<'beforePromptBuild'>()({ appendSystem: 'Be brief.' });
expectAnswer<'toolPolicy'>()({ deny: 'not here' });
expectAnswer<'noting', typeof own>()({ text: 'shorter' });
// @ts-expect-error the key is misspelt
expectAnswer<'beforePromptBuild'>()({ apendSystem: 'Be brief.' });
// @ts-expect-error there is no allow
expectAnswer<'toolPolicy'>()({ allow: true });
// @ts-expect-error no such point without the catalogue
expectAnswer<'noting'>()({ text: 'shorter' });

const payload: PayloadAt<'noted', typeof own> = { text: 'a' };
// @ts-expect-error an answer has texts
const answer: AnswerAt<'beforePromptBuild'> = { appendSystem: 7 };
export const used = [payload, answer];
