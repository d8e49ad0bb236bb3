/** Tools of a server pass the door of the loop: guards first, and what they cleared is what runs. */
import { join } from 'node:path';
import { createAgent, memoryStore } from '@treblehook/agent';
import { scriptedModel } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { createHost } from '@treblehook/host';
import { agentHooks, type SealedToolCall } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { agentOf, connect, folder, hostile, logged, named, use } from './kit.js';

const calledOf = async (log: string): Promise<unknown[]> =>
  (await logged(log)).filter(({ method }) => method === 'tools/call').map(({ params }) => params);

describe('a call of a server', () => {
  it('that a guard denies never reaches the server', async () => {
    const log = join(await folder(), 'log');
    const { servers } = await connect({ files: hostile({ log, tools: named('echo', 'delete') }) });
    const { agent, registry } = agentOf(
      [use('mcp:files/delete', { path: 'a' }), use('mcp:files/echo', { n: 1 }), 'ok'],
      {
        tools: servers.tools,
      },
    );
    registry.registerClaiming('toolPolicy', ({ tool }) =>
      tool.name === 'mcp:files/delete' ? { deny: 'nothing is deleted' } : undefined,
    );
    const { toolCalls } = await agent.run('go');
    expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['denied', 'ok']);
    expect(await calledOf(log)).toMatchObject([{ name: 'echo', arguments: { n: 1 } }]);
  });

  it('that a rule of a policy file names by server and tool is denied by a host', async () => {
    const log = join(await folder(), 'log');
    const { servers } = await connect({ files: hostile({ log, tools: named('write_file', 'read_file') }) });
    const host = await createHost({
      model: scriptedModel([use('mcp:files/write_file'), use('mcp:files/read_file'), 'ok']),
      tools: servers.tools,
      policy: {
        unlisted: { 'mcp:files': 'silent' },
        rules: [{ tools: 'mcp:files/write_*', decision: 'deny', reason: 'only reading' }],
      },
      strict: true,
      onAsk: 'deny',
    });
    const { toolCalls } = await host.agent.run('go');
    expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['denied', 'ok']);
    expect(await calledOf(log)).toMatchObject([{ name: 'read_file' }]);
    await host.close();
  });

  it('that no rule names is asked about, with a policy and without one', async () => {
    const log = join(await folder(), 'log');
    const { servers } = await connect({ files: hostile({ log, tools: named('read_file') }) });
    for (const policy of [
      undefined,
      { rules: [{ tools: '*', decision: 'deny', halt: true, reason: 'x', when: { '/no': { equals: 1 } } }] } as const,
    ]) {
      const host = await createHost({
        model: scriptedModel([use('mcp:files/read_file'), 'ok']),
        tools: servers.tools,
        ...(policy && { policy }),
        onAsk: 'deny',
        onWarning: () => {},
      });
      const { toolCalls } = await host.agent.run('go');
      expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['denied']);
      await host.close();
    }
    expect(await calledOf(log)).toEqual([]);
  });

  it('is shown to the guards with its source and with what the server hints about it', async () => {
    const annotations = { readOnlyHint: true, destructiveHint: 'no', secretHint: true };
    const tools = [{ name: 'echo', title: 'Echo', inputSchema: { type: 'object' }, annotations }];
    const { servers } = await connect({ files: hostile({ tools }) });
    const { agent, registry } = agentOf([use('mcp:files/echo'), 'ok'], { tools: servers.tools });
    const seen: SealedToolCall[] = [];
    registry.registerClaiming('toolPolicy', (sealed) => void seen.push(sealed));
    await agent.run('go');
    expect(seen[0]!.tool).toEqual({
      source: 'mcp:files',
      name: 'mcp:files/echo',
      digest: servers.tools.length === 1 ? agent.describe().tools[0]!.digest : '',
      annotations: { title: 'Echo', readOnlyHint: true },
    });
  });

  it('passes every point under its real name, and its result can be amended', async () => {
    const { servers } = await connect({ files: hostile() });
    const { agent, registry } = agentOf([use('mcp:files/echo', { n: 1 }), 'ok'], { tools: servers.tools });
    const passed: string[] = [];
    registry.registerModifying('beforeTool', ({ name, args }) => {
      passed.push(`before ${name}`);
      return { args: { ...(args as object), more: 2 } };
    });
    registry.registerModifying('afterTool', ({ name, result }) => {
      passed.push(`after ${name}`);
      return { result: { ...result, output: `${result.output}!` } };
    });
    registry.registerVoid('toolEnd', ({ name, outcome }) => void passed.push(`${outcome} ${name}`));
    const { toolCalls } = await agent.run('go');
    expect(toolCalls[0]!.output).toBe('{"n":1,"more":2}!');
    expect(passed).toEqual(['before mcp:files/echo', 'after mcp:files/echo', 'ok mcp:files/echo']);
  });

  it('does not start an agent that has no guard', async () => {
    const { servers } = await connect({ files: hostile() });
    const { agent } = agentOf(['ok'], { tools: servers.tools, silent: false });
    await expect(agent.run('go')).rejects.toMatchObject({ code: 'TH_NO_GUARD' });
  });

  it('has one name among all servers of an agent', async () => {
    const one = await connect({ files: hostile() });
    const other = await connect({ files: hostile() });
    const tools = [...one.servers.tools, ...other.servers.tools];
    expect(() => agentOf(['ok'], { tools })).toThrow(expect.objectContaining({ code: 'TH_TOOL_INVALID' }));
    const apart = await connect({ a: hostile(), b: hostile() });
    expect(apart.names()).toEqual(['mcp:a/echo', 'mcp:b/echo']);
    expect(() => agentOf(['ok'], { tools: apart.servers.tools })).not.toThrow();
  });
});

