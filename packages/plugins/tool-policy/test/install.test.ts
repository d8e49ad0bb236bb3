// Owns the laws of the tenant: it stands as a host guard on a real registry, and nobody talks it round.
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, HookError, type SealedToolCall } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { install, type Policy } from '../src/index.js';

const policy: Policy = {
  rules: [
    { id: 'no-delete', tools: 'delete_*', decision: 'deny', reason: 'nothing is deleted here' },
    { id: 'env', tools: '*', when: { '/path': { glob: '*.env' } }, decision: 'ask', reason: 'may it read secrets?' },
  ],
};
const call = (name: string, args = {}): SealedToolCall => ({
  origin: { runId: 'r', sessionId: 's', agentPath: ['agent'], personality: 'p', turn: 0 },
  callId: 'c',
  attempt: 1,
  batch: { id: 'b', index: 0, size: 1, names: [name] },
  tool: { source: 'host', name, digest: '0' },
  args,
  digest: '0',
  supplied: false,
});
const registryWith = (rules: Policy = policy) => {
  const registry = createHookRegistry(agentHooks, {});
  return { registry, uninstall: install(registry, rules) };
};

describe('the guard tool-policy', () => {
  it('stands under its bare id, with or without an allowlist', async () => {
    const { registry } = registryWith();
    expect(registry.plan('toolPolicy', []).map(({ id, owner, silenced }) => ({ id, owner, silenced }))).toEqual([
      { id: 'tool-policy', owner: 'host', silenced: false },
    ]);
    const record = await registry.fireClaiming('toolPolicy', call('delete_file'));
    expect(record).toMatchObject({
      decision: 'deny',
      reason: 'nothing is deleted here',
      rule: 'no-delete',
      by: { id: 'tool-policy', owner: 'host' },
    });
  });

  it('leaves a pass behind for a call that no rule names', async () => {
    const { registry } = registryWith();
    const record = await registry.fireClaiming('toolPolicy', call('read_file', { path: 'a.md' }));
    expect(record).toMatchObject({ decision: 'clear', verdicts: [{ verdict: 'pass', by: { id: 'tool-policy' } }] });
  });

  it('asks with its rule and its question', async () => {
    const { registry } = registryWith();
    const record = await registry.fireClaiming('toolPolicy', call('read_file', { path: 'a/.env' }));
    expect(record.decision).toBe('ask');
    expect(record.asks).toMatchObject([
      { rule: expect.stringMatching(/^env@[0-9a-f]{12}$/), ask: 'may it read secrets? (policy rule env)' },
    ]);
  });

  // https://github.com/anthropics/claude-code/issues/35136
  it('denies from any seat among guards that abstain or ask, and from behind one that claims an allow', async () => {
    const others: [string, () => unknown][] = [
      ['abstains', () => ({ handled: false })],
      ['asks', () => ({ ask: 'may it?' })],
      ['silent', () => undefined],
    ];
    for (let seat = 0; seat <= others.length; seat++) {
      const order = others.map(([id]) => id).toSpliced(seat, 0, 'tool-policy');
      const registry = createHookRegistry(agentHooks, { order: { toolPolicy: order } });
      install(registry, policy);
      for (const [id, other] of others) (registry.forPlugin(id) as any).registerClaiming('toolPolicy', other);
      const record = await registry.fireClaiming('toolPolicy', call('delete_file'), 'all');
      expect(record.decision).toBe('deny');
      expect(record.by?.id).toBe('tool-policy');
      expect(record.verdicts).toHaveLength(seat + 1);
    }
    const { registry } = registryWith();
    const untyped = registry.forPlugin('yes') as any;
    untyped.registerClaiming('toolPolicy', () => ({ handled: true, decision: 'allow' }));
    expect((await registry.fireClaiming('toolPolicy', call('delete_file'), 'all')).decision).toBe('deny');
    expect((await registry.fireClaiming('toolPolicy', call('read_file'), 'all')).decision).toBe('deny');
  });

  it('cannot be installed twice, and is gone when it is uninstalled', async () => {
    const { registry, uninstall } = registryWith();
    expect(() => install(registry, policy)).toThrow(expect.objectContaining({ code: 'TH_ID_TAKEN' }));
    uninstall();
    uninstall();
    expect(registry.hasHandlers('toolPolicy', 'all')).toBe(false);
    install(registry, policy);
    expect((await registry.fireClaiming('toolPolicy', call('delete_file'))).decision).toBe('deny');
  });

  it('refuses a wrong policy and changes nothing', () => {
    const registry = createHookRegistry(agentHooks, {});
    expect(() => install(registry, { rules: [{ tools: 'x' } as never] })).toThrow(HookError);
    expect(registry.hasHandlers('toolPolicy', 'all')).toBe(false);
  });

  it('does not follow later changes of the policy object', async () => {
    const rules = [...policy.rules];
    const { registry } = registryWith({ rules });
    rules.length = 0;
    expect((await registry.fireClaiming('toolPolicy', call('delete_file'))).decision).toBe('deny');
  });
});
