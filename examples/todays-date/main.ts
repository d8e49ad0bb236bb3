/** A plugin that tells the model what day it is, by `prependSystem`; the time of day would spoil the provider's prompt cache. */
import { createHost } from '@treblehook/host';
import { scriptedModel } from '@treblehook/testing';
import { definePlugin } from '@treblehook/types';

/** The clock is a parameter, so that a test can stop it. */
const todaysDate = (now: () => Date) =>
  definePlugin({
    id: 'todays-date',
    setup({ hooks }) {
      const today = (): string =>
        now().toLocaleDateString('en-GB', {
          weekday: 'long',
          day: 'numeric',
          month: 'long',
          year: 'numeric',
          timeZone: 'UTC',
        });
      hooks.registerModifying('beforePromptBuild', () => ({ prependSystem: `Today is ${today()}.` }), { id: 'day' });
    },
  });

let now = new Date('2030-02-28T23:59:00Z');
const model = scriptedModel(['It is Thursday.', 'It is Friday.']);
const { agent, close } = await createHost({
  model,
  personality: { id: 'secretary', system: 'You keep the diary.', plugins: ['todays-date'] },
  plugins: [todaysDate(() => now)],
});
await agent.run('Which day is it?');
now = new Date('2030-03-01T00:01:00Z');
await agent.run('And now?'); // the system text is built anew for each run
await close();

for (const { prompt } of model.calls) console.log(JSON.stringify(prompt[0]?.content));
