/** A first hook: a plugin that adds a line to the system text, and watches what is sent and what the tools did. */
import { join } from 'node:path';
import { createHost } from '@treblehook/host';
import { folderTools } from '@treblehook/tools';
import { definePlugin } from '@treblehook/types';

const first = definePlugin({
  id: 'first',
  setup({ hooks }) {
    // Modifying: what the handler returns is an amendment.
    hooks.registerModifying('beforePromptBuild', () => ({ appendSystem: 'Name the file.' }));

    // Void: the handler observes. What it returns is ignored, and when it throws, the run goes on.
    hooks.registerVoid('toolEnd', ({ name, outcome }) => console.log(`${name}: ${outcome}`));
    hooks.registerVoid('llmRequest', ({ origin, messages }) => {
      const front = messages[0]?.content[0];
      if (origin.turn === 0 && front?.type === 'text') console.log(`system text: ${JSON.stringify(front.text)}`);
    });
  },
});

const dir = join(import.meta.dirname, 'notes');
const host = await createHost({
  model: 'offline', // embedded and deterministic; a real one is 'openai-compatible:<id>@<url>'
  tools: folderTools(dir),
  cwd: dir,
  personality: { id: 'reader', system: 'You answer from the files.', plugins: ['first'] },
  plugins: [first],
});
const { status, text } = await host.agent.run('Which file says "good morning"?');
await host.close();

console.log(`${status}: ${text}`);
