// The end of a run: put off for a reason, and not for ever.
import { describe, expect, it } from 'vitest';
import { kit, registryWithGuard, textOf } from './kit.js';

describe('the end of a run', () => {
  // https://github.com/anthropics/claude-code/issues/43906
  it('comes with the first answer that asks for nothing, when no handler says otherwise', async () => {
    const registry = registryWithGuard();
    registry.registerModifying('beforeFinish', () => undefined);
    registry.registerModifying('beforeFinish', () => ({}));
    registry.registerModifying('beforeFinish', () => ({ revise: [] }));
    const { agent, model } = kit(['done'], { registry });
    expect(await agent.run('go')).toMatchObject({ status: 'done', turns: 1 });
    expect(model.calls).toHaveLength(1);
  });

  it('is put off by reasons that reach the model as one message, in plan order', async () => {
    const registry = registryWithGuard();
    const counts: number[] = [];
    registry.registerModifying('beforeFinish', ({ continuations }) => {
      counts.push(continuations);
      return continuations === 0 ? { revise: ['the tests are red'] } : undefined;
    });
    registry.registerModifying('beforeFinish', ({ continuations }) =>
      continuations === 0 ? { revise: ['no changelog'] } : undefined,
    );
    const { agent } = kit(['done?', 'done.'], { registry });
    const { status, messages } = await agent.run('go');
    expect([status, counts]).toEqual(['done', [0, 1]]);
    expect(messages.map(textOf)).toEqual(['go', 'done?', 'the tests are red\n\nno changelog', 'done.']);
  });

  // https://github.com/anthropics/claude-code/issues/55754, https://github.com/anthropics/claude-plugins-official/issues/5312
  it('comes after five continuations, however many handlers take turns to refuse it', async () => {
    const registry = registryWithGuard();
    let asked = 0;
    for (const parity of [0, 1]) {
      registry.registerModifying('beforeFinish', ({ continuations }) => {
        if (continuations % 2 !== parity) return undefined;
        asked++;
        return { revise: [`not yet, says ${parity}, ${asked}`] };
      });
    }
    const { agent, model } = kit(
      Array.from({ length: 9 }, (_, at) => `answer ${at}`),
      { registry },
    );
    const result = await agent.run('go');
    expect(result).toMatchObject({ status: 'incomplete', limit: 'continuations', turns: 6, text: 'answer 5' });
    expect(result.reason?.text).toMatch(/^not yet/);
    expect(model.calls).toHaveLength(6);
  });

  // https://github.com/openai/codex/issues/37937
  it('comes when the same reason is given twice with no tool call in between', async () => {
    const registry = registryWithGuard();
    registry.registerModifying('beforeFinish', () => ({ revise: ['the job still runs'] }));
    const { agent } = kit(['a', 'b', 'c'], { registry });
    expect(await agent.run('go')).toMatchObject({ status: 'incomplete', limit: 'no-progress', turns: 2 });
  });

  it('may be put off by the same reason when a tool was called in between', async () => {
    const registry = registryWithGuard();
    registry.registerModifying('beforeFinish', ({ continuations }) =>
      continuations < 2 ? { revise: ['the tests are red'] } : undefined,
    );
    const step = { calls: [{ name: 'nothing', args: {} }] };
    const { agent } = kit(['a', step, 'b', step, 'c'], { registry });
    expect(await agent.run('go')).toMatchObject({ status: 'done', text: 'c', turns: 5 });
  });

  it('is not asked about when the answer was cut', async () => {
    const registry = registryWithGuard();
    let asked = 0;
    registry.registerModifying('beforeFinish', () => void asked++);
    const cut = { text: 'half an ans', finish: 'length' as const };
    expect(await kit([cut], { registry }).agent.run('go')).toMatchObject({ status: 'incomplete', limit: 'output' });
    expect(asked).toBe(0);
  });

  it('starts anew in the next run', async () => {
    const registry = registryWithGuard();
    registry.registerModifying('beforeFinish', ({ continuations }) =>
      continuations === 0 ? { revise: ['once more'] } : undefined,
    );
    const { agent } = kit(['a', 'b', 'c', 'd'], { registry });
    expect((await agent.run('go')).turns).toBe(2);
    expect((await agent.run('again')).turns).toBe(2);
  });
});
