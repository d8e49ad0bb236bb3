/** From the first process to the last: what starts, what it is given, and that nothing is left. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { connectMcp } from '../src/index.js';
import { connect, eventually, folder, hostile, isAlive, logged, named, real } from './kit.js';

const pidsOf = async (log: string): Promise<number[]> =>
  (await logged(log)).flatMap(({ start }) => (start as number) ?? []);

describe('the environment of a server process', () => {
  it('is PATH and HOME, and what it is given; what it is given goes first', async () => {
    process.env['TH_TEST_SECRET'] = 'a secret of this process';
    try {
      const env = { TOKEN: 't', HOME: '/nowhere' };
      const { run } = await connect({ s: hostile({ tools: named('env') }, { env }) });
      const { __CF_USER_TEXT_ENCODING: _mac, ...seen } = JSON.parse((await run('mcp:s/env')).output) as Record<
        string,
        string
      >;
      expect(seen).toEqual({ PATH: process.env['PATH'], HOME: '/nowhere', TOKEN: 't' });
    } finally {
      delete process.env['TH_TEST_SECRET'];
    }
  });
});

describe('connecting', () => {
  it('fails whole when one server fails: the others are ended', async () => {
    const log = join(await folder(), 'log');
    const failed = connectMcp({
      good: hostile({ log }),
      bad: hostile({ log, initialize: 'exit', stderr: 'no licence' }),
    });
    await expect(failed).rejects.toMatchObject({
      code: 'TH_MCP_FAILED',
      message: "the MCP server 'bad' has ended (exit code 7). The end of its stderr: no licence",
      details: { server: 'bad', stderr: 'no licence' },
    });
    expect((await pidsOf(log)).map(isAlive)).toEqual([false, false]);
  });

  it('leaves out an optional server that fails, until a refresh succeeds', async () => {
    const missing = { command: '/nowhere/at/all', optional: true };
    const { names, told, servers } = await connect({ good: hostile(), missing });
    expect(names()).toEqual(['mcp:good/echo']);
    expect(told('server-failed')).toEqual([
      "cannot be started: there is no program '/nowhere/at/all': install it, or mend its command",
    ]);
    await expect(servers.refresh()).resolves.toBeUndefined();
    expect(servers.describe().map(({ state }) => state)).toEqual(['connected', 'down']);
  });

  it.each([
    [
      'a program that is not there',
      { command: '/nowhere/at/all' },
      /cannot be started: there is no program '\/nowhere\/at\/all': install it, or mend its command/,
    ],
    [
      'a folder that is not there',
      { command: process.execPath, cwd: '/nowhere/at/all' },
      /cannot be started: there is no folder '\/nowhere\/at\/all' to start it in: mend its cwd/,
    ],
    [
      'arguments that are too long',
      { command: process.execPath, args: ['x'.repeat(3_000_000)] },
      /cannot be started: .*E2BIG/,
    ],
    [
      'a program that ends',
      { command: process.execPath, args: ['-e', 'process.exit(3)'] },
      /has ended \(exit code 3\)/,
    ],
    [
      'a program that says something else',
      { command: process.execPath, args: ['-e', 'console.log(1)'] },
      /has ended \(exit code 0\)/,
    ],
  ])('refuses %s', async (_, server, why) => {
    await expect(connectMcp({ s: server }, { onNotice: () => {} })).rejects.toMatchObject({
      code: 'TH_MCP_FAILED',
      message: expect.stringMatching(why),
    });
  });

  it('refuses a server of a protocol that is not spoken', async () => {
    await expect(connectMcp({ s: hostile({ protocolVersion: '1999-01-01' }) })).rejects.toMatchObject({
      message: expect.stringMatching(/1999-01-01/),
    });
  });

  it('is given up on by its signal: what was started is ended', async () => {
    const log = join(await folder(), 'log');
    const stop = new AbortController();
    const connecting = connectMcp({ s: hostile({ log, initialize: 'hang' }) }, { signal: stop.signal });
    await eventually(async () => (await pidsOf(log)).length > 0);
    stop.abort(new Error('changed my mind'));
    await expect(connecting).rejects.toThrow('changed my mind');
    expect((await pidsOf(log)).map(isAlive)).toEqual([false]);
    await expect(connectMcp({ s: hostile({ log }) }, { signal: stop.signal })).rejects.toThrow('changed my mind');
    expect(await pidsOf(log)).toHaveLength(1);
  });
});

describe('closing', () => {
  it('ends every process, and open calls with an error; twice is once', async () => {
    const log = join(await folder(), 'log');
    const { servers, run, names } = await connect({ s: hostile({ log, tools: named('hang') }) });
    const open = run('mcp:s/hang');
    await eventually(async () => (await logged(log)).some(({ method }) => method === 'tools/call'));
    await Promise.all([servers.close(), servers.close()]);
    expect(await open).toEqual({
      isError: true,
      output: "the MCP server 's' was closed during the call; what the call has done is not known",
    });
    expect((await pidsOf(log)).map(isAlive)).toEqual([false]);
    expect(await run('mcp:s/hang')).toEqual({ isError: true, output: "not called: the MCP server 's' was closed" });
    await expect(servers.refresh()).rejects.toMatchObject({ code: 'TH_MCP_FAILED' });
    expect(servers.describe()).toMatchObject([{ state: 'closed', tools: names() }]);
    expect(await pidsOf(log)).toHaveLength(1);
  });

  it('asks a server that does not go, and then ends it', async () => {
    const log = join(await folder(), 'log');
    const { servers } = await connect({ s: hostile({ log, stubborn: true }) }, { closeGraceMs: 200 });
    await servers.close();
    expect((await pidsOf(log)).map(isAlive)).toEqual([false]);
    expect(await logged(log)).toContainEqual({ signal: 'SIGTERM' });
  });

  it.skipIf(process.platform === 'win32')('ends what the server has started, too', async () => {
    const { servers, run } = await connect({ s: hostile({ tools: named('child') }) }, { closeGraceMs: 200 });
    const pid = Number((await run('mcp:s/child')).output);
    expect(isAlive(pid)).toBe(true);
    await servers.close();
    await eventually(() => !isAlive(pid));
  });

  it('while a server is being connected again leaves nothing', async () => {
    const log = join(await folder(), 'log');
    const { servers, run } = await connect({ s: hostile({ log, tools: named('die', 'echo') }) });
    await run('mcp:s/die');
    const late = run('mcp:s/echo');
    await servers.close();
    expect(await late).toMatchObject({ isError: true });
    expect((await pidsOf(log)).map(isAlive)).not.toContain(true);
  });

  it('leaves no timer and no handle: a program that has closed ends by itself', () => {
    const program = fileURLToPath(new URL('closing-program.ts', import.meta.url));
    const { command, args = [] } = real('everything', 'stdio');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', program, JSON.stringify({ command, args })],
      { encoding: 'utf8', timeout: 15_000 },
    );
    expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: '', stdout: 'Echo: hi\nclosed\n' });
  });
});
