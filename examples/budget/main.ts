/** A budget: one session goes down to a cheaper model, then stops; another one has a budget of its own. */
import { scriptedModel } from '@treblehook/agent/testing';
import { createHost } from '@treblehook/host';
import { budget } from '@treblehook/plugin-budget';

const answer = { text: 'An answer.', usage: { input: 60_000, output: 10_000 } };
const model = (modelId: string) =>
  scriptedModel(
    Array.from({ length: 9 }, () => answer),
    { modelId },
  );

const host = await createHost({
  model: 'large',
  models: { large: model('large'), small: model('small') },
  policy: { rules: [] },
  personality: { id: 'desk', plugins: ['budget'] },
  plugins: [
    {
      plugin: budget({ clock: { date: () => Date.UTC(2026, 0, 1) } }),
      config: {
        perSession: { cost: 0.4 },
        perDay: { tokens: 1_000_000 },
        prices: { large: { input: 3, output: 15 }, small: { input: 0.3, output: 1.5 } }, // per million tokens
        warnAt: 0.5,
        downgrade: { model: 'small', at: 0.5 },
      },
    },
  ],
  onLog: ({ plugin, level, message }) => console.log(`${plugin} ${level}: ${message}`),
});

async function ask(name: string): Promise<void> {
  let asked = '';
  const off = host.registry.registerVoid('llmRequest', (request) => void (asked = request.model));
  const { status, reason } = await host.agent.session(name).run('And now?');
  off();
  console.log(
    `${name}: ${status}${asked === '' ? '' : ` by ${asked}`}${reason === undefined ? '' : `, ${reason.text}`}`,
  );
}
for (let n = 0; n < 5; n++) await ask('ann');
await ask('bob');
await host.close();
