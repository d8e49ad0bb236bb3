// Owns the laws of testHost: a real host over a real loop, with the defaults that a test wants and the faults it asks for.
import { scriptedModel as ofAgent } from '@treblehook/agent/testing';
import { definePlugin, defineTool, type StandardSchema } from '@treblehook/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scriptedModel, testHost } from '../src/index.js';

const warned: Error[] = [];
const hear = (warning: Error): void => void warned.push(warning);
beforeEach(() => void process.on('warning', hear));
afterEach(async () => {
  await settle();
  process.off('warning', hear);
  warned.length = 0;
});
/** Warnings are emitted in a later tick. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const anything: StandardSchema<unknown, { readonly text: string }> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as { text: string } }) },
};
const echo = defineTool({
  name: 'echo',
  description: 'says it back',
  input: anything,
  inputSchema: { type: 'object' },
  execute: ({ text }) => `said ${text}`,
});
const callEcho = { calls: [{ name: 'echo', args: { text: 'hi' } }] };
const loud = definePlugin({
  id: 'loud',
  setup: ({ hooks }) => {
    hooks.registerModifying('afterTool', ({ result }) => ({
      result: { ...result, output: result.output.toUpperCase() },
    }));
  },
});

describe('without options', () => {
  it('answers once', async () => {
    const { agent, model, faults } = await testHost();
    expect(await agent.run('hello')).toMatchObject({ status: 'done', text: 'done' });
    expect(model.calls).toHaveLength(1);
    expect(faults).toEqual([]);
  });
});

describe('a plugin under test', () => {
  it('runs in a real turn, between the house tenants, against a real tool', async () => {
    const host = await testHost({ script: [callEcho, 'ok'], tools: [echo], plugins: [loud] });
    const { toolCalls } = await host.agent.run('go');
    expect(toolCalls).toMatchObject([{ outcome: 'ok', output: 'SAID HI' }]);
    expect(host.registry.plan('beforeLLM').map(({ id }) => id)).toEqual(['compaction', 'route-gate']);
    expect(host.registry.plan('toolPolicy').map(({ id }) => id)).toEqual(['tool-policy']);
  });

  it('is on the list of the personality, unless a personality of the test has another list', async () => {
    const personality = { id: 'quiet', plugins: [] };
    const host = await testHost({ script: [callEcho, 'ok'], tools: [echo], plugins: [loud], personality });
    expect((await host.agent.run('go')).toolCalls).toMatchObject([{ output: 'said hi' }]);
  });

  it('that fails to register ends the test, unless the test asks to leave it out', async () => {
    const broken = definePlugin({
      id: 'broken',
      setup() {
        throw new Error('no config');
      },
    });
    await expect(testHost({ plugins: [broken] })).rejects.toThrow('no config');
    const { failed } = await testHost({ plugins: [broken], strict: false, onWarning: () => {} });
    expect(failed.map(({ id }) => id)).toEqual(['broken']);
  });

  it('that is none is refused by the host with the mend', async () => {
    await expect(testHost({ plugins: 'loud' as never })).rejects.toMatchObject({ code: 'TH_OPTION_INVALID' });
    await expect(testHost({ plugins: [null] as never })).rejects.toThrow(/give what definePlugin makes/);
  });
});

describe('the faults', () => {
  it('of every kind are kept in order, and none becomes a warning', async () => {
    const faulty = definePlugin({
      id: 'faulty',
      setup({ hooks }) {
        hooks.registerModifying('beforePromptBuild', () => ({ appendSystem: 'first', overrideSystem: 'mine' }));
        hooks.registerModifying('beforePromptBuild', () => ({ appendSystem: 'second' }), { id: 'late' });
        hooks.registerModifying('beforeLLM', () => ({ mesages: [] }) as never, { id: 'typo' });
        hooks.registerVoid('llmRequest', () => Promise.reject(new Error('disk full')), { id: 'log' });
        hooks.registerVoid('afterLLM', () => new Promise(() => {}), { id: 'hang', timeoutMs: 1 });
        hooks.registerClaiming('toolPolicy', () => ({ allow: true }) as never, { id: 'allow' });
      },
    });
    const host = await testHost({ script: [callEcho, 'ok'], tools: [echo], plugins: [faulty], limits: { steps: 1 } });
    const { toolCalls } = await host.agent.run('go');
    expect(toolCalls).toMatchObject([{ outcome: 'denied' }]);
    expect(host.faults.map(({ hook, id, code, key }) => [hook, id, code, key])).toEqual([
      ['beforePromptBuild', expect.stringMatching(/^faulty\/~/), 'TH_HOST_KEY', 'overrideSystem'],
      ['beforePromptBuild', 'faulty/late', 'TH_KEY_TAKEN', 'appendSystem'],
      ['beforeLLM', 'faulty/typo', 'TH_RESULT_INVALID', undefined],
      ['llmRequest', 'faulty/log', 'TH_HANDLER_FAILED', undefined],
      ['afterLLM', 'faulty/hang', 'TH_HANDLER_TIMEOUT', undefined],
      ['toolPolicy', 'faulty/allow', 'TH_RESULT_INVALID', undefined],
    ]);
    expect(host.faults[3]!.message).toContain('disk full');
    await settle();
    expect(warned).toEqual([]);
  });

  it('do not count a guard that denies: that is its work', async () => {
    const strict = definePlugin({
      id: 'strict',
      setup: ({ hooks }) => {
        hooks.registerClaiming('toolPolicy', () => ({ deny: 'no' }));
      },
    });
    const host = await testHost({ script: [callEcho, 'ok'], tools: [echo], plugins: [strict] });
    expect((await host.agent.run('go')).toolCalls).toMatchObject([{ outcome: 'denied' }]);
    expect(host.faults).toEqual([]);
  });

  it('of one host are not told to another', async () => {
    const throwing = definePlugin({
      id: 'throwing',
      setup: ({ hooks }) => {
        hooks.registerVoid('agentDone', () => {
          throw new Error('mine');
        });
      },
    });
    const [one, other] = [await testHost({ plugins: [throwing] }), await testHost()];
    await Promise.all([one.agent.run('go'), other.agent.run('go')]);
    expect([one.faults.length, other.faults.length]).toEqual([1, 0]);
  });
});

describe('the model', () => {
  it('is the scripted one of the agent, under its own name or the one that is given', async () => {
    expect(scriptedModel).toBe(ofAgent);
    const own = scriptedModel(['from mine'], { modelId: 'mine' });
    const host = await testHost({ model: own });
    expect(host.model).toBe(own);
    expect(await host.agent.run('go')).toMatchObject({ text: 'from mine', model: 'mine' });
    await expect(testHost({ model: own, script: ['x'] })).rejects.toMatchObject({ code: 'TH_OPTION_INVALID' });
  });

  it('is asked once where a call fails for a while, unless the test gives another retry', async () => {
    const busy = (): Error => Object.assign(new Error('busy'), { statusCode: 503 });
    const once = await testHost({ script: [busy(), 'after all'] });
    expect(await once.agent.run('go')).toMatchObject({ status: 'failed' });
    expect(once.model.calls).toHaveLength(1);
    const twice = await testHost({ script: [busy(), 'after all'], retry: { attempts: 2, baseMs: 0 } });
    expect(await twice.agent.run('go')).toMatchObject({ status: 'done', text: 'after all' });
  });
});
