import { describe, expect, it } from 'vitest';
import type { Message, ToolDescriptor } from '@treblehook/types';
import {
  chainHooks,
  type BeforeLLMEvent,
  type BeforeToolEvent,
  type AfterToolEvent,
  type Hooks,
} from '../src/index.js';

const said = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const text = (messages: readonly Message[]): string =>
  messages.map(({ content }) => (content[0] as { text: string }).text).join('');
const tool: ToolDescriptor = { name: 't', description: '', inputSchema: {} };
const run = { turn: 3, runId: 'r', signal: new AbortController().signal };
const llm: BeforeLLMEvent = { ...run, messages: [said('0')], tools: [tool], model: 'm' };
const before: BeforeToolEvent = { ...run, name: 't', args: { n: 0 }, id: 'c' };
const after: AfterToolEvent = { ...before, result: { output: '0', isError: false } };
const response = { message: said('x') };

describe('chainHooks', () => {
  it('of no stages, or of empty ones only, is undefined: the same as no hooks', () => {
    expect(chainHooks()).toBeUndefined();
    expect(chainHooks(undefined, null, {}, { beforeLLM: undefined } as never)).toBeUndefined();
    expect(chainHooks(chainHooks(), chainHooks({}))).toBeUndefined();
  });

  it('has only the kinds that some stage has, each of arity 1', () => {
    const chained = chainHooks({ beforeLLM: () => undefined }, { afterTool() {} }, {})!;
    expect(Object.keys(chained)).toEqual(['beforeLLM', 'afterTool']);
    for (const callback of Object.values(chained)) expect(callback).toHaveLength(1);
  });

  it('runs stages in the order of the arguments, each awaited before the next', async () => {
    const order: string[] = [];
    const stage = (name: string, slow: boolean): Hooks => ({
      async afterLLM() {
        order.push(`${name} in`);
        if (slow) await new Promise((resolve) => setImmediate(resolve));
        order.push(`${name} out`);
      },
    });
    await chainHooks(stage('a', true), stage('b', false), stage('c', true))!.afterLLM!({
      ...run,
      response,
      model: 'm',
    });
    expect(order).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
  });

  it('gives each stage of beforeLLM what those before it returned; fields accumulate on their own', async () => {
    const seen: string[] = [];
    const grow = (mark: string, extra: object = {}): Hooks => ({
      beforeLLM: ({ messages, tools, model, turn }) => {
        seen.push(`${text(messages)} ${tools.length} ${model} ${turn}`);
        return { messages: [...messages, said(mark)], ...extra };
      },
    });
    const amended = await chainHooks(grow('a', { tools: [] }), { beforeLLM: () => null }, grow('b'))!.beforeLLM!(llm);
    expect(seen).toEqual(['0 1 m 3', '0a 0 m 3']);
    expect(text((amended as { messages: Message[] }).messages)).toBe('0ab');
    expect((amended as { tools: unknown[] }).tools).toEqual([]);
  });

  it('takes an empty list for a replacement, and nothing for nothing', async () => {
    const nothing: Hooks = {
      beforeLLM: () => ({}),
      beforeTool: async () => undefined,
      afterTool: () => ({ result: null }),
    };
    const chained = chainHooks(nothing, nothing)!;
    expect(await chained.beforeLLM!(llm)).toBeUndefined();
    expect(await chained.beforeTool!(before)).toBeUndefined();
    expect(await chained.afterTool!(after)).toBeUndefined();
    expect(await chainHooks(nothing, { beforeLLM: () => ({ messages: [] }) }, nothing)!.beforeLLM!(llm)).toEqual({
      messages: [],
    });
  });

  it('gives a stage the very event when nobody before it has changed anything', async () => {
    const seen: unknown[] = [];
    const look: Hooks = { beforeLLM: (e) => void seen.push(e) };
    await chainHooks(look, { beforeLLM: () => ({}) }, look)!.beforeLLM!(llm);
    expect(seen.every((e) => e === llm)).toBe(true);
  });

  it.each(['no', ''])('ends beforeLLM at a veto (%j); what earlier stages set stands', async (veto) => {
    const later: string[] = [];
    const amended = await chainHooks(
      { beforeLLM: () => ({ messages: [] }) },
      { beforeLLM: () => ({ veto }) },
      { beforeLLM: () => void later.push('x') },
    )!.beforeLLM!(llm);
    expect(amended).toEqual({ messages: [], veto });
    expect(later).toEqual([]);
  });

  it('ends beforeTool at the first result or error; arguments feed forward until then', async () => {
    const add = (end: object = {}): Hooks => ({
      beforeTool: ({ args, name, id }) => {
        expect([name, id]).toEqual(['t', 'c']);
        return { args: { n: (args as { n: number }).n + 1 }, ...end };
      },
    });
    const result = { output: 'cached', isError: false };
    expect(await chainHooks(add(), add({ result }), add({ error: 'late' }))!.beforeTool!(before)).toEqual({
      args: { n: 2 },
      result,
    });
    expect(await chainHooks(add(), { beforeTool: () => ({ error: '' }) }, add())!.beforeTool!(before)).toEqual({
      args: { n: 1 },
      error: '',
    });
  });

  it('is a pipeline for afterTool', async () => {
    const wrap = (mark: string): Hooks => ({
      afterTool: ({ result }) => ({ result: { ...result, output: `${mark}(${result.output})` } }),
    });
    expect(await chainHooks(wrap('a'), wrap('b'))!.afterTool!(after)).toEqual({
      result: { output: 'b(a(0))', isError: false },
    });
  });

  it('runs every stage of afterLLM until the first error', async () => {
    const order: string[] = [];
    const error = new Error('x');
    const chained = chainHooks(
      { afterLLM: () => void order.push('a') },
      {
        afterLLM: () => {
          throw error;
        },
      },
      { afterLLM: () => void order.push('c') },
    )!;
    await expect(chained.afterLLM!({ ...run, response, model: 'm' })).rejects.toBe(error);
    expect(order).toEqual(['a']);
  });

  it.each(['beforeLLM', 'afterLLM', 'beforeTool', 'afterTool'] as const)(
    'passes an error of %s unwrapped, thrown or rejected',
    async (kind) => {
      const error = new Error('mine');
      for (const callback of [
        () => {
          throw error;
        },
        () => Promise.reject(error),
      ]) {
        const call = chainHooks({}, { [kind]: callback })![kind] as (e: unknown) => Promise<unknown>;
        await expect(call({ ...llm, ...after, response })).rejects.toBe(error);
      }
    },
  );

  it('calls each stage as its own this, an instance with state of its own too', async () => {
    class Counting implements Hooks {
      count = 0;
      beforeTool(): undefined {
        this.count++;
      }
    }
    const [a, b] = [new Counting(), new Counting()];
    const chained = chainHooks(a, chainHooks(b, a), undefined)!;
    await chained.beforeTool!(before);
    expect([a.count, b.count]).toEqual([2, 1]);
  });

  it('nests associatively: for each way to put three stages together, one and the same result', async () => {
    const stages = (): Hooks[] => [
      { beforeLLM: ({ messages }) => ({ messages: [...messages, said('a')] }), beforeTool: () => ({ args: { n: 1 } }) },
      {
        beforeLLM: ({ messages }) => ({ tools: [], messages: [...messages, said('b')] }),
        beforeTool: () => ({ result: after.result }),
      },
      {
        beforeLLM: () => ({ veto: 'c' }),
        beforeTool: () => ({ error: 'c' }),
        afterTool: () => ({ result: { output: 'c', isError: true } }),
      },
    ];
    for (const order of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]) {
      const [x, y, z] = order.map((at) => stages()[at]!);
      const ways = [
        chainHooks(x, y, z),
        chainHooks(chainHooks(x, y), z),
        chainHooks(x, chainHooks(y, z)),
        chainHooks({}, x, chainHooks(y), null, z),
      ];
      const all = await Promise.all(
        ways.map(async (way) => [
          await way!.beforeLLM!(llm),
          await way!.beforeTool!(before),
          await way!.afterTool!(after),
        ]),
      );
      for (const one of all) expect(one).toEqual(all[0]);
    }
  });

  it.each([
    ['no object', 5 as never, /argument 2 is no object/],
    ['an unknown key', { beforeLlm: () => undefined } as never, /argument 2 has the key 'beforeLlm'/],
    ['a value that is no function', { afterLLM: 'x' } as never, /argument 2 has a 'afterLLM' that is no function/],
  ])('refuses a stage that is %s', (_, stage, why) => {
    expect(() => chainHooks({}, stage)).toThrow(why);
    expect(() => chainHooks({}, stage)).toThrow(expect.objectContaining({ code: 'TH_HOOKS_INVALID' }));
  });
});
