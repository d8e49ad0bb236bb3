// Owns the law that a reading of the log which was asked for earlier and comes later has no say in which grants are in force.
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, type SessionStore, type StoredRecord } from '@treblehook/types';
import { expect, it } from 'vitest';
import { auditSession, memoryStore, type Session } from '../src/index.js';
import { call, echo, kit, settle } from './kit.js';

const asking = () => {
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?', rule: 'a' }), { id: 'asker' });
  return registry;
};

it.each<[string, (session: Session) => Promise<unknown>]>([
  ['a revocation that finds nothing', (session) => session.revoke('grant_of_nobody')],
  ['a load', (session) => session.load()],
])('of %s', async (_, ask) => {
  const inner = memoryStore();
  let isHeld = false;
  let deliver = (): void => {};
  const store: SessionStore = {
    ...inner,
    read(id) {
      const list = inner.read(id);
      if (!isHeld) return list;
      isHeld = false;
      return new Promise<readonly StoredRecord[]>((resolve) => {
        deliver = () => resolve(list);
      });
    },
  };
  const registry = asking();
  let isLate = false;
  registry.registerModifying(
    'beforeLLM',
    async () => {
      if (!isLate) return undefined;
      deliver();
      for (let at = 0; at < 5; at++) await settle();
      return undefined;
    },
    { id: 'time' },
  );
  const { tool, ran } = echo('a');
  let asked = 0;
  const data = { remember: { for: 'session', args: 'any' } };
  const answerer = {
    answer: async ({ id }: { readonly id: string }) => (asked++ === 0 ? { id, ok: true, data } : { id, ok: false }),
  };
  const { agent } = kit([call('a'), 'one', call('a', { text: 'again' }), 'two'], {
    registry,
    store,
    answerer,
    tools: [tool],
    lockWaitMs: 200, // what is asked for waits no longer
  });
  const session = agent.session('s');
  await session.run('go');
  const [grant] = session.grants();
  isHeld = true;
  const late = ask(session).catch((error: unknown) => error);
  for (let at = 0; at < 5; at++) await settle();
  const elsewhere = kit([], { registry: asking(), tools: [tool], store: inner }).agent.session('s');
  await elsewhere.revoke(grant!.id);
  isLate = true;
  const { toolCalls } = await session.run('again');
  await late;
  expect([toolCalls.map(({ outcome }) => outcome), ran.length, asked]).toEqual([['denied'], 1, 2]);
  expect(session.grants()).toEqual([]);
  expect(auditSession(await inner.read('s')).problems).toEqual([]);
});
