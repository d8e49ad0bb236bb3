/** A plugin under test: a real host and a real run, a model that follows a script, the faults of handlers kept. */
import { testHost } from '@treblehook/testing';
import { defineTool } from '@treblehook/types';
import { z } from 'zod';
import { redact } from './redact.js';

const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks a person up.',
  concurrency: 'safe', // it changes nothing
  input: z.object({ name: z.string() }),
  execute: ({ name }) => `${name}: ann@example.org, extension 12`,
});

const { agent, model, faults } = await testHost({
  script: [{ calls: [{ name: 'look_up', args: { name: 'Ann' } }] }, 'I found her.'],
  tools: [lookUp],
  plugins: [redact],
});
const { status, toolCalls } = await agent.run('Who is Ann?');

console.log(`${status}: ${toolCalls[0]?.output}`);
console.log(`the model read: ${JSON.stringify(model.calls[1]?.prompt.at(-1)?.content)}`);
console.log(`faults: ${faults.length}`);
