/**
 * Any name that the kernel's sources use, put on `Object.prototype` while it works: seen as ways round a guard (an
 * inherited `deny` made an ask clear), to a registration (an inherited list in place of a registrar's own) and past a lock
 * (an inherited value in a hole of a list).
 */
import { claimingHook, defineHooks, modifyingHook, voidHook } from '@treblehook/types';
import { expect, test, vi } from 'vitest';
import { lookedUpNames } from '../../../../scripts/looked-up-names.mjs';
import { createHookRegistry } from '../../src/index.js';

const indices = Array.from({ length: 12 }, (_, at) => String(at));
// `then` is told and refused by a law of its own
const names = [...lookedUpNames([new URL('../../src/', import.meta.url)]), ...indices, '-1'];

const hooks = defineHooks({
  seen: voidHook<{ text: string }>({ summary: 's', fields: { text: 'string' } }),
  fill: modifyingHook<{ text: string }, { a: string; host: string; list: string[] }>({
    discipline: 'merge',
    summary: 's',
    keys: { a: 'string', host: 'string', list: 'strings' },
    collect: ['list'],
    hostKeys: ['host'],
  }),
  shape: modifyingHook<{ text: string; model: string }, { text: string; model: string; host: string }>({
    discipline: 'pipeline',
    summary: 's',
    keys: { text: 'string', model: 'string', host: 'string' },
    hostKeys: ['host'],
  }),
  may: claimingHook<{ text: string }>({ discipline: 'guard', summary: 's' }),
  ask: claimingHook<{ text: string }>({ discipline: 'guard', summary: 's' }),
});

/** Puts `descriptor` under the name, and takes it away however `work` ends. */
function polluted<T>(name: string, descriptor: PropertyDescriptor, work: () => T): T {
  // oxlint-disable-next-line no-extend-native -- that is the attack
  Object.defineProperty(Object.prototype, name, { configurable: true, ...descriptor });
  try {
    return work();
  } finally {
    Reflect.deleteProperty(Object.prototype, name);
  }
}

function registryOf() {
  const registry = createHookRegistry(hooks, {
    order: { shape: ['gate', '*'] },
    locks: { shape: { gate: ['model'] } },
  });
  const quiet = ['handlerFailed', 'handlerTimedOut', 'amendmentRefused'] as const;
  for (const type of quiet) registry.events.on(type, () => {});
  return registry;
}
type Registry = ReturnType<typeof registryOf>;

/** What a plugin answers is meant to be refused in part: a locked key, a host key. */
function fillIn(registry: Registry): void {
  const plugin = registry.forPlugin('acme');
  registry.registerModifying('shape', () => ({ model: 'cheap' }), { id: 'gate' });
  plugin.registerModifying('shape', () => ({ text: 'plugin', model: 'dear', host: 'stolen' }), { id: 'late' });
  plugin.registerModifying('fill', () => ({ a: 'plugin', host: 'stolen', list: ['x'] }), { id: 'fill' });
  plugin.registerVoid('seen', () => undefined, { id: 'seen' });
  registry.registerClaiming('may', () => undefined, { id: 'pass' });
  registry.registerClaiming('may', () => ({ deny: 'no' }), { id: 'deny' });
  registry.registerClaiming('ask', () => ({ ask: 'sure?' }), { id: 'ask' });
  plugin.registerClaiming('ask', () => undefined, { id: 'pass' });
}

async function results(registry: Registry): Promise<unknown> {
  const [, fill, shape, may, ask] = await Promise.all([
    registry.fireVoid('seen', { text: 't' }, 'all'),
    registry.fireModifying('fill', { text: 't' }, 'all'),
    registry.fireModifying('shape', { text: 't', model: 'm' }, 'all'),
    registry.fireClaiming('may', { text: 't' }, 'all'),
    registry.fireClaiming('ask', { text: 't' }, 'all'),
  ]);
  return { fill, shape, may: may.decision, ask: ask.decision, asked: ask.verdicts.length };
}
const right = {
  fill: { a: 'plugin', list: ['x'] },
  shape: { text: 'plugin', model: 'cheap' },
  may: 'deny',
  ask: 'ask',
  asked: 2,
};
const values: readonly unknown[] = [undefined, true, 0, 'dear', [], {}, () => 'dear'];

