/** What a server process says and does between its handshake and its end, well or badly. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentOf, connect, eventually, folder, hostile, isAlive, logged, named, use } from './kit.js';

const starts = async (log: string): Promise<number> =>
  (await logged(log)).filter(({ start }) => start !== undefined).length;

describe('what is no message', () => {
  it('is passed over, with one notice', async () => {
    const lines = [
      'hello',
      '',
      '{',
      '[]',
      'null',
      '{"jsonrpc":"1.0"}',
      '[{"jsonrpc":"2.0","id":0,"result":{}}]',
      '\u0000',
    ];
    const { run, told } = await connect({ s: hostile({ noise: lines, tools: named('echo', 'lines') }) });
    expect(await run('mcp:s/lines', { lines })).toEqual({ output: 'written', isError: false });
    expect(await run('mcp:s/echo', { n: 1 })).toEqual({ output: '{"n":1}', isError: false });
    expect(told('garbage')).toEqual(['wrote what is no message, which is passed over: "hello"']);
  });

  it('is passed over also when it looks like an answer: to nothing, to something else, twice', async () => {
    const lines = [99, 'x', '0', -1, 1.5].map((id) => JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }));
    lines.push('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":77,"progress":1}}');
    lines.push('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}');
    lines.push('{"jsonrpc":"2.0","method":"notifications/nothing"}');
    const { run } = await connect({ s: hostile({ tools: named('echo', 'lines') }) });
    expect(await run('mcp:s/lines', { lines })).toEqual({ output: 'written', isError: false });
    expect(await run('mcp:s/echo')).toEqual({ output: '{}', isError: false });
  });

  it('ends the connection when it is too long; the next call finds another process', async () => {
    const log = join(await folder(), 'log');
    const { run, told } = await connect(
      { s: hostile({ log, tools: named('echo', 'big') }) },
      { maxMessageBytes: 100_000 },
    );
    expect(await run('mcp:s/big', { bytes: 200_000 })).toEqual({
      isError: true,
      output: expect.stringMatching(
        /it wrote a message of more than 100000 bytes; what the call has done is not known/,
      ),
    });
    expect(told('server-failed')).toHaveLength(1);
    expect(await run('mcp:s/echo')).toEqual({ output: '{}', isError: false });
    expect(await starts(log)).toBe(2);
  });
});

describe('a server that dies', () => {
  it('fails each open call once, with its last words, and is started again by the next call', async () => {
    const log = join(await folder(), 'log');
    const { servers, told } = await connect({ s: hostile({ log, tools: named('echo', 'die', 'hang') }) });
    const safe = servers.tools.map((tool) => ({ ...tool, concurrency: 'safe' as const }));
    const { agent } = agentOf(
      [
        ({ tools = [] }) => {
          const [echo, die, hang] = tools.map(({ name }) => name);
          expect(echo).toMatch(/^mcp_s_echo_/);
          return { calls: [{ name: hang! }, { name: hang! }, { name: die!, args: { code: 4, words: 'disk full' } }] };
        },
        use('mcp:s/echo', { n: 2 }),
        'ok',
      ],
      { tools: safe },
    );
    const { toolCalls } = await agent.run('go');
    for (const { output, outcome } of toolCalls.slice(0, 3)) {
      expect(outcome).toBe('error');
      expect(output).toBe(
        "the MCP server 's' has ended (exit code 4); what the call has done is not known. The end of its stderr: disk full",
      );
    }
    expect(toolCalls[3]).toMatchObject({ outcome: 'ok', output: '{"n":2}' });
    expect(told('server-failed')).toEqual(['has ended (exit code 4). The end of its stderr: disk full']);
    expect(told('reconnected')).toHaveLength(1);
    expect(await starts(log)).toBe(2);
  });

  it('between two calls is told at once', async () => {
    const log = join(await folder(), 'log');
    const { told, servers } = await connect({ s: hostile({ log, tools: named('echo') }) });
    const [{ start }] = (await logged(log)) as unknown as [{ readonly start: number }];
    process.kill(start, 'SIGKILL');
    await eventually(() => told('server-failed').length > 0);
    expect(told('server-failed')).toEqual(['has ended (SIGKILL)']);
    expect(servers.describe()).toMatchObject([{ state: 'down', tools: ['mcp:s/echo'] }]);
  });

  it('again and again is left alone for longer each time; refresh tries it at once', async () => {
    const log = join(await folder(), 'log');
    const { run, servers } = await connect(
      { s: hostile({ log, tools: named('echo', 'die') }) },
      { backoff: { baseMs: 60_000 } },
    );
    await run('mcp:s/die');
    await run('mcp:s/die');
    expect(await starts(log)).toBe(2);
    for (let calls = 0; calls < 3; calls++) {
      expect(await run('mcp:s/echo')).toEqual({
        isError: true,
        output: expect.stringMatching(
          /^not called: the MCP server 's' has ended \(exit code 3\); it may be tried again in \d+ ms$/,
        ),
      });
    }
    expect(await starts(log)).toBe(2);
    await servers.refresh();
    expect(await run('mcp:s/echo')).toEqual({ output: '{}', isError: false });
    expect(await starts(log)).toBe(3);
  });

  it('keeps only the end of what it writes to stderr', async () => {
    const { run } = await connect({ s: hostile({ tools: named('die') }) });
    const { output } = await run('mcp:s/die', { words: `${'x'.repeat(100_000)}the end` });
    expect(output.length).toBeLessThan(5_000);
    expect(output).toMatch(/the end$/);
  });
});

describe('a server that hangs', () => {
  it('at the handshake is given up on, and ended', async () => {
    const log = join(await folder(), 'log');
    const server = hostile({ log, initialize: 'hang', stderr: 'thinking' });
    await expect(connect({ s: server }, { connectTimeoutMs: 3_000 })).rejects.toMatchObject({
      code: 'TH_MCP_FAILED',
      message: "the MCP server 's' did not answer within 3000 ms. The end of its stderr: thinking",
    });
    const pids = (await logged(log)).flatMap(({ start }) => (start as number | undefined) ?? []);
    expect(pids.map(isAlive)).toEqual([false]);
  });

  it('at its list is given up on', async () => {
    const failed = connect({ s: hostile({ list: 'hang' }) }, { connectTimeoutMs: 400 });
    await expect(failed).rejects.toMatchObject({ message: expect.stringMatching(/did not answer within 400 ms/) });
  });

  it('at a new list fails the calls that need it, and those that are open', async () => {
    const { run, servers, told } = await connect(
      { s: hostile({ tools: named('echo', 'hang', 'stall') }) },
      { connectTimeoutMs: 2_000, backoff: { baseMs: 60_000 } },
    );
    const open = run('mcp:s/hang');
    await run('mcp:s/stall');
    await expect(servers.refresh()).rejects.toThrow(/did not answer within 2000 ms/);
    expect(await open).toEqual({
      isError: true,
      output: "the MCP server 's' did not answer within 2000 ms; what the call has done is not known",
    });
    expect(told('server-failed')).toEqual(['did not answer within 2000 ms']);
    expect(await run('mcp:s/echo')).toEqual({ isError: false, output: '{}' }); // another process
  });

  it('at a call is given up on and told so; what comes after is another call', async () => {
    const log = join(await folder(), 'log');
    const { run } = await connect({ s: hostile({ log, tools: named('echo', 'hang') }) }, { callTimeoutMs: 100 });
    expect(await run('mcp:s/hang')).toEqual({
      isError: true,
      output:
        "the MCP server 's' did not answer within 100 ms and was told to stop; what the call has done is not known",
    });
    expect(await run('mcp:s/echo')).toEqual({ output: '{}', isError: false });
    const sent = await logged(log);
    const call = sent.find(({ method }) => method === 'tools/call')!;
    const cancel = sent.find(({ method }) => method === 'notifications/cancelled');
    expect(cancel).toMatchObject({ params: { requestId: call['id'] } });
    expect(await starts(log)).toBe(1);
  });

  it('at a call is told when the run is aborted, and the call counts as cancelled', async () => {
    const log = join(await folder(), 'log');
    const { servers } = await connect({ s: hostile({ log, tools: named('hang') }) });
    const { agent } = agentOf([use('mcp:s/hang'), 'never'], { tools: servers.tools });
    const stop = new AbortController();
    const running = agent.run('go', { signal: stop.signal });
    await eventually(async () => (await logged(log)).some(({ method }) => method === 'tools/call'));
    stop.abort(new Error('enough'));
    const { status, toolCalls } = await running;
    expect([status, ...toolCalls.map(({ outcome }) => outcome)]).toEqual(['aborted', 'cancelled']);
    await eventually(async () => (await logged(log)).some(({ method }) => method === 'notifications/cancelled'));
  });
});

describe('what a server asks for', () => {
  it.each([
    ['sampling/createMessage', { messages: [], maxTokens: 1 }],
    ['elicitation/create', { message: 'your password?', requestedSchema: { type: 'object', properties: {} } }],
    ['roots/list', {}],
    ['tasks/list', {}],
    ['what/ever', {}],
  ])('by %s is refused with an error of the protocol, and told once', async (method, params) => {
    const { run, told } = await connect({ s: hostile({ tools: named('ask') }) });
    for (let times = 0; times < 2; times++) {
      const { output, isError } = await run('mcp:s/ask', { method, params });
      expect(isError).toBe(false);
      expect(JSON.parse(output)).toMatchObject({ error: { code: -32601 } });
    }
    expect(told('request-refused')).toEqual([`asked for '${method}', which is refused`]);
  });

  it('as a ping is answered', async () => {
    const { run } = await connect({ s: hostile({ tools: named('ask') }) });
    expect(JSON.parse((await run('mcp:s/ask', { method: 'ping' })).output)).toMatchObject({ result: {} });
  });

  it('is not what the client says it can do', async () => {
    const log = join(await folder(), 'log');
    await connect({ s: hostile({ log }) });
    const hello = (await logged(log)).find(({ method }) => method === 'initialize')!;
    expect(hello['params']).toMatchObject({ capabilities: {} });
  });
});
