// Owns the laws of a host's layers of policy: the folder's and the personality's tighten the operator's, and lift nothing.
import { join } from 'node:path';
import { scriptedModel } from '@treblehook/agent/testing';
import { defineTool } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createHost, loadPersonality, type HostOptions } from '../src/index.js';
import { folderWith } from './temp.js';

const tool = (name: string, paths?: readonly string[]) =>
  defineTool({
    name,
    description: name,
    input: z.object({ path: z.string().default('a') }),
    ...(paths && { paths }),
    execute: () => 'has run',
  });
const deny = (tools: string, id: string) => ({
  rules: [{ id, tools, decision: 'deny' as const, reason: `not ${tools}` }],
});

/** Outcome and reason of one call. */
async function outcomeOf(name: string, args: object, options: Partial<HostOptions>) {
  const host = await createHost({
    model: scriptedModel([{ calls: [{ name, args }] }, { text: 'done' }]),
    tools: [tool('read', ['path']), tool('write', ['path'])],
    onAsk: 'deny',
    cwd: process.cwd(),
    onWarning: () => {},
    ...options,
  });
  const { toolCalls } = await host.agent.run('go');
  await host.close();
  return toolCalls.map(({ outcome, output }) => [outcome, output]);
}

describe('layers', () => {
  it("count all, each under its name: the operator's, the folder's, the personality's", async () => {
    const options = {
      policy: deny('nobody', 'mine'),
      projectPolicy: deny('write', 'theirs'),
      personality: { id: 'p', policy: deny('read', 'quiet') },
    };
    expect(await outcomeOf('write', {}, options)).toEqual([['denied', expect.stringContaining('not write')]]);
    expect(await outcomeOf('read', {}, options)).toEqual([['denied', expect.stringContaining('not read')]]);
    expect(await outcomeOf('read', {}, { ...options, personality: { id: 'p' } })).toEqual([['ok', 'has run']]);
    const loose = { ...options, policy: deny('*', 'all'), projectPolicy: { rules: [], unlisted: 'silent' as const } };
    expect(await outcomeOf('write', {}, loose)).toEqual([['denied', expect.stringContaining('not *')]]);
  });

  it("a personality's policy is a file beside its own, or stands in it, with its faults in their place", async () => {
    const dir = await folderWith({
      'p.yaml': 'id: p\npolicy: rules/strict.yaml\n',
      'rules/strict.yaml': 'rules: [{ tools: read, decision: deny, reason: by the file }]',
      'inline.yaml': 'id: p\npolicy:\n  rules:\n    - tools: read\n      decision: never\n      reason: x\n',
    });
    const personality = await loadPersonality(join(dir, 'p.yaml'));
    expect(await outcomeOf('read', {}, { personality })).toEqual([['denied', expect.stringContaining('by the file')]]);
    await expect(loadPersonality(join(dir, 'inline.yaml'))).rejects.toThrow(/inline\.yaml:5:17: 'decision' is 'never'/);
  });

  it("paths are meant from the host's cwd", async () => {
    const dir = await folderWith({ 'in/a': '' });
    const policy = {
      rules: [{ tools: '*', paths: { not: { within: 'in' } }, decision: 'deny' as const, reason: 'out' }],
    };
    expect(await outcomeOf('read', { path: 'in/a' }, { policy, cwd: dir })).toEqual([['ok', 'has run']]);
    expect(await outcomeOf('read', { path: 'b' }, { policy, cwd: dir })).toEqual([['denied', expect.any(String)]]);
    expect(await outcomeOf('read', { path: 'in/../b' }, { policy, cwd: dir })).toEqual([
      ['denied', expect.any(String)],
    ]);
  });

  it('a rehearsed one lets the call through and tells what it would have said', async () => {
    const told: unknown[] = [];
    const policy = { ...deny('read', 'soon'), mode: 'dry-run' as const };
    const onDryRun: HostOptions['onDryRun'] = (verdict, { tool: { name } }) => void told.push([verdict, name]);
    expect(await outcomeOf('read', {}, { policy, onDryRun })).toEqual([['ok', 'has run']]);
    expect(told).toEqual([[{ deny: 'not read', rule: 'soon' }, 'read']]);
  });
});
