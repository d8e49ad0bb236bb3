// What a stage of `beforeTool` makes a call wait for.
import { pending } from '@treblehook/types';
import { expect, it } from 'vitest';
import { memoryStore } from '../src/index.js';
import { calls, echo, kit } from './kit.js';

it.each<[string, unknown]>([
  ['a list with a hole', [, 1]], // oxlint-disable-line no-sparse-arrays -- that is the attack
  ['a date', new Date(0)],
  ['a function', () => 1],
])('%s as its data is an error of that call alone, which names the handler', async (_, data) => {
  const a = echo('a');
  const b = echo('b');
  const store = memoryStore();
  const { agent, registry } = kit([calls('a', 'b'), 'end'], { tools: [a.tool, b.tool], store });
  registry.registerModifying(
    'beforeTool',
    ({ name }) => (name === 'a' ? { result: pending({ kind: 'input', prompt: 'which?', data: data as never }) } : {}),
    { id: 'asker' },
  );
  const { status, toolCalls } = await agent.session('s').run('go');
  expect(status).toBe('done');
  expect(toolCalls).toMatchObject([
    { name: 'a', outcome: 'error', output: "the hook 'asker' failed on beforeTool: the call was not run" },
    { name: 'b', outcome: 'ok', output: 'said hi' },
  ]);
  expect(a.ran).toEqual([]);
  const log = await store.read('s');
  expect(log.map(({ record }) => record)).toContainEqual(
    expect.objectContaining({
      type: 'outcome',
      name: 'a',
      record: expect.objectContaining({
        reason: expect.stringMatching(/^what 'asker' waits for has data that are not plain JSON/),
      }),
    }),
  );
});
