/** How the disciplines call their handlers, and what a fire resolves to. */
import { stat } from 'node:fs/promises';
import { describe, expect, test, vi } from 'vitest';
import { deferred, fire, hear, hearFaults, letter, names, register, registryOf } from '../support/points.js';

const sequential = ['fill', 'shape', 'pick', 'may'] as const;

describe.each(names)('a fire of %s', (name) => {
  test('whose handlers are synchronous runs them all before it gives its promise: a plain value costs no await', async () => {
    const registry = registryOf();
    const calls: number[] = [];
    for (let i = 0; i < 10; i++) register(registry, name, () => void calls.push(i));
    const running = fire(registry, name);
    expect(calls).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(running).toBeInstanceOf(Promise);
    await running;
  });

  test('takes sync throws, rejections and thenables that fail for the same fault', async () => {
    const registry = registryOf();
    const told = hearFaults(registry);
    const boom = new Error('boom');
    const ways = [
      () => {
        throw boom;
      },
      () => Promise.reject(boom),
      async () => {
        await Promise.resolve();
        throw boom;
      },
      // oxlint-disable-next-line unicorn/no-thenable
      () => ({ then: (_: unknown, no: (error: unknown) => void) => no(boom) }),
    ];
    for (const [i, way] of ways.entries()) register(registry, name, way, { id: `h${i}` });
    await fire(registry, name);
    const wanted = ways.map((_, i) => `h${i} TH_HANDLER_FAILED`);
    expect(told.toSorted()).toEqual(name === 'may' ? wanted.slice(0, 1) : wanted);
  });

  test('never throws: what it refuses, it rejects', async () => {
    const registry: any = registryOf();
    register(registry, name, () => undefined);
    const verb = {
      seen: 'fireVoid',
      fill: 'fireModifying',
      shape: 'fireModifying',
      pick: 'fireClaiming',
      may: 'fireClaiming',
    }[name];
    for (const caller of [registry, registry.scoped({})]) {
      for (const args of [
        ['nope', {}],
        [name, 5],
        [name, null],
        ['constructor', {}],
      ]) {
        const running = caller[verb](...args);
        expect(running).toBeInstanceOf(Promise);
        await expect(running).rejects.toThrow(/nope|constructor|payload/);
      }
    }
  });

  test('reads `then` of an answer once', async () => {
    const registry = registryOf();
    hearFaults(registry);
    let reads = 0;
    class Sly {
      // oxlint-disable-next-line unicorn/no-thenable
      get then(): unknown {
        return reads++ === 0 ? (go: (value: unknown) => void) => go(undefined) : undefined;
      }
    }
    register(registry, name, () => new Sly());
    await fire(registry, name);
    expect(reads).toBe(1);
  });

  test('whose handlers take no ctx apart makes no AbortController', async () => {
    const made = vi.spyOn(globalThis, 'AbortController');
    const registry = registryOf();
    for (const handler of [() => undefined, async () => undefined]) register(registry, name, handler);
    await fire(registry.scoped({ signal: AbortSignal.any([]) }), name);
    expect(made).not.toHaveBeenCalled();
    made.mockRestore();
  });
});

test.each(names)('an open fire of %s keeps the process alive by one timer, which goes with it', async (name) => {
  const started = vi.spyOn(globalThis, 'setInterval');
  const stopped = vi.spyOn(globalThis, 'clearInterval');
  const registry = registryOf();
  const gate = deferred();
  register(registry, name, () => gate.promise);
  const running = fire(registry, name);
  const timers = started.mock.results.map(({ value }) => value as NodeJS.Timeout);
  expect(timers.map((timer) => timer.hasRef())).toEqual([true]);
  gate.resolve();
  await running;
  await vi.waitFor(() => expect(stopped).toHaveBeenCalledWith(timers[0]));
  started.mockRestore();
  stopped.mockRestore();
});

test('an answer that is ready when a blocked process comes free is heard, though its budget passed meanwhile', async () => {
  const registry = registryOf();
  const told = hear(registry, 'handlerTimedOut');
  register(registry, 'may', () => stat(import.meta.filename).then(() => ({ deny: 'heard' })), {
    timeoutMs: 50,
  });
  const running = fire(registry, 'may');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
  expect(await running).toMatchObject({ decision: 'deny', reason: 'heard' });
  expect(told).toEqual([]);
});

