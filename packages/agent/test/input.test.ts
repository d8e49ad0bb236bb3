// The input of a run: rewritten in order, given context, rejected; stored once, told once.
import type { LLMRequest } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { kit, registryWithGuard, textOf } from './kit.js';

describe('the input of a run', () => {
  it('is what the last stage has made of it: in the history, on the wire, in the system text of that run', async () => {
    const registry = registryWithGuard();
    const inputs: string[] = [];
    registry.registerModifying('beforeInput', ({ text }) => ({ text: `${text}!` }), { id: 'one' });
    registry.registerModifying('beforeInput', ({ text }) => ({ text: text.toUpperCase() }), { id: 'two' });
    registry.registerModifying('beforePromptBuild', ({ input }) => void inputs.push(input));
    const { agent, model } = kit(['done'], { registry });
    const { messages } = await agent.run('go');
    expect(inputs).toEqual(['GO!']);
    expect(messages.map(textOf)).toEqual(['GO!', 'done']);
    expect(JSON.stringify(model.calls[0]!.prompt)).toContain('GO!');
  });

  it('brings context that stands in the tail of every request of the run, in front of the context of the system text', async () => {
    const registry = registryWithGuard();
    const requests: LLMRequest[] = [];
    registry.registerModifying('beforeInput', () => ({ context: ['first'] }));
    registry.registerModifying('beforeInput', ({ context }) => ({ context: [`${context.length} before`] }));
    registry.registerModifying('beforePromptBuild', () => ({ context: ['last'] }));
    registry.registerVoid('llmRequest', (request) => void requests.push(request as LLMRequest));
    const { agent } = kit(['one', 'two'], { registry });
    await agent.run('go');
    const { messages } = await agent.run('again');
    expect(requests.map(({ inject }) => inject.map((message) => textOf(message)))).toEqual([
      ['first\n\n1 before\n\nlast'],
      ['first\n\n1 before\n\nlast'],
    ]);
    expect(messages.map(textOf)).toEqual(['go', 'one', 'again', 'two']);
  });

  it('that is rejected ends the run vetoed: nothing is stored, sent or asked', async () => {
    const registry = registryWithGuard();
    const seen: string[] = [];
    registry.registerModifying('beforeInput', () => ({ reject: 'no such talk' }), { id: 'manners' });
    registry.registerModifying('beforeInput', () => void seen.push('later stage'));
    registry.registerVoid('messageReceived', () => void seen.push('messageReceived'));
    registry.registerVoid('agentDone', ({ status }) => void seen.push(status));
    const { agent, model } = kit(['never'], { registry });
    const result = await agent.run('go');
    expect(result).toMatchObject({
      status: 'vetoed',
      reason: { text: 'no such talk', by: 'manners' },
      messages: [],
      turns: 0,
    });
    expect([model.calls.length, seen]).toEqual([0, ['vetoed']]);
  });

  it('is rejected by an empty reason too', async () => {
    const registry = registryWithGuard();
    registry.registerModifying('beforeInput', () => ({ reject: '' }));
    expect(await kit(['never'], { registry }).agent.run('go')).toMatchObject({ status: 'vetoed', messages: [] });
  });

  it('is told as it is stored, with its id, before the system text is built', async () => {
    const registry = registryWithGuard();
    const seen: unknown[] = [];
    registry.registerModifying('beforeInput', () => ({ text: 'rewritten' }));
    registry.registerVoid('messageReceived', ({ message }) => void seen.push(message));
    registry.registerModifying('beforePromptBuild', () => void seen.push('prompt'));
    const { messages } = await kit(['done'], { registry }).agent.run('go');
    expect(seen).toEqual([messages[0], 'prompt']);
    expect(messages[0]!.id).toBeTypeOf('string');
  });

  it('stays as it was when a stage fails, and ends the run before anything is stored when that stage is a gate', async () => {
    const registry = registryWithGuard();
    registry.events.on('handlerFailed', () => {});
    const off = registry.registerModifying('beforeInput', () => {
      throw new Error('broken');
    });
    expect(await kit(['done'], { registry }).agent.run('go')).toMatchObject({ status: 'done' });
    off();
    registry.registerModifying(
      'beforeInput',
      () => {
        throw new Error('broken');
      },
      { onError: 'abort' },
    );
    expect(await kit(['never'], { registry }).agent.run('go')).toMatchObject({ status: 'failed', messages: [] });
  });
});
