// Honest logs that were told to be wrong: a call of a body that was tried anew, a grant that ended while a start was written, a revocation that has overtaken one.
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool, pending, type SessionStore, type StoredRecord } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { auditSession, memoryStore, type AgentOptions, type Session } from '../src/index.js';
import { deferred } from '../src/testing/index.js';
import { call, echo, kit, registryWithGuard } from './kit.js';

const problems = (log: readonly StoredRecord[]): readonly string[] =>
  auditSession(log).problems.map(({ code, what }) => `${code}: ${what}`);

describe('an honest log has no problem:', () => {
  it('the model is told a result that was cut', async () => {
    const store = memoryStore();
    const long = defineTool({ name: 'long', description: 'l', input: z.object({}), execute: () => 'x'.repeat(1_003) });
    for (const maxResultChars of [5, 40, 100, 999]) {
      const { agent } = kit([call('long', {}), 'done'], { store, tools: [long], maxResultChars });
      await agent.session('s').run('go');
    }
    expect(problems(await store.read('s'))).toEqual([]);
  });

  it('a transcript that was given has results of its own', async () => {
    const store = memoryStore();
    const messages = [
      { role: 'assistant', content: [{ type: 'tool-call', callId: 'c', name: 'old', args: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', callId: 'c', name: 'old', output: 'x', isError: false }] },
    ] as const;
    await kit(['done'], { store }).agent.session({ id: 's', messages }).run('go');
    expect(problems(await store.read('s'))).toEqual([]);
  });

  it('a wrapper tries the call of a body anew, with other arguments', async () => {
    const store = memoryStore();
    const outer = defineTool({
      name: 'outer',
      description: 'o',
      input: z.object({}),
      execute: async (_, { callTool }) => (await callTool('echo', { text: 5 })).output,
    });
    const around: AgentOptions['around'] = {
      async toolCall({ name }, core) {
        const { outcome } = await core();
        if (name === 'echo' && outcome === 'error') await core({ args: { text: 'good' } });
        return undefined;
      },
    };
    await kit([call('outer', {}), 'done'], { store, tools: [outer, echo().tool], around })
      .agent.session('s')
      .run('go');
    const log = await store.read('s');
    expect(problems(log)).toEqual([]);
    expect(auditSession(log).calls.map(({ name, attempt }) => [name, attempt])).toEqual([
      ['echo', 1],
      ['echo', 2],
      ['outer', 1],
    ]);
  });

  it('a wrapper gives a call other arguments where it is taken up, or in place of those that could not be read', async () => {
    const store = memoryStore();
    const registry = registryWithGuard();
    registry.registerModifying('beforeTool', () => ({ result: pending({ kind: 'question', prompt: 'now?' }) }), {
      id: 'holder',
    });
    let count = 0;
    const around: AgentOptions['around'] = {
      toolCall: async (_, core) => void (await core({ args: { text: `w${count++ > 0 ? 2 : 1}` } })),
    };
    const script = [
      { parts: [{ type: 'tool-call', toolCallId: 'w', toolName: 'echo', input: '{no' }], finish: 'tool-calls' },
    ];
    const { tool, ran } = echo();
    const made = kit([...(script as never[]), 'done'], { store, registry, tools: [tool], around });
    const session = made.agent.session('s');
    let result = await session.run('go');
    for (let round = 0; result.status === 'pending' && round < 3; round++) {
      result = await session.resume({ id: result.pending![0]!.id, ok: true });
    }
    const log = await store.read('s');
    expect(problems(log)).toEqual([]);
    expect(log.some(({ record }) => record.type === 'request' && record.changed === true)).toBe(true);
    expect(ran.length).toBeLessThan(2);
  });

  it('a grant ended while the start was written, and the process died', async () => {
    let now = 1_000;
    const clock = {
      now: () => now,
      date: () => now,
      after: (ms: number, run: () => void) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
    };
    const inner = memoryStore({ now: () => now });
    let isDead = false;
    const dies = deferred();
    const store: SessionStore = {
      ...inner,
      append(lease, records) {
        if (isDead) throw new Error('dead');
        const [first] = records;
        if (first?.type !== 'started' || (first.sealed.args as { text: string }).text !== 'b') {
          return inner.append(lease, records);
        }
        now = 5_000;
        void inner.append(lease, records);
        isDead = true;
        dies.resolve();
        return new Promise(() => {});
      },
    };
    const remember = { for: 'session', args: 'any', until: 4_000 };
    const options = (): Partial<AgentOptions> => ({
      registry: asking(),
      tools: [echo().tool],
      clock,
      lockWaitMs: 50,
      answerer: { answer: ({ id }) => ({ id, ok: true, data: { remember } }) },
    });
    void kit([call('echo'), call('echo', { text: 'b' })], { ...options(), store })
      .agent.session('s')
      .run('go');
    await dies.promise;
    now = 9e9;
    const { toolCalls } = await kit(['done'], { ...options(), store: inner })
      .agent.session('s')
      .resume();
    expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['ok', 'outcome-unknown']);
    expect(problems(await inner.read('s'))).toEqual([]);
  });

  it('a revocation has overtaken a start that was in flight: the call was asked about anew', async () => {
    const inner = memoryStore();
    let gone: Promise<void> | undefined;
    const store: SessionStore = {
      ...inner,
      async append(lease, records) {
        const [first] = records;
        if (first?.type === 'started' && (first.sealed.args as { text: string }).text === 'b' && gone === undefined) {
          gone = session.revoke(session.grants()[0]!.id);
          await gone;
        }
        return inner.append(lease, records);
      },
    };
    let asked = 0;
    const remember = { for: 'session', args: 'any' };
    const { tool, ran } = echo();
    const session: Session = kit([call('echo'), call('echo', { text: 'b' }), 'done'], {
      store,
      registry: asking(),
      tools: [tool],
      answerer: { answer: ({ id }) => ({ id, ok: true, ...(asked++ === 0 && { data: { remember } }) }) },
    }).agent.session('s');
    expect(await session.run('go')).toMatchObject({ status: 'done' });
    expect([asked, ran.length]).toEqual([2, 2]);
    const log = await inner.read('s');
    const types = log.map(({ record }) => record.type);
    expect(types.slice(types.indexOf('revoked'), types.indexOf('revoked') + 3)).toEqual([
      'revoked',
      'started',
      'request',
    ]);
    expect(problems(log)).toEqual([]);
  });
});

function asking() {
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?', rule: 'r' }), { id: 'asker' });
  return registry;
}
