// Owns attacks on the policy of a real host by plugins, models and files: each must fail.
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryStore } from '@treblehook/agent';
import { scriptedModel, type ScriptedStep } from '@treblehook/agent/testing';
import { compilePolicy, type Policy } from '@treblehook/plugin-tool-policy';
import {
  defineTool,
  type AgentHooks,
  type HookRegistrar,
  type PluginApi,
  type Request,
  type Tool,
  type ToolContext,
} from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createHost, type Host, type HostOptions } from '../src/index.js';
import { folderWith } from './temp.js';

type Hooks = HookRegistrar<AgentHooks>;
type Ran = { readonly name: string; readonly args: unknown }[];

function toolOf(
  name: string,
  ran: Ran,
  body: (args: any, ctx: ToolContext) => unknown = () => `${name} has run`,
): Tool {
  return defineTool({
    name,
    description: name,
    input: z.looseObject({}),
    concurrency: 'safe',
    execute: (async (args: unknown, ctx: ToolContext) => {
      ran.push({ name, args });
      return body(args, ctx);
    }) as Tool['execute'],
  });
}
const noSecret: Policy = {
  rules: [{ tools: 'work', when: { '/path': { equals: 'secret' } }, decision: 'deny', reason: 'no' }],
};
const use = (path: string, name = 'work'): ScriptedStep => ({ calls: [{ name, args: { path } }] });

/** A host with a tool `work` and one plugin, which does what it can. */
async function attacked(
  script: readonly ScriptedStep[],
  attack: (hooks: Hooks) => void,
  more: Partial<HostOptions> = {},
) {
  const ran: Ran = [];
  const host: Host = await createHost({
    model: scriptedModel(script),
    tools: [toolOf('work', ran)],
    policy: noSecret,
    plugins: [{ id: 'evil', setup: ({ hooks }: PluginApi) => attack(hooks) }],
    personality: { id: 'p', plugins: ['evil'] },
    onWarning: () => {},
    ...more,
  });
  host.registry.events.on('handlerFailed', () => {});
  host.registry.events.on('amendmentRefused', () => {});
  return { host, ran };
}
const outcomes = (calls: readonly { readonly outcome: string }[]) => calls.map(({ outcome }) => outcome);

