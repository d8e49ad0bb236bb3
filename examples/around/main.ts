/** Around a tool call: retry, rewrite, answer in place of it. The guards are asked whatever a wrapper does. */
import { createAgent, type Around } from '@treblehook/agent';
import { scriptedModel } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool } from '@treblehook/types';
import { z } from 'zod';

let dials = 0;
const dial = defineTool({
  name: 'dial',
  description: 'Calls a number.',
  input: z.object({ number: z.string() }),
  execute({ number }) {
    if (++dials === 1) throw new Error('busy');
    return `${number} answers`;
  },
});

const known = new Map([
  ['113', 'the clock says noon'],
  ['999', 'all is well'],
]);

const around: Around = {
  async toolCall({ args }, core) {
    const { number } = args as { readonly number: string };
    const answer = known.get(number);
    if (answer !== undefined) return { result: answer, by: 'cache' };
    const first = await core({ args: { number: number.replaceAll(' ', '') } });
    return first.outcome === 'error' ? core({ args: { number: number.replaceAll(' ', '') } }) : first;
  },
};

const registry = createHookRegistry(agentHooks);
registry.registerClaiming(
  'toolPolicy',
  ({ args }) => (JSON.stringify(args).includes('999') ? { deny: 'not for fun' } : undefined),
  { id: 'house' },
);
registry.registerVoid('toolEnd', ({ attempt, outcome, result, record }) => {
  console.log(`${outcome} at attempt ${attempt}: ${result.output} (by ${record.by ?? 'the tool'})`);
});

const asked = ['12 34', '113', '999'].map((number) => ({ name: 'dial', args: { number } }));
const model = scriptedModel([{ calls: asked }, 'done']);
await createAgent({ model, registry, tools: [dial], around }).run('call them');
