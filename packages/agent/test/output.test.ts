// Finished blocks of output: rewritten or withheld before anybody sees them.
import { describe, expect, it } from 'vitest';
import { collect, kit, registryWithGuard } from './kit.js';

describe('a block of output', () => {
  const secret = { text: ['the word is SE', 'CRE', 'T, they say'] };

  // https://github.com/langchain-ai/langchain/issues/35011, https://github.com/api7/aisix/issues/204
  it('is seen as it was rewritten, by nobody before: no event, result, history or observer holds what was spelled across deltas', async () => {
    const registry = registryWithGuard();
    const seen: unknown[] = [];
    registry.registerModifying('beforeOutput', ({ text }) => ({ text: text.replaceAll('SECRET', '[…]') }));
    registry.registerVoid('afterLLM', (outcome) => void seen.push(outcome));
    registry.registerVoid('agentDone', (done) => void seen.push(done));
    const { agent } = kit([secret], { registry });
    const { events, result } = await collect(agent.stream('go'));
    expect(result.text).toBe('the word is […], they say');
    expect(events.filter(({ type }) => type === 'text-delta')).toEqual([
      { type: 'text-delta', turn: 0, text: 'the word is […], they say' },
    ]);
    expect(JSON.stringify([events, result, seen, agent.describe()])).not.toContain('SECRET');
  });

  // https://github.com/openai/openai-agents-js/pull/1124
  it('that is withheld is nowhere, and is told with its reason', async () => {
    const registry = registryWithGuard();
    registry.registerModifying('beforeOutput', () => ({ withhold: 'it names the word' }), { id: 'censor' });
    registry.registerModifying('beforeOutput', () => ({ text: 'SECRET again' }));
    const { agent } = kit([secret], { registry });
    const { events, result } = await collect(agent.stream('go'));
    expect(result).toMatchObject({ status: 'done', text: '' });
    expect(result.messages).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'output-withheld')).toEqual([
      { type: 'output-withheld', turn: 0, kind: 'text', reason: 'it names the word', by: 'censor' },
    ]);
    expect(JSON.stringify([events, result])).not.toContain('SECRET');
  });

  it('streams through, delta by delta, while nobody is registered', async () => {
    const { events } = await collect(kit([secret]).agent.stream('go'));
    expect(events.filter(({ type }) => type === 'text-delta')).toHaveLength(3);
  });

  it('is reasoning as well: what the provider sent with a rewritten one is not sent back to it', async () => {
    const registry = registryWithGuard();
    const kinds: string[] = [];
    registry.registerModifying('beforeOutput', ({ kind, text }) => {
      kinds.push(kind);
      return kind === 'reasoning' ? { text: `${text} (short)` } : undefined;
    });
    const script = [{ reasoning: 'long thoughts', text: 'an answer' }];
    const { messages } = await kit(script, { registry }).agent.run('go');
    expect(kinds).toEqual(['reasoning', 'text']);
    expect(messages[1]!.content).toEqual([
      { type: 'reasoning', text: 'long thoughts (short)' },
      { type: 'text', text: 'an answer' },
    ]);
  });

  it('keeps its calls: what is withheld of an answer takes no tool call away', async () => {
    const registry = registryWithGuard();
    registry.registerModifying('beforeOutput', () => ({ withhold: 'quiet' }));
    const { agent } = kit([{ text: 'I look', calls: [{ name: 'nothing', args: {} }] }, 'done'], { registry });
    const { toolCalls, turns } = await agent.run('go');
    expect([toolCalls.length, turns]).toEqual([1, 2]);
  });

  it('that a gate fails on ends the run before anything of it was seen', async () => {
    const registry = registryWithGuard();
    registry.events.on('handlerFailed', () => {});
    registry.registerModifying(
      'beforeOutput',
      () => {
        throw new Error('broken');
      },
      { id: 'gate', onError: 'abort' },
    );
    const { events, result } = await collect(kit([secret], { registry }).agent.stream('go'));
    expect(result).toMatchObject({ status: 'failed', text: '' });
    expect(JSON.stringify([events, result.messages])).not.toContain('SECRET');
  });
});
