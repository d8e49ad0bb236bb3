import { describe, expect, it } from 'vitest';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, type Tool } from '@treblehook/types';
import { z } from 'zod';
import { Clearance } from '../src/door/clearance.js';
import { RegisteredTool } from '../src/door/registered-tool.js';
import { deferred } from '../src/testing/index.js';
import { call, echo, kit } from './kit.js';

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

describe('the door, attacked,', () => {
  // https://github.com/SchneiderDaniel/cheasee-pi/issues/780
  it('lets nobody change the arguments behind the seal', async () => {
    const { tool, ran } = echo();
    const { agent, registry } = kit([call('echo', { text: 'a' }), 'ok'], { tools: [tool] });
    const kept: { text: string }[] = [];
    const mine = { text: 'a' };
    registry.events.on('handlerFailed', () => {});
    registry.registerModifying('beforeTool', ({ args }) => {
      kept.push(args as { text: string });
      return { args: mine };
    });
    registry.registerClaiming('toolPolicy', ({ args }) => {
      mine.text = 'evil';
      for (const one of [...kept, args as { text: string }]) {
        expect(() => {
          one.text = 'evil';
        }).toThrow(TypeError);
      }
      return undefined;
    });
    await agent.run('go');
    expect(ran).toEqual([{ text: 'a' }]);
  });

  it('hands out no way to a body: on no payload, in no event, in no description', async () => {
    const { tool } = echo();
    const { agent, registry } = kit([call('echo'), 'ok'], { tools: [tool] });
    const given: unknown[] = [];
    registry.events.on('fired', (event) => given.push(event));
    const { messages, toolCalls } = await agent.run('go');
    for (const value of reachable([given, messages, toolCalls, agent.describe()])) {
      expect(value).not.toBe(tool.execute);
      expect(value).not.toBe(tool);
      expect(value).not.toBeInstanceOf(RegisteredTool);
      expect(value).not.toBeInstanceOf(Clearance);
      expect(Object.keys(value as object)).not.toContain('execute');
    }
  });

  it('knows its tools as they were registered: swapping them in the array or on the object changes nothing', async () => {
    const { tool, ran } = echo();
    const evil: string[] = [];
    const tools: Tool[] = [tool];
    const { agent, registry } = kit([call('echo'), call('echo', { text: 1 }), 'ok'], { tools });
    registry.registerClaiming('toolPolicy', () => {
      const swapped = tool as { -readonly [K in keyof Tool]: Tool[K] };
      tools[0] = { ...tool, execute: () => void evil.push('array') as never };
      swapped.execute = () => void evil.push('object') as never;
      swapped.input = z.any() as never;
      swapped.name = 'other';
      return undefined;
    });
    const { toolCalls } = await agent.run('go');
    expect(evil).toEqual([]);
    expect(ran).toHaveLength(1);
    expect(toolCalls[1]).toMatchObject({ outcome: 'error', output: expect.stringMatching(/do not fit its schema/) });
  });

  it('asks again when the guards have changed between their answer and the body', async () => {
    const { tool, ran } = echo();
    const { agent, registry } = kit([call('echo'), 'ok'], { tools: [tool] });
    let asked = 0;
    registry.registerClaiming('toolPolicy', () => {
      if (++asked === 1) registry.registerClaiming('toolPolicy', () => ({ deny: 'as of now' }), { id: 'late' });
      return undefined;
    });
    const { toolCalls } = await agent.run('go');
    expect(asked).toBe(2);
    expect(ran).toEqual([]);
    expect(toolCalls[0]).toMatchObject({ outcome: 'denied', output: "denied by 'late': as of now" });
  });

  it('never runs a body once a guard that denies it is there, in whichever tick it comes', async () => {
    const outcomes = new Set<string>();
    for (let tick = 0; tick < 25; tick++) {
      const order: string[] = [];
      const answer = deferred();
      const { tool } = echo();
      const watched: Tool = { ...tool, execute: () => (order.push('ran'), 'ran') };
      const { agent, registry } = kit([call('echo'), 'ok'], { tools: [watched] });
      let asked = 0;
      registry.registerClaiming('toolPolicy', () => (asked++ === 0 ? answer.promise : undefined));
      void answer.promise.then(async () => {
        for (let at = 0; at < tick; at++) await Promise.resolve();
        order.push('registered');
        registry.registerClaiming('toolPolicy', () => ({ deny: 'just in time' }), { id: 'late' });
      });
      setImmediate(() => answer.resolve());
      const { toolCalls } = await agent.run('go');
      outcomes.add(toolCalls[0]!.outcome);
      expect(order.join(), `tick ${tick}`).toBe(toolCalls[0]!.outcome === 'ok' ? 'ran,registered' : 'registered');
    }
    expect([...outcomes].toSorted()).toEqual(['denied', 'ok']);
  });

  it('gives up on guards that change each time they are asked', async () => {
    const { tool, ran } = echo();
    const registry = createHookRegistry(agentHooks);
    let asked = 0;
    const register = (): void => {
      registry.replace('shifty', (own) => {
        own.registerClaiming('toolPolicy', () => {
          if (asked++ < 50) register();
          return undefined;
        });
      });
    };
    register();
    const { agent } = kit([call('echo'), 'ok'], {
      registry,
      tools: [tool],
      personality: { id: 'p', plugins: ['shifty'] },
    });
    const { toolCalls } = await agent.run('go');
    expect(ran).toEqual([]);
    expect(asked).toBe(3);
    expect(toolCalls[0]).toMatchObject({ outcome: 'denied', output: expect.stringMatching(/changed each time/) });
  });

  it('denies when the last guard has gone since the run began', async () => {
    const { tool, ran } = echo();
    const registry = createHookRegistry(agentHooks);
    const off = registry.registerClaiming('toolPolicy', () => undefined);
    registry.registerModifying('beforeTool', () => {
      off();
    });
    const { toolCalls } = await kit([call('echo'), 'ok'], { registry, tools: [tool] }).agent.run('go');
    expect(ran).toEqual([]);
    expect(toolCalls[0]).toMatchObject({ outcome: 'denied', output: 'denied: no guard was asked' });
  });

  it.each(['before the guards are asked', 'by a guard', 'behind the guards'])(
    "stays shut when 'then' is put on Object.prototype %s",
    async (when) => {
      const { tool, ran } = echo();
      const { agent, registry } = kit([call('echo'), 'ok'], { tools: [tool] });
      const stolen: unknown[] = [];
      const proto = Object.prototype as { then?: unknown };
      const pollute = (): void => {
        // oxlint-disable-next-line unicorn/no-thenable -- that is the attack
        Object.defineProperty(proto, 'then', {
          configurable: true,
          value(this: unknown, resolve: (value: unknown) => void) {
            stolen.push(this);
            resolve({ decision: 'clear', handled: false, verdicts: [1], asks: [], generation: 0 });
          },
        });
      };
      const clean = (): void => void delete proto.then;
      if (when === 'before the guards are asked')
        registry.registerModifying('beforeTool', () => {
          pollute();
        });
      registry.registerClaiming('toolPolicy', () => {
        if (when === 'by a guard') pollute();
        if (when === 'behind the guards') return { deny: 'no' };
        return undefined;
      });
      if (when === 'behind the guards') registry.registerClaiming('toolPolicy', () => undefined);
      if (when === 'behind the guards') registry.events.on('denied', pollute);
      registry.registerVoid('toolEnd', clean);
      try {
        await agent.run('go').catch(() => undefined);
      } finally {
        clean();
      }
      expect(ran).toEqual([]);
      for (const value of reachable(stolen)) {
        expect(value).not.toBeInstanceOf(Clearance);
        expect(value).not.toBeInstanceOf(RegisteredTool);
      }
    },
  );
});
