import { afterEach, describe, expect, it } from 'vitest';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, type ModelToolCallPart, type Tool, type ToolIdentity } from '@treblehook/types';
import { Clearance } from '../src/door/clearance.js';
import { createAgent } from '../src/index.js';
import { plainJson } from '../src/door/plain-json.js';
import { RegisteredTool } from '../src/door/registered-tool.js';
import { scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { ToolCall } from '../src/calls/tool-call.js';
import { call, calls, echo, kit } from './kit.js';
import { tool } from './watched.js';

const shared = Object.prototype as unknown as Record<string, unknown>;
const put = (key: string, property: PropertyDescriptor): void => {
  Object.defineProperty(shared, key, { ...property, configurable: true });
};
const hung = ['then', '0', 'value', 'issues', 'unguarded', 'tools', 'personality', 'job', 'settings', 'messages'];
afterEach(() => {
  for (const key of hung) delete shared[key];
});

/** Everything that can be reached from a value, prototypes aside. */
function reachable(from: unknown, seen = new Set<unknown>()): Set<unknown> {
  if ((typeof from !== 'object' && typeof from !== 'function') || from === null || seen.has(from)) return seen;
  seen.add(from);
  for (const key of Reflect.ownKeys(from)) {
    const own = Object.getOwnPropertyDescriptor(from, key);
    if (own !== undefined && 'value' in own) reachable(own.value, seen);
  }
  return seen;
}

describe("a 'then' on Object.prototype", () => {
  it('that is hung up while an answer is put together gets hold of no tool, call or answer', async () => {
    const { tool: risky, ran } = echo('risky');
    const stolen: unknown[] = [];
    let messages = 0;
    const ids = (kind: string): string => {
      if (kind === 'message' && ++messages === 2) {
        put('then', {
          // oxlint-disable-next-line unicorn/no-thenable -- that is the attack
          value(this: unknown, resolve: (value: unknown) => void) {
            stolen.push(this);
            delete shared['then'];
            resolve(this);
          },
        });
      }
      return `${kind}-${Math.random()}`;
    };
    const { agent, registry } = kit([calls('safe', 'risky'), 'ok'], { tools: [echo('safe').tool, risky], ids });
    registry.registerVoid('afterLLM', () => void delete shared['then']);
    registry.registerClaiming('toolPolicy', ({ tool: { name } }) => (name === 'risky' ? { deny: 'no' } : undefined));
    const { status, toolCalls } = await agent.run('go');
    expect({ status, outcomes: toolCalls.map(({ outcome }) => outcome) }).toEqual({
      status: 'done',
      outcomes: ['ok', 'denied'],
    });
    expect(ran).toEqual([]);
    for (const value of reachable(stolen)) {
      expect(value).not.toBeInstanceOf(RegisteredTool);
      expect(Object.keys(value as object)).not.toContain('calls');
    }
  });

  it('that stays ends the run before anything is sent', async () => {
    const { agent, registry, model } = kit(['never']);
    registry.registerModifying('beforeLLM', () => {
      put('then', { value: undefined });
    });
    const { status, error } = await agent.run('go');
    delete shared['then'];
    expect(status).toBe('failed');
    expect(error).toMatchObject({ code: 'TH_PROTOTYPE_ALTERED', message: expect.stringMatching(/Object\.prototype/) });
    expect(model.calls).toHaveLength(0);
  });

  it('that stays ends the run before any body runs', async () => {
    const { tool: one, ran } = echo();
    const { agent, registry } = kit([call('echo'), 'never'], { tools: [one] });
    registry.registerClaiming('toolPolicy', () => {
      put('then', { value: undefined });
    });
    const { status, error } = await agent.run('go');
    delete shared['then'];
    expect({ status, ran }).toEqual({ status: 'failed', ran: [] });
    expect(error).toMatchObject({ code: 'TH_PROTOTYPE_ALTERED' });
  });
});

describe('what the door is made of', () => {
  it('cannot be changed by who gets hold of it: a registered tool is frozen and leads to no class', () => {
    const registered = new RegisteredTool(echo().tool);
    expect(() => {
      (registered as { identity: ToolIdentity }).identity = { source: 'host', name: 'other', digest: '' };
    }).toThrow(TypeError);
    for (const made of [RegisteredTool, Clearance, ToolCall]) {
      const { prototype } = made as { readonly prototype: object };
      expect(Object.isFrozen(prototype)).toBe(true);
      expect(Object.getPrototypeOf(prototype)).toBeNull();
      expect(Object.hasOwn(prototype, 'constructor')).toBe(false);
    }
  });

  it('calls no setter while a call is taken in hand', async () => {
    const seen: unknown[] = [];
    const names = ['tool', 'args', 'sealed', 'clearance', 'checked', 'identity', 'config', 'caller'];
    const { agent, registry } = kit([call('echo'), 'ok'], { tools: [echo().tool] });
    registry.registerVoid('llmRequest', () => {
      for (const name of names) put(name, { set: (value) => void seen.push(value), get: () => undefined });
    });
    registry.registerVoid('toolEnd', () => {
      for (const name of names) delete shared[name];
    });
    const { toolCalls } = await agent.run('go');
    for (const name of names) delete shared[name];
    for (const value of reachable(seen)) {
      expect(value).not.toBeInstanceOf(RegisteredTool);
      expect(value).not.toBeInstanceOf(Clearance);
    }
    expect(toolCalls).toMatchObject([{ outcome: 'ok' }]);
  });
});

describe('arguments', () => {
  it('are sealed without a setter: what the guards saw is what the body gets', async () => {
    const got: unknown[] = [];
    let seen: unknown;
    let isGuarded = false;
    const remover = tool('remove', (args: { paths: string[] }) => {
      got.push(args.paths[0]);
      return 'ok';
    });
    const { agent, registry } = kit([call('remove', { paths: ['keep'] }), 'ok'], { tools: [remover] });
    registry.registerModifying('beforeTool', () => {
      put('0', {
        get: () => (isGuarded ? 'keep' : 'safe'),
        set(this: object, value: unknown) {
          if (value !== 'keep') Object.defineProperty(this, '0', { value, writable: true, configurable: true });
        },
      });
    });
    registry.registerClaiming('toolPolicy', ({ args }) => {
      seen = (args as { readonly paths: readonly string[] }).paths[0];
      isGuarded = true;
      delete shared['0'];
    });
    await agent.run('go');
    expect([seen, got]).toEqual(['keep', ['keep']]);
  });

  it('are copied as own items, whatever stands under their index', () => {
    const set: unknown[] = [];
    put('0', { set: (value) => void set.push(value), get: () => 'evil' });
    const copy = plainJson({ list: ['a', ['b']] }) as { readonly list: readonly unknown[] };
    delete shared['0'];
    expect(copy.list).toEqual(['a', ['b']]);
    expect(set).toEqual([]);
  });

  it('that the schema refuses stay refused when a value stands on Object.prototype', async () => {
    const ran: unknown[] = [];
    const onlyMe = tool('send', (args) => (ran.push(args), 'sent'), {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: (value) => ((value as { to: string }).to === 'me' ? { value } : { issues: [{ message: 'only me' }] }),
      },
    } as Tool['input']);
    const { agent, registry } = kit([call('send', { to: 'me' }), 'ok'], {
      tools: [{ ...onlyMe, inputSchema: { type: 'object' } }],
    });
    registry.registerModifying('beforeTool', () => {
      put('value', { value: { to: 'evil' } });
      return { args: { to: 'evil' } };
    });
    const { toolCalls } = await agent.run('go');
    delete shared['value'];
    expect(ran).toEqual([]);
    expect(toolCalls).toMatchObject([{ outcome: 'error', output: expect.stringMatching(/only me/) }]);
  });

  it('are refused when the issues of a schema are inherited from its own class', async () => {
    class Refusal {
      get issues() {
        return [{ message: 'by class' }];
      }
    }
    const odd = tool('odd', () => 'never', {
      '~standard': { version: 1, vendor: 'own', validate: () => new Refusal() },
    } as unknown as Tool['input']);
    const { agent } = kit([call('odd'), 'ok'], { tools: [{ ...odd, inputSchema: { type: 'object' } }] });
    const { toolCalls } = await agent.run('go');
    expect(toolCalls).toMatchObject([{ outcome: 'error', output: expect.stringMatching(/by class/) }]);
  });
});

describe('options', () => {
  const script: readonly ScriptedStep[] = [call('echo'), 'ok'];
  it('are the own ones: nothing on Object.prototype makes an agent unguarded', async () => {
    const { tool: one, ran } = echo();
    put('unguarded', { value: 'because' });
    const agent = createAgent({ model: scriptedModel(script), tools: [one], registry: createHookRegistry(agentHooks) });
    delete shared['unguarded'];
    await expect(agent.run('go')).rejects.toMatchObject({ code: 'TH_NO_GUARD' });
    expect(ran).toEqual([]);
  });

  it('of a run are the own ones: a job on Object.prototype is none', async () => {
    const { agent, registry, model } = kit(['ok']);
    const jobs: unknown[] = [];
    registry.registerModifying('beforeLLM', ({ job }) => void jobs.push(job));
    put('job', { value: { class: 'vital', justification: 'x' } });
    const { status } = await agent.run('go');
    delete shared['job'];
    expect({ status, jobs }).toEqual({ status: 'done', jobs: [undefined] });
    expect((model.calls[0]!.prompt[0]!.content[0] as ModelToolCallPart).type).toBe('text');
  });
});
