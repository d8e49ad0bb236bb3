// A run was left open as a personality that the agent does not have any more: its session named one way on after another, and none of them worked.
import type { SessionStore, ToolEnd } from '@treblehook/types';
import { expect, it } from 'vitest';
import { auditSession, memoryStore, type AgentOptions } from '../src/index.js';
import { call, echo, kit, registryWithGuard } from './kit.js';

function agentOf(store: SessionStore, ids: readonly string[], extra: Partial<AgentOptions> = {}) {
  const registry = registryWithGuard();
  registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'asker' });
  const ends: ToolEnd[] = [];
  registry.registerVoid('toolEnd', (end) => void ends.push(end));
  const { tool, ran } = echo();
  const { agent } = kit([call('echo'), 'done'], {
    store,
    registry,
    tools: [tool],
    personalities: ids.map((id) => ({ id })),
    ...extra,
  });
  return { session: agent.session('s'), agent, ends, ran };
}
async function leftOpen(store: SessionStore): Promise<string> {
  const { session } = agentOf(store, ['reviewer']);
  await session.switchPersonality('reviewer');
  const { status, pending } = await session.run('go');
  expect(status).toBe('pending');
  return pending![0]!.id;
}

it('says what there is to do, and that is so', async () => {
  const store = memoryStore();
  const id = await leftOpen(store);
  const { session, ends, ran } = agentOf(store, ['writer']);
  const way = expect.stringMatching(/switchPersonality/) as string;
  await expect(session.resume()).rejects.toMatchObject({ code: 'TH_NOTHING_OPEN', message: way });
  await expect(session.resume({ id, ok: true })).rejects.toMatchObject({ code: 'TH_NOTHING_OPEN', message: way });
  await expect(session.run('else')).rejects.toMatchObject({ code: 'TH_PERSONALITY_REFUSED', message: way });

  expect(await session.switchPersonality('writer')).toMatchObject({ id: 'writer' });
  expect(session.requests()).toEqual([]);
  expect(ends.map(({ outcome, origin }) => [outcome, origin.personality])).toEqual([['cancelled', 'reviewer']]);
  await expect(session.resume({ id, ok: true })).rejects.toMatchObject({ code: 'TH_ANSWER_REFUSED' });
  await expect(session.resume()).rejects.toMatchObject({ code: 'TH_NOTHING_OPEN' });
  expect(ran).toEqual([]);

  expect(await session.run('else')).toMatchObject({ status: 'pending' });
  const log = await store.read('s');
  expect(log.map(({ record }) => record.type).join(' ')).toBe(
    'opened personality run message answer request settled answered outcome message settled personality run message answer request settled',
  );
  expect(auditSession(log).problems).toEqual([]);
});

it('is open yet when the switch cannot be written', async () => {
  const store = memoryStore();
  await leftOpen(store);
  const { session } = agentOf({ ...store, append: () => Promise.reject(new Error('full')) }, ['writer']);
  await expect(session.switchPersonality('nobody')).rejects.toMatchObject({ code: 'TH_OPTION_INVALID' });
  await expect(session.switchPersonality('writer')).rejects.toThrow('full');
  const { session: back, ran } = agentOf(store, ['reviewer']);
  await back.load();
  expect((await store.read('s')).at(-1)!.record.type).toBe('answered'); // it was told that nobody answers any more
  const { toolCalls } = await back.resume();
  expect(toolCalls[0]).toMatchObject({ outcome: 'denied' });
  expect(ran).toEqual([]);
});

it('of a personality that the agent has is resumed first, or given up by a run', async () => {
  const store = memoryStore();
  await leftOpen(store);
  const { session } = agentOf(store, ['reviewer', 'writer']);
  await expect(session.switchPersonality('writer')).rejects.toMatchObject({ code: 'TH_PERSONALITY_REFUSED' });
  expect(await session.run('else')).toMatchObject({ status: 'pending' });
});
