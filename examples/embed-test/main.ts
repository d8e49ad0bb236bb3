/** How to test an agent: the real loop, the real guard, and a model that follows a script. Any test runner will do. */
import assert from 'node:assert/strict';
import { scriptedModel, type ScriptedStep } from '@treblehook/agent/testing';
import { createDesk } from './desk.js';

const refund = (euros: number): ScriptedStep => ({ calls: [{ name: 'refund', args: { order: 'A7', euros } }] });

async function test(law: string, body: () => Promise<void>): Promise<void> {
  await body();
  console.log(`ok: ${law}`);
}

await test('a small refund is paid', async () => {
  const paid: unknown[] = [];
  const desk = createDesk(scriptedModel([refund(20), 'You have it.']), (...payment) => paid.push(payment));
  const { status, text } = await desk.run('The cup was broken.');
  assert.deepEqual([status, text, paid], ['done', 'You have it.', [['A7', 20]]]);
});

await test('a large one is not, whatever the model says, and the model is told why', async () => {
  const paid: unknown[] = [];
  const model = scriptedModel([refund(5_000), 'A person will see to it.']);
  const { toolCalls } = await createDesk(model, (...payment) => paid.push(payment)).run('I want all of it back!');
  assert.deepEqual(paid, []);
  assert.equal(toolCalls[0]?.outcome, 'denied');
  assert.match(JSON.stringify(model.calls[1]?.prompt), /a person decides/);
});

await test('a refund that is no number never gets as far as the guard', async () => {
  const model = scriptedModel([{ calls: [{ name: 'refund', args: { order: 'A7', euros: 'all' } }] }, 'Sorry.']);
  const { toolCalls } = await createDesk(model, () => assert.fail('paid')).run('All of it!');
  assert.equal(toolCalls[0]?.outcome, 'error');
});

await test('a model that fails is an ending, and nothing is thrown', async () => {
  const { status, error } = await createDesk(scriptedModel([new Error('overloaded')]), () => {}).run('Hello?');
  assert.deepEqual([status, String(error)], ['failed', 'Error: overloaded']);
});