test.each(['while it fires', 'while handlers are registered'] as const)(
  'no name of the sources changes what is decided, %s',
  async (when) => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const wrong: string[] = [];
    const calm = registryOf();
    fillIn(calm);
    for (const name of names) {
      for (const value of values) {
        let outcome: Promise<unknown>;
        try {
          outcome = polluted(name, { value, writable: true }, () => {
            // the handlers answer at once, so the fires are over before the name is gone
            if (when === 'while it fires') return results(calm);
            const registry = registryOf();
            fillIn(registry);
            return results(registry);
          });
        } catch {
          continue; // swallows a refusal: nothing was decided
        }
        const got = await outcome.catch(() => right); // a rejection decides nothing either
        if (JSON.stringify(got) !== JSON.stringify(right)) wrong.push(`${name} = ${String(JSON.stringify(value))}`);
      }
    }
    expect(wrong).toEqual([]);
    vi.restoreAllMocks();
  },
  120_000,
);

/** Objects of the kernel by what they have; errors, references and what handlers are given are public. */
const inner = new Set([
  'handlers',
  'plan',
  'live',
  'budgetMs',
  'isHost',
  'engine',
  'home',
  'gathered',
  'lists',
  'seats',
]);
const isInner = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !(value instanceof Error) &&
  Object.keys(value).some((key) => inner.has(key));

test('a setter, a getter or a method under a name or an index is handed nothing of the kernel', async () => {
  const leaked = new Set<string>();
  const registry = registryOf();
  fillIn(registry);
  const plugin = registry.forPlugin('slow');
  // these wait, so the clock and what waits on it are at work
  plugin.registerModifying('shape', () => Promise.resolve({ text: 'slow' }), { id: 'slow' });
  plugin.registerVoid('seen', () => Promise.resolve(), { id: 'slow' });
  plugin.registerClaiming('ask', () => Promise.resolve(undefined), { id: 'slow' });
  for (const name of names) {
    const look = (...given: readonly unknown[]): void => {
      if (given.some((one) => isInner(one) || (Array.isArray(one) && one.some(isInner)))) leaked.add(name);
    };
    /** An iterator that is left early is given to whoever stands under `return`: what it has not given yet can be asked of it. */
    const drain = (self: unknown): void => {
      const { next } = (self ?? {}) as Partial<Iterator<unknown>>;
      if (typeof next !== 'function') return;
      for (let step = next.call(self); step.done !== true; step = next.call(self)) look(step.value);
    };
    const accessor: PropertyDescriptor = {
      set(this: object, value: unknown): void {
        look(this, value);
        Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
      },
      get(this: object): unknown {
        look(this);
        return undefined;
      },
    };
    const method: PropertyDescriptor = {
      writable: true,
      value(this: unknown, ...given: readonly unknown[]): unknown {
        look(this, ...given);
        drain(this);
        return {};
      },
    };
    for (const descriptor of [accessor, method]) {
      // oxlint-disable-next-line no-extend-native -- that is the attack
      Object.defineProperty(Object.prototype, name, { configurable: true, ...descriptor });
      try {
        const fresh = registryOf();
        fillIn(fresh);
        await Promise.all([results(registry), results(fresh)]);
        fresh.unregisterPlugin('acme');
        fresh.replace('beta', (registrar) => void registrar.registerVoid('seen', () => undefined));
        fresh.plan('may', []);
        fresh.describe();
      } catch {
        // swallows a refusal: what counts is who was handed what
      } finally {
        Reflect.deleteProperty(Object.prototype, name);
      }
    }
  }
  expect([...leaked]).toEqual([]);
}, 120_000);
