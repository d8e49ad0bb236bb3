/** The published servers, over real pipes and sockets, through a real agent. */
import { spawn } from 'node:child_process';
import { readFile, realpath, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentOf, atEnd, connect, folder, programOf, real, use } from './kit.js';

const outputs = (calls: readonly { readonly output: string; readonly outcome: string }[]): [string, string][] =>
  calls.map(({ outcome, output }) => [outcome, output]);

describe('the file server', () => {
  it('reads and writes for an agent, under its real names, and refuses what it refuses', async () => {
    const path = await realpath(await folder());
    await writeFile(join(path, 'a.txt'), 'the first file');
    const { servers, notices } = await connect({ files: real('filesystem', path) });
    const { agent } = agentOf(
      [
        use('mcp:files/read_text_file', { path: join(path, 'a.txt') }),
        use('mcp:files/write_file', { path: join(path, 'b.txt'), content: 'the second' }),
        use('mcp:files/read_text_file', { path: '/etc/hostname' }),
        use('mcp:files/read_text_file', { path: 5 }),
        'done',
      ],
      { tools: servers.tools },
    );
    const { status, toolCalls } = await agent.run('go');
    expect(status).toBe('done');
    expect(toolCalls.map(({ name }) => name)).toEqual([
      'mcp:files/read_text_file',
      'mcp:files/write_file',
      'mcp:files/read_text_file',
      'mcp:files/read_text_file',
    ]);
    expect(outputs(toolCalls)).toEqual([
      ['ok', 'the first file'],
      ['ok', expect.stringMatching(/b\.txt/)],
      ['error', expect.stringMatching(/denied/)],
      ['error', expect.stringMatching(/do not fit its schema: .*path must be string/)],
    ]);
    expect(await readFile(join(path, 'b.txt'), 'utf8')).toBe('the second');
    expect(notices).toEqual([]);
    expect(servers.describe()).toMatchObject([{ name: 'files', source: 'mcp:files', state: 'connected' }]);
    expect(agent.describe().tools.find(({ name }) => name === 'mcp:files/write_file')).toMatchObject({
      source: 'mcp:files',
      annotations: { readOnlyHint: false, destructiveHint: true },
    });
  });
});

describe('the memory server', () => {
  it('keeps a graph in the file that its environment names', async () => {
    const path = join(await folder(), 'memory.jsonl');
    const { servers } = await connect({ memory: { ...real('memory'), env: { MEMORY_FILE_PATH: path } } });
    const { agent } = agentOf(
      [
        use('mcp:memory/create_entities', {
          entities: [{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }],
        }),
        use('mcp:memory/search_nodes', { query: 'Ada' }),
        'done',
      ],
      { tools: servers.tools },
    );
    const { toolCalls } = await agent.run('go');
    expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
    expect(toolCalls[1]!.output).toContain('writes programs');
    expect(await readFile(path, 'utf8')).toContain('Ada');
  });
});

describe('the server of everything', () => {
  const script = [
    use('mcp:every/echo', { message: 'hello' }),
    use('mcp:every/get-sum', { a: 2, b: 40 }),
    use('mcp:every/get-tiny-image'),
    use('mcp:every/get-structured-content', { location: 'Chicago' }),
    use('mcp:every/get-resource-links', { count: 1 }),
    use('mcp:every/get-resource-reference'),
    use('mcp:every/trigger-long-running-operation', { duration: 0.2, steps: 2 }),
    'done',
  ];
  const expected = [
    ['ok', 'Echo: hello'],
    ['ok', expect.stringMatching(/42/)],
    ['ok', expect.stringMatching(/\[image image\/png, \d+ bytes, was left out: a result is text\]/)],
    ['ok', expect.stringMatching(/^\{"temperature":/)],
    ['ok', expect.stringMatching(/\[link to demo:\/\/.*; it was not read\]/)],
    ['ok', expect.stringMatching(/\[resource demo:\/\/\S+ \(text\/plain\)\]\n/)],
    ['ok', expect.stringMatching(/completed/)],
  ];

  it('answers over stdio with each kind of content; what only a task can run is left out', async () => {
    const { servers, told, names } = await connect({ every: real('everything', 'stdio') });
    const { agent } = agentOf(script, { tools: servers.tools });
    const { toolCalls } = await agent.run('go');
    expect(outputs(toolCalls)).toEqual(expected);
    expect(told('progress')[0]).toBe('1 of 2'); // one that comes with the answer may be passed over
    expect(told('tool-refused')).toEqual([expect.stringMatching(/only be run as a task/)]);
    expect(names()).not.toContain('mcp:every/simulate-research-query');
  });

  it('sees of the environment what it is given, PATH and HOME', async () => {
    const { run } = await connect({ every: { ...real('everything', 'stdio'), env: { TOKEN: 'for it' } } });
    const { output } = await run('mcp:every/get-env');
    const { TOKEN, PATH, HOME, ...rest } = JSON.parse(output) as Record<string, string>;
    expect({ TOKEN, PATH, HOME }).toEqual({ TOKEN: 'for it', PATH: process.env['PATH'], HOME: process.env['HOME'] });
    expect(Object.keys(rest)).toEqual([]);
  });

  it('answers over streamable HTTP the same, and is called again after its own end', async () => {
    const port = await freePort();
    const first = await serve(port);
    const { servers, told, run } = await connect({ every: { url: `http://127.0.0.1:${port}/mcp` } });
    const { agent } = agentOf(script, { tools: servers.tools });
    const { toolCalls } = await agent.run('go');
    expect(outputs(toolCalls)).toEqual(expected);
    expect(told('progress')[0]).toBe('1 of 2'); // one that comes with the answer may be passed over

    await first();
    expect(await run('mcp:every/echo', { message: 'a' })).toMatchObject({
      isError: true,
      output: expect.stringMatching(/^the MCP server 'every' cannot be reached: .*not known/s),
    });
    await serve(port);
    expect(await run('mcp:every/echo', { message: 'b' })).toEqual({ isError: false, output: 'Echo: b' });
    expect(told('reconnected')).toHaveLength(1);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the server of everything over HTTP; gives what ends it. */
async function serve(port: number): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [programOf('everything'), 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = (): Promise<void> => {
    child.kill('SIGKILL');
    return ended;
  };
  atEnd(end);
  await new Promise<void>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => text.includes('listening') && resolve());
  });
  return end;
}
