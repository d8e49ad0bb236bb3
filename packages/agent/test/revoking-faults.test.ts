// What a store cannot acknowledge: no grant that was taken back comes to life by it, and none is lost by it.
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, type SessionRecord, type SessionStore } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../src/index.js';
import { deferred } from '../src/testing/index.js';
import { call, echo, kit, settle } from './kit.js';

/** A session whose tool `a` is asked about, and an answerer that says yes for the session until `refuse`. */
function granting(store: SessionStore, turns = 4, isShut = () => false) {
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?', rule: 'a' }), { id: 'asker' });
  const { tool, ran } = echo('a');
  let isOver = false;
  const script = Array.from({ length: turns }, () => [call('a'), 'said']).flat();
  const { agent } = kit(script, {
    registry,
    tools: [tool],
    store,
    answerer: {
      answer: ({ id }) =>
        isOver || isShut() ? { id, ok: false } : { id, ok: true, data: { remember: { for: 'session', args: 'any' } } },
    },
  });
  const outcomesOf = async (): Promise<readonly string[]> =>
    (await agent.session('s').run('go')).toolCalls.map(({ outcome }) => outcome);
  return { session: agent.session('s'), ran, outcomesOf, refuse: () => void (isOver = true) };
}

const typesOf = async (store: SessionStore): Promise<readonly string[]> =>
  (await store.read('s')).map(({ record }) => record.type);
const isOf = (records: readonly SessionRecord[], type: string): boolean => records.some((one) => one.type === type);

describe('a revocation that the log has', () => {
  it('stands when its lease cannot be given back', async () => {
    const inner = memoryStore();
    let isDown = false;
    const store: SessionStore = {
      ...inner,
      release(lease) {
        const given = inner.release(lease);
        if (isDown) throw new Error('disk busy');
        return given;
      },
    };
    const { session, ran, outcomesOf, refuse } = granting(store);
    await outcomesOf();
    refuse();
    isDown = true;
    await session.revoke(session.grants()[0]!.id);
    expect([session.grants(), await outcomesOf(), ran.length]).toEqual([[], ['denied'], 1]);
  });

  it('stands when its store could not acknowledge it, between runs and within one', async () => {
    for (const isWithin of [false, true]) {
      const inner = memoryStore();
      const store: SessionStore = {
        ...inner,
        append(lease, records) {
          const head = inner.append(lease, records);
          if (!isOf(records, 'revoked')) return head;
          throw new Error('timed out');
        },
      };
      const { session, ran, outcomesOf, refuse } = granting(store);
      await outcomesOf();
      refuse();
      const [grant] = session.grants();
      const run = isWithin ? outcomesOf() : undefined;
      await session.revoke(grant!.id);
      expect([session.grants(), (await run) ?? ['denied'], await outcomesOf(), ran.length]).toEqual([
        [],
        ['denied'],
        ['denied'],
        1,
      ]);
      expect((await typesOf(inner)).filter((type) => type === 'revoked')).toHaveLength(1);
    }
  });

  it('stands when neither its writing nor the log can be told of, until the log says that it has none', async () => {
    for (const isWritten of [false, true]) {
      const inner = memoryStore();
      let isDown = false;
      const store: SessionStore = {
        ...inner,
        append(lease, records) {
          if (isDown && isWritten) void inner.append(lease, records);
          if (isDown) throw new Error('the line is cut');
          return inner.append(lease, records);
        },
        read(...given) {
          if (isDown) throw new Error('the line is cut');
          return inner.read(...given);
        },
      };
      const { session, outcomesOf, refuse } = granting(store);
      await outcomesOf();
      refuse();
      const [grant] = session.grants();
      isDown = true;
      for (let count = 0; count < 2; count++) {
        await expect(session.revoke(grant!.id)).rejects.toThrow('the line is cut');
        expect(session.grants()).toEqual([]);
      }
      isDown = false;
      await session.load();
      expect(session.grants()).toEqual(isWritten ? [] : [grant]);
      await session.revoke(grant!.id);
      expect([session.grants(), await outcomesOf()]).toEqual([[], ['denied']]);
    }
  });
});

it('a grant that is taken back while its own record is acknowledged never comes into force', async () => {
  const inner = memoryStore();
  const written = deferred<void>();
  const go = deferred<void>();
  let isRevoked = false;
  const store: SessionStore = {
    ...inner,
    async append(lease, records) {
      const head = await inner.append(lease, records);
      if (!isOf(records, 'grant')) return head;
      written.resolve();
      await go.promise;
      return head;
    },
  };
  const { session, ran, outcomesOf } = granting(store, 2, () => isRevoked);
  const first = outcomesOf();
  await written.promise;
  const id = (await inner.read('s')).flatMap(({ record }) => (record.type === 'grant' ? [record.grant.id] : []))[0]!;
  await session.revoke(id);
  isRevoked = true;
  go.resolve();
  expect([await first, session.grants(), ran]).toEqual([['denied'], [], []]);
  await settle();
  expect([await outcomesOf(), ran]).toEqual([['denied'], []]);
});