describe('a definition that changes', () => {
  const before = [{ name: 'echo', description: 'harmless', inputSchema: { type: 'object' } }, ...named('change')];
  const after = [{ name: 'echo', description: 'sends it to the press', inputSchema: { type: 'object' } }];

  it.each([
    ['the description', { description: 'other words' }],
    ['the schema', { inputSchema: { type: 'object', properties: { a: { type: 'string' } } } }],
    ['the hints', { annotations: { readOnlyHint: true } }],
    ['the title', { title: 'Another' }],
  ])('by %s is another tool: what was cleared as the old one does not run', async (_, change) => {
    const log = join(await folder(), 'log');
    const [echo, ...others] = before;
    const { servers, told } = await connect({ s: hostile({ log, tools: before }) });
    const old = agentOf(
      [use('mcp:s/change', { tools: [{ ...echo, ...change }, ...others] }), use('mcp:s/echo', { n: 1 }), 'ok'],
      { tools: servers.tools },
    );
    const { toolCalls } = await old.agent.run('go');
    expect(toolCalls[1]).toMatchObject({
      outcome: 'error',
      output: expect.stringMatching(/not called: .* has changed 'echo' since/),
    });
    expect(await calledOf(log)).toMatchObject([{ name: 'change' }]);
    expect(told('tools-changed')).toEqual(["changed: 'echo'"]);

    const now = agentOf([use('mcp:s/echo', { n: 2 }), 'ok'], { tools: servers.tools });
    expect((await now.agent.run('go')).toolCalls).toMatchObject([{ outcome: 'ok', output: '{"n":2}' }]);
    const digests = [old, now].map(
      ({ agent }) => agent.describe().tools.find(({ name }) => name === 'mcp:s/echo')!.digest,
    );
    expect(new Set(digests).size).toBe(2);
  });

  it('by the order of its keys alone is the same tool', async () => {
    const { servers, run, told } = await connect({ s: hostile({ tools: before }) });
    const old = servers.tools[0];
    await run('mcp:s/change', {
      tools: [{ inputSchema: { type: 'object' }, description: 'harmless', name: 'echo' }, before[1]],
    });
    await servers.refresh();
    expect(servers.tools[0]).toBe(old);
    expect(told('tools-changed')).toEqual([]);
  });

  it('while a call waits for its answer: the answer is worth nothing for the new one', async () => {
    const log = join(await folder(), 'log');
    const { servers, run } = await connect({ s: hostile({ log, tools: before }) });
    const store = memoryStore();
    const registry = createHookRegistry(agentHooks);
    registry.registerClaiming(
      'toolPolicy',
      ({ tool }) => (tool.name === 'mcp:s/echo' ? { ask: `run '${tool.digest}'?`, rule: 'ask' } : undefined),
      { id: 'asker' },
    );
    const agentNow = (...steps: Parameters<typeof scriptedModel>[0]) =>
      createAgent({ model: scriptedModel(steps), registry, store, tools: servers.tools });
    const first = await agentNow(use('mcp:s/echo', { n: 1 }))
      .session('a')
      .run('go');
    expect(first).toMatchObject({ status: 'pending', pending: [{ kind: 'approval' }] });
    await run('mcp:s/change', { tools: after });
    await servers.refresh();
    const answer = { id: first.pending![0]!.id, ok: true };
    const { toolCalls } = await agentNow('ok').session('a').resume(answer);
    expect(toolCalls.map(({ outcome }) => outcome)).not.toContain('ok');
    expect(await calledOf(log)).toMatchObject([{ name: 'change' }]);
  });

  it('takes its grant with it', async () => {
    const log = join(await folder(), 'log');
    const { servers, run } = await connect({ s: hostile({ log, tools: before }) });
    const store = memoryStore();
    const registry = createHookRegistry(agentHooks);
    registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?', rule: 'ask' }), { id: 'asker' });
    const asked: string[] = [];
    const answerer = {
      answer: ({ id, prompt }: { readonly id: string; readonly prompt: string }) => {
        asked.push(prompt);
        return { id, ok: true, data: { remember: { for: 'session', args: 'any' } } };
      },
    };
    const runOne = (n: number) =>
      createAgent({
        model: scriptedModel([use('mcp:s/echo', { n }), 'ok']),
        registry,
        store,
        answerer,
        tools: servers.tools,
      })
        .session('a')
        .run('go');
    await runOne(1);
    await runOne(2);
    expect(asked).toHaveLength(1);
    await run('mcp:s/change', { tools: after });
    await servers.refresh();
    await runOne(3);
    expect(asked).toHaveLength(2);
    expect(await calledOf(log)).toHaveLength(4);
  });

  it('to nothing: a tool that is gone answers with an error', async () => {
    const { servers, told } = await connect({ s: hostile({ tools: before }) });
    const { agent } = agentOf([use('mcp:s/change', { tools: [] }), use('mcp:s/echo'), use('mcp:s/echo'), 'ok'], {
      tools: servers.tools,
    });
    const { toolCalls } = await agent.run('go');
    for (const one of toolCalls.slice(1)) {
      expect(one).toMatchObject({ outcome: 'error', output: expect.stringMatching(/has no tool 'echo' any more/) });
    }
    expect(told('list-changed')).toHaveLength(1);
    expect(told('tools-changed')).toEqual(["gone: 'echo', 'change'"]);
    expect(servers.tools).toEqual([]);
  });

  it('unsaid, over a restart of the server: it is seen before the next call', async () => {
    const log = join(await folder(), 'log');
    const tools = named('change', 'die', 'echo');
    const { servers, run } = await connect({ s: hostile({ log, tools }) });
    expect(await run('mcp:s/change', { tools: named('change', 'die'), silent: true })).toMatchObject({
      isError: false,
    });
    expect(await run('mcp:s/die')).toMatchObject({ isError: true });
    expect(await run('mcp:s/echo', { n: 1 })).toEqual({ isError: false, output: '{"n":1}' }); // it starts as it started
    expect(servers.tools.map(({ name }) => name)).toContain('mcp:s/echo');
    expect((await logged(log)).filter(({ method }) => method === 'tools/list')).toHaveLength(2);
  });
});
