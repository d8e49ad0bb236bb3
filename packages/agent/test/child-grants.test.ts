// What was granted inside a child is shown in the session of its root, and dies there when it is revoked.
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, pending, type SessionStore } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { createRuntime, memoryStore, type RunResult, type Session } from '../src/index.js';
import { deferred, scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { call, calls, echo } from './kit.js';
import { failOnUnhandledRejections } from './rejections-watched.js';
import { tool } from './watched.js';

failOnUnhandledRejections();

const task = (agent: string): ScriptedStep => calls({ name: 'task', args: { agent, prompt: 'do it' } });
const remember = { remember: { for: 'session', args: 'any' } } as const;

/** `lead` tasks `helper`, which tasks `deep` when it is told to; `sh` is asked about. */
function made(store: SessionStore, scripts: Partial<Record<'lead' | 'helper' | 'deep', readonly ScriptedStep[]>>) {
  const registry = createHookRegistry(agentHooks);
  const guard = { id: 'asker' };
  registry.registerClaiming(
    'toolPolicy',
    (e) => (e.tool.name === 'sh' ? { ask: 'may it?', rule: 'r' } : undefined),
    guard,
  );
  const { tool: sh, ran } = echo('sh');
  const held = deferred();
  const reached = deferred();
  const wait = tool('wait', (_, { answer }) => (answer === undefined ? pending({ kind: 'k', prompt: 'w' }) : 'y'));
  const hold = tool('hold', async () => {
    reached.resolve();
    await held.promise;
    return 'held';
  });
  const of = (name: keyof typeof scripts, agents: readonly string[] = []) => ({
    model: scriptedModel(scripts[name] ?? []),
    tools: [sh, wait, hold],
    agents,
  });
  const agents = { lead: of('lead', ['helper']), helper: of('helper', ['deep']), deep: of('deep') };
  const runtime = createRuntime({ registry, store, agents });
  return { runtime, session: runtime.agent('lead').session('s'), ran, held, reached };
}

const answering = (session: Session, { pending: open }: RunResult, data?: typeof remember) =>
  session.resume({ id: open![0]!.id, ok: true, ...(data && { data }) });

/** The innermost child has a grant, and waits for something else. */
async function granted(store: SessionStore, isDeep = false) {
  const inner = [call('sh'), call('wait', {}), call('sh', { text: 'later' }), 'done'];
  const made1 = made(store, {
    lead: [task('helper'), 'end', 'more'],
    ...(isDeep ? { helper: [task('deep'), 'h'], deep: inner } : { helper: inner }),
  });
  const asked = await made1.session.run('go');
  const waits = await answering(made1.session, asked, remember);
  expect([waits.status, waits.pending?.[0]?.kind]).toEqual(['pending', 'k']);
  return { ...made1, waits };
}

describe.each([false, true])('a grant of a child that waits (of a child of it: %s)', (isDeep) => {
  const path = isDeep ? ['lead', 'helper', 'deep'] : ['lead', 'helper'];

  it('is shown at the root with its way, and its revocation there is asked about', async () => {
    const store = memoryStore();
    const { session, waits, ran } = await granted(store, isDeep);
    const [grant, ...more] = session.grants();
    expect([grant, more]).toMatchObject([{ guard: 'asker', path, sessionId: expect.stringMatching(/^s\//) }, []]);
    await session.revoke(grant!.id);
    expect(session.grants()).toEqual([]);
    const asked = await answering(session, waits);
    expect([asked.status, asked.pending?.[0]?.kind, ran]).toEqual(['pending', 'approval', [{ text: 'hi' }]]);
  });

  it('is shown by another process once it is loaded, and revoked there without that', async () => {
    const store = memoryStore();
    const { session, waits } = await granted(store, isDeep);
    const [grant] = session.grants();
    const other = made(store, {}).session;
    expect(other.grants()).toEqual([]);
    await other.load();
    expect(other.grants()).toEqual([grant]);
    await made(store, {}).session.revoke(grant!.id);
    await other.load();
    expect(other.grants()).toEqual([]);
    await made(store, {}).session.revoke(grant!.id); // no fault
    await expect(other.revoke(`${grant!.id}x`)).rejects.toMatchObject({ code: 'TH_OPTION_INVALID' });
    expect((await answering(session, waits)).pending?.[0]?.kind).toBe('approval');
  });

  it('is over with its child', async () => {
    const store = memoryStore();
    const { session, waits, ran } = await granted(store, isDeep);
    expect([(await answering(session, waits)).status, ran.length]).toEqual(['done', 2]);
    expect(session.grants()).toEqual([]);
    await session.load();
    expect(session.grants()).toEqual([]);
  });

  it('is over when the conversation goes on without its child', async () => {
    const { session } = await granted(memoryStore(), isDeep);
    expect([(await session.run('something else')).status, session.grants()]).toEqual(['done', []]);
  });
});

it('a grant of a child that runs is shown at the root, and its revocation there reaches the next call', async () => {
  const store = memoryStore();
  const helper = [call('sh'), call('hold', {}), call('sh', { text: 'later' }), 'done'];
  const { session, ran, reached, held } = made(store, { lead: [task('helper'), 'end'], helper });
  const run = answering(session, await session.run('go'), remember);
  await reached.promise;
  const [grant] = session.grants();
  expect(grant).toMatchObject({ path: ['lead', 'helper'] });
  await session.revoke(grant!.id);
  expect(session.grants()).toEqual([]);
  held.resolve();
  expect([(await run).pending?.[0]?.kind, ran]).toEqual(['approval', [{ text: 'hi' }]]);
});

it('a revocation of what another process goes on with is refused, and the grant stays', async () => {
  const store = memoryStore();
  const { session } = await granted(store);
  const [grant] = session.grants();
  await store.acquire(grant!.sessionId!, 'run_elsewhere', 30_000);
  await expect(session.revoke(grant!.id)).rejects.toMatchObject({ code: 'TH_SESSION_BUSY' });
  expect(session.grants()).toEqual([grant]);
});

it('the session of a child says where its grants are taken back', async () => {
  const { session, runtime } = await granted(memoryStore());
  const [grant] = session.grants();
  const child = runtime.agent('helper').session(grant!.sessionId);
  await expect(child.revoke(grant!.id)).rejects.toThrow(/'s', answer there, or take its grants back there/);
});
