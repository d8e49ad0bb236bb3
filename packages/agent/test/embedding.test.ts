// What a program that embeds the loop may rely on: it ends by itself, nothing is global, what is thrown has a code.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { getEventListeners } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHookRegistry } from '@treblehook/core';
import * as types from '@treblehook/types';
import * as own from '../src/index.js';
import { scriptedModel } from '../src/testing/index.js';
import { call, echo, kit, registryWithGuard } from './kit.js';
import { failOnUnhandledRejections } from './rejections-watched.js';

failOnUnhandledRejections();

it('a program with every kind of ending ends by itself: no handle, no global, no listener, no rejection is left', async () => {
  const child = fileURLToPath(new URL('embedding-child.mjs', import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--unhandled-rejections=strict', child]);
  expect(stderr).toBe('');
  const [report = '', ...rest] = stdout.trim().split('\n');
  expect(rest).toEqual([]);
  const { seen, before, after } = JSON.parse(report) as Record<string, unknown>;
  expect(seen).toEqual([
    'done',
    'aborted',
    'failed',
    'pending',
    'TH_OPTION_INVALID',
    'TH_ANSWER_REFUSED',
    'TH_DISPOSED',
  ]);
  expect(after).toEqual(before);
});

describe('no state is shared', () => {
  // https://github.com/openclaw/openclaw/pull/50493, https://github.com/openclaw/openclaw/pull/12455
  it('by two agents of one process: neither handlers, nor hooks, nor sessions of one id', async () => {
    const heard: string[] = [];
    const agentOf = (name: string) => {
      const registry = registryWithGuard();
      registry.registerVoid('llmRequest', ({ origin }) => void heard.push(`${name}: ${origin.agentPath.join()}`));
      const hooks = { afterLLM: () => void heard.push(`${name}: hooks`) };
      return kit([`I am ${name}`, `still ${name}`], { registry, hooks, name }).agent;
    };
    const [ann, bob] = [agentOf('ann'), agentOf('bob')];
    const runs = await Promise.all([ann, bob, ann, bob].map((agent) => agent.session('s').run('who are you?')));
    expect(runs.map(({ text }) => text)).toEqual(['I am ann', 'I am bob', 'still ann', 'still bob']);
    expect(heard.filter((line) => line.startsWith('ann')).length).toBe(4);
    expect(heard.filter((line) => line === 'ann: bob' || line === 'bob: ann')).toEqual([]);
    expect(runs.map(({ messages }) => messages.length)).toEqual([2, 2, 4, 4]);
  });

  describe('by two copies of the packages', () => {
    let folder: string;
    let other: { agent: typeof own; core: { createHookRegistry: typeof createHookRegistry }; types: typeof types };
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'treblehook-copy-'));
      const packages = fileURLToPath(new URL('../../', import.meta.url));
      const load = async (name: string): Promise<never> =>
        (await import(pathToFileURL(join(folder, 'node_modules/@treblehook', name, 'dist/index.js')).href)) as never;
      for (const name of ['types', 'core', 'agent']) {
        for (const part of ['package.json', 'dist']) {
          const to = join(folder, 'node_modules/@treblehook', name, part);
          cpSync(join(packages, name, part), to, { recursive: true });
        }
      }
      symlinkSync(join(packages, 'core/node_modules/mitt'), join(folder, 'node_modules/mitt'), 'junction');
      other = { agent: await load('agent'), core: await load('core'), types: await load('types') };
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    const mine = { agent: own, core: { createHookRegistry }, types };
    const mixes = ['agent', 'core', 'types'].flatMap((a) => [[a], ['agent', 'core', 'types'].filter((b) => b !== a)]);
    it.each([[[]], ...mixes.map((mix) => [mix])])('with %j of the other copy all is as ever', async (mix) => {
      expect(other.types.HookError).not.toBe(types.HookError);
      const part = <K extends keyof typeof mine>(name: K): (typeof mine)[K] =>
        (mix.includes(name) ? other : mine)[name];
      const registry = part('core').createHookRegistry(part('types').agentHooks);
      registry.registerClaiming('toolPolicy', ({ args }) =>
        Object.hasOwn(args as object, 'no') ? { deny: 'no' } : undefined,
      );
      const tool = part('types').defineTool({
        ...echo().tool,
        execute: (args: { text: string }) =>
          args.text === 'ask' ? part('types').pending({ kind: 'input', prompt: '?' }) : args.text,
      });
      const script = ['said', 'ask'].map((text) => call('echo', { text }));
      const model = scriptedModel([script[0]!, 'done', script[1]!, new (part('types').HookError)('TH_MODEL_INVALID')]);
      const agent = part('agent').createAgent({ model, registry, tools: [tool] });
      expect(await agent.run('go')).toMatchObject({ status: 'done', toolCalls: [{ output: 'said' }] });
      const { status, pending = [] } = await agent.session('s').run('ask');
      expect([status, pending.length]).toEqual(['pending', 1]);
      const refusal = await agent
        .session('s')
        .resume({ id: 'none', ok: true })
        .catch((error: unknown) => error);
      expect(types.isHookError(refusal) && refusal.code).toBe('TH_ANSWER_REFUSED');
      await agent.close();
    });

    it('a handler that fails in a kernel of another copy ends its call alone, as ever', async () => {
      const registry = other.core.createHookRegistry(types.agentHooks);
      registry.registerClaiming('toolPolicy', () => undefined, { id: 'guard' });
      const broken = (): never => {
        throw new Error('broken');
      };
      registry.registerModifying('beforeTool', broken, { id: 'gate', onError: 'abort' });
      const { tool, ran } = echo();
      const agent = own.createAgent({
        model: scriptedModel([call('echo', { text: 'a' }), 'end']),
        registry,
        tools: [tool],
      });
      expect(await agent.run('go')).toMatchObject({
        status: 'done',
        toolCalls: [{ output: "the hook 'gate' failed on beforeTool: the call was not run" }],
      });
      expect(ran).toEqual([]);
      await agent.close();
    });

    it('a plain hook that fails in a kernel of another copy ends the run with that very error, as ever', async () => {
      const registry = other.core.createHookRegistry(types.agentHooks);
      const error = new Error('mine');
      const hooks = {
        beforeLLM: () => {
          throw error;
        },
      };
      const agent = own.createAgent({ model: scriptedModel(['x']), registry, hooks });
      const result = await agent.run('go');
      expect([result.status, result.error]).toEqual(['failed', error]);
      await agent.close();
    });

    it('a registry that is another copy’s is refused with a code', () => {
      const registry = registryWithGuard();
      kit(['x'], { registry });
      const model = scriptedModel(['x']);
      expect(() => other.agent.createAgent({ model, registry })).toThrow(
        expect.objectContaining({
          code: 'TH_OPTION_INVALID',
          message: expect.stringContaining('give each copy its own registry') as string,
        }) as Error,
      );
    });
  });
});

// https://github.com/QwenLM/qwen-code/pull/4366
it('a signal that 1,000 runs share has one listener while they run, and none behind them', async () => {
  const { signal } = new AbortController();
  const counts = new Set<number>();
  const script = Array.from({ length: 1_000 }, () => () => {
    counts.add(getEventListeners(signal, 'abort').length);
    return 'done';
  });
  const { agent } = kit(script);
  const runs = await Promise.all(
    Array.from({ length: 1_000 }, (_, at) => agent.session(`s${at % 50}`).run('go', { signal })),
  );
  expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['done']));
  expect(counts).toEqual(new Set([1]));
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
