// Owns the laws of how long a secret is known, and by whom: one session, until it ends.
import { memoryStore } from '@treblehook/agent';
import { scriptedModel } from '@treblehook/testing';
import { definePlugin } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import redact from '../src/index.js';
import { host, secrets, tool, wire } from './kit.js';

const tag = /\[secret:aws-key#[0-9a-f]{6}\.1\]/;

describe('two sessions at once', () => {
  it('share no placeholder: each counts for itself', async () => {
    const made = await host({ script: Array.from({ length: 4 }, () => 'ok') });
    const [one, two] = [made.agent.session('constructor'), made.agent.session('__proto__')];
    await Promise.all([one.run(`a ${secrets.aws}`), two.run(`b ${secrets.aws2}`)]);
    await Promise.all([one.run(`c ${secrets.aws2}`), two.run(`d ${secrets.aws}`)]);
    const sent = wire(made);
    for (const text of [
      'a [secret:aws-key#1]',
      'b [secret:aws-key#1]',
      'c [secret:aws-key#2]',
      'd [secret:aws-key#2]',
    ]) {
      expect(sent).toContain(text);
    }
  });
});

describe('a session', () => {
  it('that was closed has left nothing: the same id counts anew, by numbers of its own', async () => {
    const store = memoryStore();
    const made = await host({ script: ['ok', 'ok'], store });
    const first = made.agent.session('s');
    await first.run(`key ${secrets.aws2}`);
    await first.close();
    await made.agent.session('s').run(`key ${secrets.aws}`);
    const second = JSON.stringify(made.model.calls[1]!.prompt);
    expect(second).toContain('key [secret:aws-key#1]');
    expect(second).toMatch(tag);
    expect(second).not.toMatch(/AKIA/);
  });

  it('that waits for an answer goes on in another process, and what it comes to is clean', async () => {
    const store = memoryStore();
    const asks = definePlugin({
      id: 'asks',
      setup: ({ hooks }) => void hooks.registerClaiming('toolPolicy', () => ({ ask: 'may it?' })),
    });
    const parts = { store, plugins: [asks], tools: [tool('look', () => `it is ${secrets.aws}`)] };
    const one = await host({ ...parts, script: [{ calls: [{ name: 'look' }] }] });
    const waits = await one.agent.session('s').run(`mine is ${secrets.aws2}`);
    expect(waits.status).toBe('pending');
    await one.close();
    const two = await host({ ...parts, script: [`so ${secrets.aws}`] });
    const result = await two.agent.resume('s', { id: waits.pending![0]!.id, ok: true });
    expect(result.status).toBe('done');
    expect(result.toolCalls[0]!.output).toMatch(tag);
    expect(result.text).toMatch(tag);
    expect(JSON.stringify(result) + wire(two)).not.toMatch(/AKIA/);
  });

  it('goes on over a reload of the plugin; no number is given twice', async () => {
    const model = scriptedModel(['ok', 'ok']);
    const made = await host({ model });
    const session = made.agent.session();
    await session.run(`key ${secrets.aws}`);
    await made.reload({ plugin: redact, seat: true });
    await session.run(`key ${secrets.aws2}`);
    const sent = wire(made);
    expect(sent).toContain('key [secret:aws-key#1]');
    expect(sent).toMatch(/key \[secret:aws-key#[0-9a-f]{6}\.1\]/);
    expect(sent).not.toMatch(/AKIA/);
  });
});
