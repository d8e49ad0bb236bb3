// Owns the laws of what a host leaves beside a run in its log.
import { agentHooks, type JsonObject } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { memoryStore, readSession } from '../src/index.js';
import { call, echo, kit, registryWithGuard } from './kit.js';

const mark = 'nobody-else-reads-it';

describe('the note of a run', () => {
  it('stands in its log as it was given, frozen, and is shown with the run; a run without one has none', async () => {
    const store = memoryStore();
    const { agent } = kit(['one', 'two'], { store });
    const session = agent.session('s');
    const note: { dir: string; deep: { list: number[] } } = { dir: '/a', deep: { list: [1, 2] } };
    const first = session.run('go', { note });
    note.deep.list.push(3);
    note.dir = '/elsewhere';
    await first;
    await session.run('on');
    const { runs } = readSession(await store.read('s'));
    expect(runs[0]!.note).toEqual({ dir: '/a', deep: { list: [1, 2] } });
    expect(Object.isFrozen(runs[0]!.note?.['deep'])).toBe(true);
    expect(Object.hasOwn(runs[1]!, 'note')).toBe(false);
  });

  it('is of the run that goes on after it has waited, whoever goes on', async () => {
    const store = memoryStore();
    const registry = registryWithGuard();
    registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'asker' });
    const options = { store, registry, tools: [echo().tool] };
    const result = await kit([call('echo')], options)
      .agent.session('s')
      .run('go', { note: { dir: '/a' } });
    const other = kit(['end'], options).agent;
    expect((await other.resume('s', { id: result.pending![0]!.id, ok: true })).status).toBe('done');
    expect(readSession(await store.read('s')).runs).toMatchObject([{ note: { dir: '/a' }, resumed: 1 }]);
    const resume = other.resume('s', undefined, { note: {} } as object);
    await expect(resume).rejects.toMatchObject({ code: 'TH_OPTION_INVALID' });
  });

  it('is in no payload, no request, no event and no result', async () => {
    const registry = registryWithGuard();
    const seen: unknown[] = [];
    for (const name of Object.keys(agentHooks) as (keyof typeof agentHooks)[]) {
      const look = (payload: unknown) => void seen.push(payload);
      if (agentHooks[name].model === 'void') registry.registerVoid(name as 'agentDone', look, { id: `look-${name}` });
      else if (agentHooks[name].model === 'modifying') {
        registry.registerModifying(name as 'beforeLLM', look, { id: `look-${name}` });
      } else registry.registerClaiming(name as 'toolPolicy', look, { id: `look-${name}` });
    }
    const { agent, model } = kit([call('echo'), 'end'], { registry, tools: [echo().tool] });
    const stream = agent.session('s').stream('go', { note: { mark } });
    for await (const event of stream) seen.push(event);
    expect(seen.length).toBeGreaterThan(10);
    expect(JSON.stringify([seen, model.calls])).not.toContain(mark);
  });

  it.each<[string, unknown]>([
    ['must be an object', 'text'],
    ['must be an object', null],
    ['must be an object', ['a']],
    ['a function at /f', { f: () => 1 }],
    ['undefined at /a/b', { a: { b: undefined } }],
    ['an accessor at /dir', Object.defineProperty({}, 'dir', { get: () => '/a', enumerable: true })],
    ['a class instance', new Date(0)],
  ])('that is not plain JSON is refused, with %s, and nothing is stored', async (what, note) => {
    const store = memoryStore();
    const { agent } = kit(['one'], { store });
    const refused = agent.session('s').run('go', { note: note as JsonObject });
    await expect(refused).rejects.toMatchObject({
      code: 'TH_OPTION_INVALID',
      message: expect.stringContaining(what) as unknown,
    });
    expect(await store.read('s')).toEqual([]);
  });

  it('is not read from a shared prototype', async () => {
    const store = memoryStore();
    const { agent } = kit(['one'], { store });
    await agent.session('s').run('go');
    const records = await store.read('s');
    // oxlint-disable-next-line no-extend-native -- that is the attack
    Object.defineProperty(Object.prototype, 'note', { value: { dir: '/b' }, configurable: true });
    try {
      expect(Object.hasOwn(readSession(records).runs[0]!, 'note')).toBe(false);
    } finally {
      delete (Object.prototype as { note?: unknown }).note;
    }
  });
});
