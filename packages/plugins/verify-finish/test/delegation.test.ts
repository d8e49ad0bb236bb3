// Owns the laws of the plugin under tasks: it is where the personality lists it, and a child that does not pass is told as one.
import { createRuntime, type Runtime } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { scriptedModel, type ScriptedStep } from '@treblehook/testing';
import { agentHooks, type PluginApi } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { verifyFinish } from '../src/index.js';
import { npmTest, run, tests, tool } from './kit.js';

const say = (): void => {};

/** A runtime whose registry has the plugin, put there by hand. */
function runtimeOf(
  lead: readonly ScriptedStep[],
  clerk: readonly ScriptedStep[],
  plugins: { lead: string[]; clerk: string[] },
): Runtime {
  const registry = createHookRegistry(agentHooks);
  const plugin = verifyFinish({ checks: [tests], maxContinuations: 1 });
  const read = plugin.config!['~standard'].validate(undefined) as { value: unknown };
  const api: PluginApi<{}, any> = {
    hooks: registry.forPlugin(plugin.id),
    tools: { register: say },
    config: read.value,
    log: { debug: say, info: say, warn: say, error: say },
    onDispose: say,
  };
  void plugin.setup(api);
  const tools = [tool('write'), run()];
  return createRuntime({
    registry,
    agents: {
      lead: {
        unguarded: 'a test',
        model: scriptedModel(lead),
        tools,
        agents: ['clerk'],
        personality: { id: 'lead', plugins: plugins.lead },
      },
      clerk: {
        unguarded: 'a test',
        model: scriptedModel(clerk),
        tools,
        description: 'does it',
        personality: { id: 'clerk', plugins: plugins.clerk },
      },
    },
  });
}

const task = { calls: [{ name: 'task', args: { agent: 'clerk', prompt: 'do it' } }] };
const writes = { calls: [{ name: 'write' }] };
const both = { lead: ['verify-finish'], clerk: ['verify-finish'] };

describe('a child', () => {
  it('whose personality lists the plugin is held to the checks, and its parent is told when it does not pass', async () => {
    const runtime = runtimeOf(
      [task, 'end'],
      [writes, 'done', { calls: [{ name: 'run_command', args: {} }] }, 'done'],
      both,
    );
    const { status, toolCalls } = await runtime.agent('lead').run('go');
    expect(status).toBe('done'); // it has changed nothing itself
    expect(toolCalls[0]).toMatchObject({
      isError: true,
      output: expect.stringMatching(/'clerk' was stopped: it may not end, and was told so once: tests: /),
    });
    await runtime.shutdown();
  });

  it('that passes is a result like any other', async () => {
    const runtime = runtimeOf([task, 'end'], [writes, 'done', { calls: [npmTest] }, 'all passed'], both);
    const { toolCalls } = await runtime.agent('lead').run('go');
    expect(toolCalls[0]).toMatchObject({ isError: false, output: 'all passed' });
    await runtime.shutdown();
  });

  it.each([
    ['whose own list lacks it', { lead: ['verify-finish'], clerk: [] }],
    ["whose parent's list lacks it", { lead: [], clerk: ['verify-finish'] }],
  ])('%s is not held to them', async (_, plugins) => {
    const runtime = runtimeOf([task, 'end'], [writes, 'done'], plugins);
    const { toolCalls } = await runtime.agent('lead').run('go');
    expect(toolCalls[0]).toMatchObject({ isError: false, output: 'done' });
    await runtime.shutdown();
  });
});
