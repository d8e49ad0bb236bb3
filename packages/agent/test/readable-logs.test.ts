// Owns the law that what somebody else gives leaves no log that cannot be read again: a session is never dead by it.
import { describe, expect, it } from 'vitest';
import { memoryStore, readSession } from '../src/index.js';
import { sqliteStore } from '../src/sqlite/index.js';
import { kit } from './kit.js';

describe.each([
  ['memoryStore', () => memoryStore()],
  ['sqliteStore', () => sqliteStore({ path: ':memory:' })],
] as const)('in a log of %s', (_, make) => {
  const throwing = new Error('x');
  Object.defineProperty(throwing, 'name', {
    get() {
      throw new Error('no name');
    },
  });
  it.each<[string, unknown]>([
    ['a number', Object.assign(new Error('x'), { name: 42 })],
    ['nothing', Object.assign(new Error('x'), { name: undefined })],
    ['a symbol', Object.assign(new Error('x'), { name: Symbol('x') })],
    ['a getter that throws', throwing],
  ])('the name of an error that is %s is Error', async (_of, error) => {
    const store = make();
    const first = await kit([error as Error], { store, retry: { attempts: 1 } })
      .agent.session('s')
      .run('go');
    expect(first.status).toBe('failed');
    expect(readSession(await store.read('s')).runs).toHaveLength(1);
    expect((await kit(['again'], { store }).agent.session('s').run('on')).status).toBe('done');
  });

  it('a count of tokens that no sum holds is none', async () => {
    const store = make();
    const usage = { input: 1e308, output: 1e308 };
    await kit([{ text: 'one', usage }], { store })
      .agent.session('s')
      .run('go');
    await kit([{ text: 'two', usage }], { store })
      .agent.session('s')
      .run('go');
    expect((await kit(['again'], { store }).agent.session('s').run('on')).status).toBe('done');
  });
});

it('what would not be read again is refused at the door', async () => {
  const { agent } = kit(['x']);
  await expect(agent.run('go', { job: { class: 'x', justification: 42 as never } })).rejects.toMatchObject({
    code: 'TH_OPTION_INVALID',
    message: expect.stringContaining("'justification'"),
  });
  const prices = { scripted: { input: Number.POSITIVE_INFINITY, output: 1 } };
  expect(() => kit(['x'], { prices })).toThrow(/must be a finite number/);
});
