// Owns how a budget lives with others: what they veto, what waits, what handlers ask, and sessions at the same time.
import { scriptedModel } from '@treblehook/agent/testing';
import { definePlugin, defineTool, pending } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bench, uses } from './kit.js';

describe('beside others', () => {
  it('a plugin that vetoes behind it frees what was reserved', async () => {
    let isVeto = true;
    const nay = definePlugin({
      id: 'nay',
      setup: ({ hooks }) => void hooks.registerModifying('beforeLLM', () => (isVeto ? { veto: 'no' } : undefined)),
    });
    const { agent } = await bench({ tokens: 2_000 }, { behind: [nay] });
    for (let n = 0; n < 5; n++)
      expect((await agent.run('go')).reason).toMatchObject({ text: 'no', by: expect.stringContaining('nay') });
    isVeto = false;
    expect((await agent.run('go')).status).toBe('done');
  });

  it('a run that waits holds nothing, and goes on within what is left', async () => {
    let isAnswered = false;
    const ask = defineTool({
      name: 'ask',
      description: 'asks',
      input: z.object({}),
      execute: () => (isAnswered ? 'yes' : pending({ kind: 'choice', prompt: 'which?' })),
    });
    const { agent } = await bench(
      { perSession: { tokens: 50 } },
      {
        script: [{ calls: [{ name: 'ask', args: {} }], usage: { input: 30, output: 30 } }, 'never'],
        tools: [ask],
        policy: { rules: [], unlisted: 'silent' },
      },
    );
    const session = agent.session('s');
    const first = await session.run('go');
    expect(first.status).toBe('pending');
    isAnswered = true;
    const { status, reason } = await session.resume({ id: first.pending![0]!.id, ok: true });
    expect(status).toBe('vetoed');
    expect(reason!.text).toContain("'perSession.tokens' is 50: 60 spent");
  });

  it('a handler’s own call is decided and counted as well', async () => {
    const { agent, registry } = await bench({ tokens: 100 }, { script: [uses(120), 'never'] });
    registry.registerModifying('beforeLLM', async (_, { callModel }) => {
      await callModel!({ messages: [{ role: 'user', content: [{ type: 'text', text: '?' }] }] }, 'summary');
    });
    const { status, reason } = await agent.run('go');
    expect(status).toBe('vetoed');
    expect(reason!.text).toContain('120 spent (1 calls)');
  });

  it('sessions at once cannot go over by more than what their calls in hand reserved', async () => {
    const { agent, model } = await bench(
      { tokens: 3_000 },
      { model: scriptedModel(Array.from({ length: 20 }, () => uses(900))) },
    );
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => agent.session(`s${n}`).run('go')));
    const done = all.filter(({ status }) => status === 'done').length;
    expect(done).toBe(3);
    expect(model.calls).toHaveLength(3);
    expect(all.find(({ status }) => status === 'vetoed')!.reason!.text).toMatch(/reserved by calls in hand/);
  });
});
