// Owns the law of personalities in files: read again between turns, whole or not at all.
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deferred } from '@treblehook/agent/testing';
import { describe, expect, it, vi } from 'vitest';
import { folderWith } from '../temp.js';
import { call, kit, plugin, says } from './kit.js';

const calm = 'id: calm\nsystem: be calm\ntools: [a]\n';

describe('a personality that is read again', () => {
  it('is the next run’s, with its system text, tools, plugins, policy and budgets', async () => {
    const dir = await folderWith({ 'calm.yaml': calm });
    const file = join(dir, 'calm.yaml');
    const heard: string[] = [];
    const acme = plugin('acme', ({ hooks }) => void hooks.registerVoid('agentDone', () => void heard.push('acme')));
    const { host, model } = await kit([acme], {
      script: ['one', call('a'), call('b'), 'two'],
      tools: [says('a', 'A'), says('b', 'B')],
      personality: file,
    });
    const session = host.agent.session('s');
    await session.run('go');
    await writeFile(join(dir, 'p.yaml'), 'rules: [{ tools: a, decision: deny, reason: no }]\n');
    await writeFile(file, 'id: calm\nsystem: be bold\nplugins: [acme]\npolicy: p.yaml\nbudgets: { steps: 2 }\n');
    await host.refresh();
    const { toolCalls, limit } = await session.run('go');
    expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['denied', 'ok']);
    expect(limit).toBe('steps');
    expect(heard).toEqual(['acme']);
    expect(JSON.stringify(model.calls.map(({ prompt }) => prompt[0]))).toMatch(/be calm.*be bold/);
    expect(host.agent.describe().personality).toMatchObject({ id: 'calm', plugins: ['acme'] });
  });

  it('leaves a run in hand what it is', async () => {
    const dir = await folderWith({ 'calm.yaml': calm });
    const inside = deferred<void>();
    const gate = deferred<void>();
    const a = { ...says('a', 'A'), execute: async () => (inside.resolve(), await gate.promise, 'A') };
    const { host, model } = await kit([], {
      script: [call('a'), 'one', 'two'],
      tools: [a],
      personality: join(dir, 'calm.yaml'),
    });
    const run = host.agent.run('go');
    await inside.promise;
    await writeFile(join(dir, 'calm.yaml'), 'id: calm\nsystem: be bold\ntools: []\n');
    await host.refresh();
    gate.resolve();
    expect((await run).status).toBe('done');
    expect(JSON.stringify(model.calls[1]!.prompt[0])).toContain('be calm');
    expect(model.calls[1]!.tools?.map(({ name }) => name)).toEqual(['a']);
    await host.agent.run('go');
    expect(JSON.stringify(model.calls[2]!.prompt[0])).toContain('be bold');
    expect(model.calls[2]!.tools ?? []).toEqual([]);
  });

  it.each([
    ['no YAML', 'id: [', /calm\.yaml:/],
    ['another id', 'id: other\n', /keeps its id/],
    ['an unknown plugin', 'id: calm\nplugins: [acem]\n', /did you mean 'acme'/],
    ['an unknown tool', 'id: calm\ntools: [aa]\n', /there is no tool 'aa'/],
    ['an unknown model', 'id: calm\nmodel: openai:x\n', /made without the model/],
    ['a policy that is not there', 'id: calm\npolicy: none.yaml\n', /no such file/],
    ['a policy that is wrong', 'id: calm\npolicy: { rules: [{ tools: a }] }\n', /decision/],
  ])('and has %s changes nothing, and says where', async (_, text, words) => {
    const dir = await folderWith({ 'calm.yaml': calm });
    const file = join(dir, 'calm.yaml');
    const { host, model } = await kit([plugin('acme')], { script: ['x'], tools: [says('a', 'A')], personality: file });
    await writeFile(file, text);
    await expect(host.refresh()).rejects.toThrow(words);
    await host.agent.run('go');
    expect(JSON.stringify(model.calls[0]!.prompt[0])).toContain('be calm');
  });

  it('is read by itself where the host watches, by whatever way an editor writes; a fault is a warning', async () => {
    const dir = await folderWith({ 'calm.yaml': calm });
    const file = join(dir, 'calm.yaml');
    const { host, warnings } = await kit([], {
      script: ['x'],
      tools: [says('a', 'A')],
      personality: file,
      watch: true,
    });
    const system = (): string => host.agent.describe().personality.system;
    await writeFile(file, 'id: calm\nsystem: written\n');
    await vi.waitFor(() => expect(system()).toBe('written'), 5000);
    await writeFile(join(dir, 'new'), 'id: calm\nsystem: renamed\n');
    await rename(join(dir, 'new'), file);
    await vi.waitFor(() => expect(system()).toBe('renamed'), 5000);
    await writeFile(file, 'id: [');
    await vi.waitFor(() => expect(warnings.map(({ code }) => code)).toContain('TH_CONFIG_INVALID'), 5000);
    expect(system()).toBe('renamed');
    await host.close();
    await writeFile(file, calm);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(system()).toBe('renamed');
  });
});

it('of many readings at once the last one is in force, whichever file was quicker to read', async () => {
  const rule = (decision: string, more = ''): string =>
    `rules: [{ tools: a, decision: ${decision}, reason: no }]\n${more}`;
  const dir = await folderWith({ 'calm.yaml': 'id: calm\npolicy: p.yaml\n', 'p.yaml': 'rules: []\n' });
  const { host } = await kit([], {
    script: [call('a'), 'x'],
    tools: [says('a', 'A')],
    personality: join(dir, 'calm.yaml'),
  });
  await writeFile(join(dir, 'p.yaml'), `rules: []\n${'# slow to read\n'.repeat(60_000)}`);
  const first = host.refresh();
  await writeFile(join(dir, 'next'), rule('deny'));
  await rename(join(dir, 'next'), join(dir, 'p.yaml'));
  await Promise.all([first, host.refresh()]);
  expect((await host.agent.run('go')).toolCalls[0]!.outcome).toBe('denied');
});

it('a rule that matches nothing any more is told as at the start, and refused by a strict host', async () => {
  const rule = (tools: string): string => `rules: [{ tools: ${tools}, decision: deny, reason: no }]\n`;
  const dir = await folderWith({ 'calm.yaml': 'id: calm\npolicy: p.yaml\n', 'p.yaml': rule('take') });
  const hostIn = (strict: boolean) =>
    kit([], { script: [call('take'), 'x'], tools: [says('take', 'T')], personality: join(dir, 'calm.yaml'), strict });
  const [strict, lenient] = [await hostIn(true), await hostIn(false)];
  await writeFile(join(dir, 'p.yaml'), rule('tkae'));
  await expect(strict.host.refresh()).rejects.toMatchObject({ code: 'TH_MATCHES_NOTHING' });
  expect((await strict.host.agent.run('go')).toolCalls[0]!.outcome).toBe('denied');
  await lenient.host.refresh();
  expect(lenient.warnings.map(({ message }) => message)).toContainEqual(expect.stringContaining("did you mean 'take'"));
});