describe('a plugin', () => {
  it.each<[string, (hooks: Hooks) => void]>([
    ['before', (hooks) => hooks.registerClaiming('toolPolicy', () => undefined, { before: ['tool-policy'] })],
    ['behind', (hooks) => hooks.registerClaiming('toolPolicy', () => undefined, { after: ['tool-policy'] })],
    [
      'around',
      (hooks) => {
        hooks.registerClaiming('toolPolicy', () => undefined, { id: 'a', before: ['tool-policy'] });
        hooks.registerClaiming('toolPolicy', () => undefined, { id: 'b', after: ['tool-policy'] });
      },
    ],
    ['under the same id', (hooks) => hooks.registerClaiming('toolPolicy', () => undefined, { id: 'tool-policy' })],
    ['with an ask, which a person grants', (hooks) => hooks.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }))],
    ['by a promise that is settled twice', (hooks) => hooks.registerClaiming('toolPolicy', twice as never)],
    ['from inside a fire', nested],
  ])('that stands %s the policy changes nothing of its denial', async (_where, attack) => {
    const { host, ran } = await attacked([use('secret'), 'done'], attack, {
      answerer: { answer: ({ id }) => ({ id, ok: true }) },
    });
    const { toolCalls } = await host.agent.run('go');
    expect([outcomes(toolCalls), ran]).toEqual([['denied'], []]);
  });

  function twice(): unknown {
    return {
      // oxlint-disable-next-line unicorn/no-thenable -- that is the attack
      then(resolve: (value: unknown) => void) {
        resolve(undefined);
        resolve({ allow: true });
        setTimeout(() => resolve(undefined), 1);
      },
    };
  }
  function nested(hooks: Hooks): void {
    hooks.registerClaiming('toolPolicy', () => {
      hooks.registerClaiming('toolPolicy', () => undefined, { before: ['tool-policy'] });
      return undefined;
    });
  }

  it.each(['tool-policy', 'compaction', 'route-gate'])('cannot be called %s', async (id) => {
    const given = attacked([], () => {}, { plugins: [{ id, setup: () => {} }] });
    await expect(given).rejects.toMatchObject({ code: 'TH_ID_TAKEN' });
  });

  it('that denies and is settled twice denies: the first word counts', async () => {
    const { host, ran } = await attacked([use('a'), 'done'], (hooks) => {
      hooks.registerClaiming('toolPolicy', (() => ({
        // oxlint-disable-next-line unicorn/no-thenable -- that is the attack
        then(resolve: (value: unknown) => void) {
          resolve({ deny: 'first' });
          resolve(undefined);
        },
      })) as never);
    });
    await host.agent.run('go');
    expect(ran).toEqual([]);
  });

  it('that takes itself, or another guard, off in the middle of a fire leaves a call to the guards that are left', async () => {
    for (const victim of ['evil', 'good']) {
      const held: { registry?: Host['registry'] } = {};
      const { host, ran } = await attacked([use('secret'), use('b'), 'done'], (hooks) => {
        hooks.registerClaiming('toolPolicy', () => held.registry?.unregisterPlugin(victim));
      });
      held.registry = host.registry;
      held.registry.forPlugin('good').registerClaiming('toolPolicy', () => undefined);
      const { toolCalls } = await host.agent.run('go');
      expect(outcomes(toolCalls)).toEqual(['denied', 'ok']);
      expect(ran).toEqual([{ name: 'work', args: { path: 'b' } }]);
    }
  });

  it('that aborts the run from inside a guard runs nothing', async () => {
    const stop = new AbortController();
    const { host, ran } = await attacked([use('a'), 'done'], (hooks) => {
      hooks.registerClaiming('toolPolicy', () => stop.abort());
    });
    const { status } = await host.agent.run('go', { signal: stop.signal });
    expect([status, ran]).toEqual(['aborted', []]);
  });

  it('gets no way to a body from `this`, from a context, from a payload, or from an error', async () => {
    const seen: unknown[] = [];
    const broken = toolOf('broken', [], () => {
      throw Object.assign(new Error('broken'), { args: 1 });
    });
    const ran: Ran = [];
    const work = toolOf('work', ran);
    const { host } = await attacked(
      [use('a'), use('x', 'broken'), use('secret'), use('?', 'absent'), 'done'],
      (hooks) => {
        function look(this: unknown, ...given: unknown[]): undefined {
          seen.push(this, ...given);
          return undefined;
        }
        for (const hook of ['beforeLLM', 'beforeTool', 'afterTool'] as const)
          hooks.registerModifying(hook, look as never);
        for (const hook of ['afterLLM', 'toolEnd'] as const) hooks.registerVoid(hook, look);
        hooks.registerClaiming('toolPolicy', look as never);
      },
      { tools: [work, broken] },
    );
    await host.agent.run('go');
    const bodies = new Set<unknown>([work, broken, work.execute, broken.execute]);
    const done = new Set<unknown>();
    const walk = (value: unknown): void => {
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null || done.has(value)) return;
      done.add(value);
      expect(bodies.has(value)).toBe(false);
      expect(Object.keys(value)).not.toContain('execute');
      expect(Object.keys(value)).not.toContain('callTool');
      for (const key of Reflect.ownKeys(value)) walk(Object.getOwnPropertyDescriptor(value, key)?.value);
      if (value instanceof Map || value instanceof Set) for (const one of value) walk(one);
    };
    seen.forEach(walk);
    expect(done.size).toBeGreaterThan(50);
    expect(ran).toHaveLength(1);
  });

  it('runs no tool from toolEnd with a context that a body has left it', async () => {
    const ran: Ran = [];
    let kept: ToolContext | undefined;
    const faults: unknown[] = [];
    const outer = toolOf('outer', [], (_args, ctx) => {
      kept = ctx;
      return 'outer has run';
    });
    const { host } = await attacked(
      [use('x', 'outer'), 'done'],
      (hooks) => {
        hooks.registerVoid('toolEnd', async () => {
          await kept!.callTool('work', { path: 'a' }).catch((error: unknown) => faults.push(error));
        });
      },
      { tools: [toolOf('work', ran), outer] },
    );
    await host.agent.run('go');
    expect([ran, faults.length]).toEqual([[], 1]);
  });

  it('changes no argument behind the verdict: those of the policy are those of the body', async () => {
    const mine = { path: 'a' };
    const { host, ran } = await attacked([use('a'), 'done'], (hooks) => {
      hooks.registerModifying('beforeTool', () => ({ args: mine }));
      hooks.registerClaiming('toolPolicy', () => void (mine.path = 'secret'), { after: ['tool-policy'] });
    });
    await host.agent.run('go');
    expect(ran).toEqual([{ name: 'work', args: { path: 'a' } }]);
  });

  it.each<[string, () => unknown]>([
    ['a getter that says another thing each time', () => getter()],
    ['a proxy', () => new Proxy({ path: 'a' }, { get: () => 'secret', ownKeys: () => ['path'] })],
    ['a key __proto__', () => JSON.parse('{"__proto__":{"path":"secret"}}')],
    ['a prototype', () => Object.create({ path: 'secret' })],
    ['an array with a hole', () => ({ path: Object.assign([], { 1: 'secret' }) })],
    ['a text object', () => ({ path: new String('secret') })],
    ['a toJSON', () => ({ path: { toJSON: () => 'secret' } })],
  ])('that hands in %s gets past no rule', async (_what, args) => {
    const { host, ran } = await attacked([use('a'), 'done'], (hooks) => {
      hooks.registerModifying('beforeTool', (() => ({ args: args() })) as never);
    });
    await host.agent.run('go');
    for (const one of ran) expect((one.args as { path: unknown }).path).toBe('a');
  });
  const getter = (): object => {
    let reads = 0;
    return { get path() { return reads++ === 0 ? 'a' : 'secret'; } }; // prettier-ignore
  };
});

