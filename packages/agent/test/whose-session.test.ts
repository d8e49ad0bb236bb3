// Whose a session is: the agent that opened it, by its name, goes on with it, and no other reads, settles or writes.
import type { SessionRecord, SessionStore, StoredRecord } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { createAgent, createRuntime, memoryStore, type AgentDefinition } from '../src/index.js';
import { scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { call, echo, registryWithGuard, textOf } from './kit.js';

const wrong = { code: 'TH_WRONG_AGENT' };

/** Two agents on one store, one of which has a conversation `s` that waits for an answer. */
async function waiting(more: { readonly a?: AgentDefinition; readonly b?: AgentDefinition } = {}) {
  const store = memoryStore();
  const registry = registryWithGuard();
  registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?' }), { id: 'asker' });
  const { tool, ran } = echo();
  const models = { a: scriptedModel([call('echo'), 'a is done']), b: scriptedModel(['b is done']) };
  const personalities = [{ id: 'other' }];
  const runtime = createRuntime({
    registry,
    store,
    agents: {
      a: { model: models.a, tools: [tool], personalities, ...more.a },
      b: { model: models.b, tools: [tool], personalities, ...more.b },
    },
  });
  const [request] = (await runtime.agent('a').session('s').run('a secret')).pending!;
  return { store, runtime, models, ran, answer: { id: request!.id, ok: true } };
}
const records = async (store: SessionStore): Promise<readonly StoredRecord[]> => store.read('s');

describe('a session that another agent has opened', () => {
  it('takes no run: the open request stays open, and no model is told of it', async () => {
    const { store, runtime, models, answer } = await waiting();
    const before = await records(store);
    const session = runtime.agent('b').session('s');
    await expect(session.run('hello')).rejects.toMatchObject({
      ...wrong,
      message: expect.stringMatching(/'s' is one of the agent 'a', and 'b' may not.*another session id.*formerNames/),
      details: { session: 's', opener: 'a', agent: 'b' },
    });
    await expect(session.run('again')).rejects.toMatchObject(wrong);
    expect([await records(store), models.b.calls, session.messages()]).toEqual([before, [], []]);
    expect(await runtime.agent('a').resume('s', answer)).toMatchObject({ status: 'done', text: 'a is done' });
  });

  it('takes no answer, and nothing is settled', async () => {
    const hooks = { afterTool: () => ({ result: { output: 'redacted', isError: false } }) };
    const { store, runtime, ran, answer } = await waiting({ a: { hooks } });
    const before = await records(store);
    await expect(runtime.agent('b').resume('s', answer)).rejects.toMatchObject(wrong);
    await expect(runtime.agent('b').resume('s')).rejects.toMatchObject(wrong);
    expect([await records(store), ran]).toEqual([before, []]);
    const { toolCalls } = await runtime.agent('a').resume('s', answer);
    expect(toolCalls).toMatchObject([{ output: 'redacted' }]);
  });

  it('is not read, switched, or relieved of a grant', async () => {
    const { store, runtime } = await waiting();
    const before = await records(store);
    const session = runtime.agent('b').session('s');
    await expect(session.load()).rejects.toMatchObject(wrong);
    await expect(session.switchPersonality('other')).rejects.toMatchObject(wrong);
    await expect(session.revoke('grant_1')).rejects.toMatchObject(wrong);
    expect([await records(store), session.messages(), session.requests()]).toEqual([before, [], []]);
  });

  it('that was begun while this one had it open too is refused all the same', async () => {
    const store = memoryStore();
    const of = (name: string) =>
      createAgent({ name, store, model: scriptedModel(['one', 'two']), registry: registryWithGuard() }).session('s');
    const [mine, theirs] = [of('mine'), of('theirs')];
    await Promise.all([mine.load(), theirs.load()]);
    await mine.run('1');
    await expect(theirs.run('2')).rejects.toMatchObject(wrong);
    expect((await mine.run('3')).messages.map(textOf)).toEqual(['1', 'one', '3', 'two']);
  });
});

describe('a session is the own one', () => {
  const agentOf = (store: SessionStore, script: readonly ScriptedStep[], name?: string, formerNames?: string[]) =>
    createAgent({
      store,
      model: scriptedModel(script),
      registry: registryWithGuard(),
      ...(name && { name }),
      ...(formerNames && { formerNames }),
    });

  it('of an agent of the same name in another process, and of those that have no name', async () => {
    const store = memoryStore();
    await agentOf(store, ['one'], 'clerk').session('s').run('1');
    expect((await agentOf(store, ['two'], 'clerk').session('s').run('2')).messages).toHaveLength(4);
    await agentOf(store, ['one']).session('t').run('1');
    expect((await agentOf(store, ['two']).session('t').run('2')).messages).toHaveLength(4);
  });

  it('of an agent that was renamed and says so', async () => {
    const store = memoryStore();
    await agentOf(store, ['one'], 'clerk').session('s').run('1');
    const renamed = agentOf(store, ['two'], 'officer', ['desk', 'clerk']);
    expect((await renamed.session('s').run('2')).messages.map(textOf)).toEqual(['1', 'one', '2', 'two']);
    await expect(agentOf(store, ['three'], 'officer').session('s').run('3')).rejects.toMatchObject(wrong);
  });

  it('of anybody when its log does not say whose it is', async () => {
    const store = memoryStore();
    await agentOf(store, ['one'], 'clerk').session('s').run('1');
    const nameless = ({ seq, at, record }: StoredRecord): StoredRecord =>
      record.type === 'opened'
        ? { seq, at, record: { type: 'opened' } as unknown as SessionRecord }
        : { seq, at, record };
    const old: SessionStore = { ...store, read: async (...args) => (await store.read(...args)).map(nameless) };
    expect((await agentOf(old, ['two'], 'officer').session('s').run('2')).status).toBe('done');
  });

  it('a former name is no agent of the same runtime, and that of one agent alone', () => {
    const model = scriptedModel([]);
    const agents = { clerk: { model }, officer: { model, formerNames: ['clerk'] } };
    expect(() => createRuntime({ registry: registryWithGuard(), agents })).toThrow(
      /agents.officer: formerNames has 'clerk', which is an agent here/,
    );
    const twins = { desk: { model, formerNames: ['clerk'] }, officer: { model, formerNames: ['late', 'clerk'] } };
    expect(() => createRuntime({ registry: registryWithGuard(), agents: twins })).toThrow(
      /agents.desk: formerNames has 'clerk', as 'officer' has/,
    );
    expect(() => agentOf(memoryStore(), [], 'x', 'clerk' as never)).toThrow(/formerNames must be a list of texts/);
  });
});
