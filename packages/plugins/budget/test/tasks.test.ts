// Owns that what children of tasks spend is spent by the session that began it.
import { createRuntime } from '@treblehook/agent';
import { scriptedModel, type ScriptedStep } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, type StandardSchema } from '@treblehook/types';
import { expect, it } from 'vitest';
import { budget } from '../src/index.js';
import { uses } from './kit.js';

it('children, and their children, count to the session of the first of them', async () => {
  const registry = createHookRegistry(agentHooks);
  const plugin = budget();
  const read = (plugin.config as StandardSchema<unknown, unknown>)['~standard'].validate({
    perSession: { tokens: 100 },
  });
  const { value } = read as { readonly value: unknown };
  void plugin.setup({ hooks: registry.forPlugin('budget'), config: value, onDispose: () => {} } as never);
  const agent = (name: string, script: readonly ScriptedStep[], agents: readonly string[] = []) => ({
    model: scriptedModel(script, { modelId: name }),
    personality: { id: 'p', plugins: ['budget'] },
    unguarded: 'a test',
    agents,
  });
  const task = (to: string): ScriptedStep => ({
    calls: [{ name: 'task', args: { agent: to, prompt: 'do it' } }],
    usage: { input: 1, output: 1 },
  });
  const runtime = createRuntime({
    registry,
    agents: {
      lead: agent('lead', [task('helper'), 'never', 'x'], ['helper']),
      helper: agent('helper', [task('worker'), 'never'], ['worker']),
      worker: agent('worker', [uses(120)]),
    },
  });
  const { status, reason } = await runtime.agent('lead').session('s').run('go');
  expect(status).toBe('vetoed');
  expect(reason!.text).toContain("'perSession.tokens' is 100: 124 spent (3 calls)");
  expect((await runtime.agent('lead').session('other').run('go')).status).toBe('done');
});