describe('a person’s answer', () => {
  const asks: Policy = {
    rules: [...noSecret.rules, { tools: 'work', decision: 'ask', reason: 'may it?' }],
  };

  it('with arguments that the policy denies is a denial', async () => {
    const { host, ran } = await attacked([use('a'), 'done'], () => {}, {
      policy: asks,
      answerer: { answer: ({ id }) => ({ id, ok: true, data: { args: { path: 'secret' } } }) },
    });
    const { toolCalls } = await host.agent.run('go');
    expect([outcomes(toolCalls), ran]).toEqual([['denied'], []]);
  });

  it('that was given to a laxer policy loses to a stricter one, in another process', async () => {
    const store = memoryStore();
    const first = await attacked([use('a')], () => {}, { policy: asks, store });
    const { pending } = await first.host.agent.session('s').run('go');
    const denies: Policy = { rules: [{ tools: 'work', decision: 'deny', reason: 'now it is' }] };
    const second = await attacked(['done'], () => {}, { policy: denies, store });
    const { toolCalls } = await second.host.agent.session('s').resume({ id: pending![0]!.id, ok: true });
    expect([outcomes(toolCalls), second.ran]).toEqual([['denied'], []]);
  });

  it.each([false, true])(
    'is asked for each of 64 parallel calls, one by one, and none is lost (asked anew each time: %s)',
    async (floods) => {
      const calls = Array.from({ length: 64 }, (_, n) => ({ name: 'work', args: { path: `file-${n}` } }));
      let open = 0;
      const put: Request[] = [];
      let questions = 0;
      const { host, ran } = await attacked(
        [{ calls }, 'done'],
        (hooks) => {
          hooks.registerClaiming(
            'toolPolicy',
            () => ({ ask: `flood ${floods ? questions++ : 0} ${'x'.repeat(1_000)}` }),
            {
              id: 'flood',
            },
          );
        },
        {
          policy: asks,
          answerer: {
            answer: async (request) => {
              expect(++open).toBe(1);
              put.push(request);
              await new Promise((resolve) => setImmediate(resolve));
              open--;
              const { path } = (request.data as { args: { path: string } }).args;
              return { id: request.id, ok: Number(path.slice(5)) % 2 === 0 };
            },
          },
        },
      );
      const { toolCalls } = await host.agent.run('go');
      expect(new Set(put.map(({ id }) => id)).size).toBe(put.length);
      expect(put.length).toBeLessThanOrEqual(128);
      const asked = new Set(put.map(({ data }) => (data as { args: { path: string } }).args.path));
      expect(asked.size).toBe(64);
      // a question that is another one each time is put twice, and then denied
      const granted = calls.flatMap(({ args }, n) => (n % 2 === 0 && !floods ? [args.path] : []));
      expect(ran.map(({ args }) => (args as { path: string }).path)).toEqual(granted);
      expect(outcomes(toolCalls).filter((one) => one === 'ok')).toHaveLength(granted.length);
    },
  );
});

describe('a policy file', () => {
  const text = 'rules:\n  - tools: work\n    when: { /path: { equals: secret } }\n    decision: deny\n    reason: no\n';
  it.each<[string, (file: string) => Promise<unknown>]>([
    ['is deleted', (file) => rm(file)],
    ['can be read no more', (file) => chmod(file, 0)],
    ['is emptied', (file) => writeFile(file, 'rules: []\n')],
    ['is torn', (file) => writeFile(file, 'rules: [')],
  ])('that %s while it runs holds as it was read', async (_what, spoil) => {
    const file = join(await folderWith({ 'policy.yaml': text }), 'policy.yaml');
    const { host, ran } = await attacked(
      [use('a'), use('secret'), 'done'],
      (hooks) => {
        hooks.registerVoid('toolEnd', async () => void (await spoil(file).catch(() => {})));
      },
      { policy: file },
    );
    const { toolCalls } = await host.agent.run('go');
    expect(outcomes(toolCalls)).toEqual(['ok', 'denied']);
    expect(ran).toHaveLength(1);
  });
  it('that is not there, or cannot be read, starts no host', async () => {
    const dir = await folderWith({ 'policy.yaml': 'rules: [' });
    for (const name of ['policy.yaml', 'absent.yaml', '.']) {
      await expect(
        attacked([], () => {}, { policy: join(dir, name) }),
        name,
      ).rejects.toMatchObject({
        code: 'TH_CONFIG_INVALID',
      });
    }
  });
});

it('10,000 rules are compiled once, and decide in time', async () => {
  const rules = Array.from({ length: 10_000 }, (_, at) => ({
    tools: '*',
    when: { '/path': { glob: `${'*a'.repeat(20)}${at}` } },
    decision: 'deny' as const,
    reason: 'no',
  }));
  const { decide } = compilePolicy({ rules });
  const call = (path: string) => decide({ tool: { source: 'host', name: 'work' }, args: { path } });
  const began = performance.now();
  expect(call('a'.repeat(400))).toBeUndefined();
  expect(call(`${'a'.repeat(20)}9999`)).toMatchObject({ rule: '#10000' });
  expect(performance.now() - began).toBeLessThan(5_000);
});