describe('observe', () => {
  test('all are started in plan order, none waits for another, and they settle together', async () => {
    const registry = registryOf();
    const trace: string[] = [];
    const gates = [deferred(), deferred(), deferred()];
    for (const [i, gate] of gates.entries()) {
      register(registry, 'seen', async () => {
        trace.push(`in ${i}`);
        await gate.promise;
        trace.push(`out ${i}`);
      });
    }
    let settled = false;
    const running = fire(registry, 'seen').then(() => (settled = true));
    expect(trace).toEqual(['in 0', 'in 1', 'in 2']);
    for (const i of [2, 0]) {
      gates[i]!.resolve();
      await new Promise((go) => setImmediate(go));
    }
    expect([settled, trace.slice(3)]).toEqual([false, ['out 2', 'out 0']]);
    gates[1]!.resolve();
    await running;
  });

  test('what is returned is ignored, and no fault', async () => {
    const registry = registryOf();
    const told = hear(registry, 'handlerFailed', 'amendmentRefused');
    for (const answer of [5, { text: 'b' }, { handled: true }, [], Promise.resolve('x')])
      register(registry, 'seen', () => answer);
    expect(await fire(registry, 'seen')).toBeUndefined();
    expect(told).toEqual([]);
  });

  test('every handler sees the same payload', async () => {
    const registry = registryOf();
    const seen: unknown[] = [];
    for (let i = 0; i < 2; i++) register(registry, 'seen', (p: unknown) => void seen.push(p));
    await fire(registry, 'seen');
    expect(seen[0]).toBe(seen[1]);
  });
});

test.each(sequential)(
  'handlers of %s run one after another: the next starts when the last has answered',
  async (name) => {
    const registry = registryOf();
    const trace: string[] = [];
    const gate = deferred();
    register(registry, name, async () => {
      trace.push('in a');
      await gate.promise;
      trace.push('out a');
    });
    register(registry, name, () => void trace.push('b'));
    const running = fire(registry, name);
    await new Promise((go) => setImmediate(go));
    expect(trace).toEqual(['in a']);
    gate.resolve();
    await running;
    expect(trace).toEqual(['in a', 'out a', 'b']);
  },
);

describe('route', () => {
  test('the first claim wins, and nobody behind it is called', async () => {
    const registry = registryOf();
    const told = hear(registry, 'claimed');
    const calls: string[] = [];
    register(registry, 'pick', () => ({ handled: false }));
    register(registry, 'pick', async () => ({ handled: true, name: 'b' }), { id: 'b' });
    register(registry, 'pick', () => (calls.push('c'), { handled: true, name: 'c' }));
    expect(await fire(registry, 'pick')).toEqual({ handled: true, name: 'b' });
    expect([calls, told.map(({ by }) => by.id)]).toEqual([[], ['b']]);
  });

  test('nobody claims: the shared frozen unclaimed, the same for all', async () => {
    const registry = registryOf();
    const one = await fire(registry, 'pick');
    register(registry, 'pick', () => undefined);
    const two = await fire(registryOf(), 'pick');
    expect(one).toEqual({ handled: false });
    expect([one === two, one === (await fire(registry, 'pick')), Object.isFrozen(one)]).toEqual([true, true, true]);
  });

  test.each<readonly [string, unknown]>([
    ['true', true],
    ['a text', 'b'],
    ['a claim without `handled`', { name: 'b' }],
    ['a claim that is not `true`', { handled: 'yes', name: 'b' }],
    ['a claim with a key that nobody declared', { handled: true, name: 'b', more: 1 }],
    ['a claim of another kind', { handled: true, name: 5 }],
    ['a list', []],
    [
      'an instance',
      new (class Claim {
        handled = true;
        name = 'b';
      })(),
    ],
    ['an inherited claim', Object.create({ handled: true, name: 'b' })],
    ['an accessor', Object.defineProperty({ name: 'b' }, 'handled', { get: () => true, enumerable: true })],
    ['an amendment of another point', { text: 'b' }],
  ])('%s is no claim: skipped and reported, and the next handler gets its chance', async (_, answer) => {
    for (const handler of [() => answer, async () => answer]) {
      const registry = registryOf();
      const told = hearFaults(registry);
      register(registry, 'pick', handler, { id: 'bad' });
      register(registry, 'pick', () => ({ handled: true, name: 'good' }));
      expect(await fire(registry, 'pick')).toEqual({ handled: true, name: 'good' });
      expect(told).toEqual(['bad TH_RESULT_INVALID']);
    }
  });
});

test('a verdict record shares nothing with the guard that spoke, and is frozen all the way', async () => {
  const registry = registryOf();
  const mine = { ask: 'sure?', rule: 'r', detail: 'd' };
  register(registry, 'may', () => mine, { id: 'a' });
  register(registry, 'may', () => ({ deny: 'no' }), { id: 'b' });
  const record = await fire(registry, 'may', letter);
  mine.ask = 'changed';
  expect(record.asks).toEqual([{ by: { hook: 'may', id: 'a', owner: 'host' }, ask: 'sure?', rule: 'r', detail: 'd' }]);
  const parts = [
    record,
    record.by,
    record.asks,
    record.asks[0],
    record.asks[0].by,
    record.verdicts,
    ...record.verdicts,
  ];
  expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
  expect(record).toMatchObject({ handled: true, decision: 'deny', reason: 'no', by: { id: 'b' } });
  expect(record.verdicts.map((v: any) => v.verdict)).toEqual(['ask', 'deny']);
});
