/** The plugin `redact`: one secret has one placeholder, for the model, for the stream, for the log. */
import redact from '@treblehook/plugin-redact';
import { testHost } from '@treblehook/testing';
import { defineTool } from '@treblehook/types';
import { z } from 'zod';

// spelled in two pieces, since a scanner of this repository would take them for what they look like
const awsKey = `AKIAIOSFODNN7EXAMPLE`;
const password = `correct-horse-battery`;

const readEnv = defineTool({
  name: 'read_env',
  description: 'Reads the settings of a service.',
  concurrency: 'safe', // it changes nothing
  input: z.object({ service: z.string() }),
  execute: () => `AWS_ACCESS_KEY_ID=${awsKey}\nDATABASE_URL=postgres://app:${password}@db.example/orders`,
});

const { agent, model, plan } = await testHost({
  script: [
    { calls: [{ name: 'read_env', args: { service: 'orders' } }] },
    { text: ['The service uses AK', awsKey.slice(2), ', as you do.'] }, // in pieces, as a model sends it
  ],
  tools: [readEnv],
  // the seat behind compaction and the gate: it sees what is sent
  plugins: [{ plugin: redact, seat: true, config: { words: [password], detectors: ['aws-key', 'connection-string'] } }],
});

for await (const event of agent.stream(`I use ${awsKey}. What does the service use?`)) {
  if (event.type === 'tool-end') console.log(`the tool told:\n${event.result.output}`);
  if (event.type === 'text-delta') console.log(`the model said: ${event.text}`);
}
const sent = JSON.stringify(model.calls.map(({ prompt }) => prompt));
console.log(`the model read: ${JSON.stringify(model.calls[0]!.prompt[0]!.content)}`);
console.log(`a secret on the wire: ${sent.includes(awsKey) || sent.includes(password)}`);
console.log(
  plan('beforeLLM')[0]!
    .plan.map(({ id }) => id)
    .join(' → '),
);
