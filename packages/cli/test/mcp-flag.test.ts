// Owns the laws of `--mcp`: servers of a file that was named are there for the run and end with it, and no other is started.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readServersFile } from '../src/mcp/servers-file.js';
import { commandIn, commandWith } from './command.js';

let dir: string;
const at = (name: string): string => join(dir, name);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcp-flag-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const script = fileURLToPath(new URL('../../mcp/test/hostile-server.mjs', import.meta.url));
/** A file with the server `a-b`, which notes in `log` that it has started. */
function serverFile(name = 'mcp.yaml', plan: object = {}): string {
  const args = [script, JSON.stringify({ log: at('log'), ...plan })];
  writeFileSync(at(name), JSON.stringify({ servers: { 'a-b': { command: process.execPath, args } } }));
  return name;
}
const pids = (): readonly number[] =>
  existsSync(at('log'))
    ? readFileSync(at('log'), 'utf8')
        .trim()
        .split('\n')
        .flatMap((line) => (JSON.parse(line) as { start?: number }).start ?? [])
    : [];
const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true; // swallows ESRCH
  }
};
/** The offline model knows the tool by its name on the wire. */
const echo = 'Use mcp_a-b_echo_5b07de9c {"word":"heard"}';
const silent = "rules:\n- { tools: 'mcp:a-b/echo', when: { /x: { equals: 1 } }, decision: deny, reason: r }\n";

describe('the file', () => {
  it('is settings of connectMcp; what is relative is meant from its folder', async () => {
    mkdirSync(at('sub'));
    writeFileSync(
      at('sub/mcp.yaml'),
      `servers:
  files: { command: ./serve, args: [a, ''], env: { A: b }, cwd: .., optional: true }
  here: { command: node }
  web: { url: https://h.example/mcp, headers: { x-a: b } }
`,
    );
    const { servers, placeOf } = await readServersFile(at('sub/mcp.yaml'));
    expect(placeOf('web')).toBe(`${at('sub/mcp.yaml')}:4:3`);
    expect(servers).toEqual({
      files: { command: './serve', args: ['a', ''], env: { A: 'b' }, cwd: dir, optional: true },
      here: { command: 'node', cwd: at('sub') },
      web: { url: 'https://h.example/mcp', headers: { 'x-a': 'b' } },
    });
  });

  it.each([
    ['servers:\n  a: { comand: x }', ':2:8: ', "did you mean 'command'?"],
    ['server: {}', ':1:1: ', "did you mean 'servers'?"],
    ['{}', ':1:1: ', "'servers' is missing"],
    ['servers: {}', ':1:10: ', 'write at least one'],
    ['servers:\n  a: {}', ':2:6: ', "'command' is missing"],
    ['servers:\n  a: { command: x, url: "http://h" }', ':2:20: ', 'keep one of them'],
    ['servers:\n  a: { url: "http://h", args: [] }', ':2:25: ', "'args' goes with a command"],
    ['servers:\n  a: { command: x, headers: {} }', ':2:20: ', "'headers' goes with a url"],
    ['servers:\n  a: { command: x, env: { PORT: 80 } }', ':2:33: ', 'put it in quotes'],
    ['servers:\n  a: { command: x, optional: yes please }', ':2:30: ', 'neither true nor false'],
    ['servers:\n  a: { url: "ftp://h" }', ':2:3: ', 'only https: and http:'],
    ['servers:\n  a: { url: "http://u:p@h" }', ':2:3: ', "give a header 'authorization'"],
    ['servers:\n  "a/b": { command: x }', ':2:3: ', 'no name for a server'],
    ['servers:\n  a: { command: x }\n  A: { command: x }', ':1:1: ', 'one name to a reader'],
  ])('%j is refused with its line and the mend', async (text, place, mend) => {
    writeFileSync(at('m.yaml'), text);
    const { code, stdout, stderr } = await commandIn(dir, 'run', 'hello', '--mcp', 'm.yaml');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`m.yaml${place}`);
    expect(stderr).toContain(mend);
  });
});

describe('a run with servers', () => {
  it('asks about their tools, and ends them', async () => {
    const { code, stderr } = await commandIn(dir, 'run', echo, '--mcp', serverFile());
    expect(code).toBe(4);
    expect(stderr).toContain("may 'mcp:a-b/echo' run? No rule names it");
    expect(pids()).toHaveLength(1);
    expect(pids().every(isGone)).toBe(true);
  });

  it('goes on with them, and not without the file', async () => {
    const { stderr } = await commandIn(dir, 'run', echo, '--mcp', serverFile());
    const [, session = '', request = ''] = /resume (session_[\w-]+) --yes (request_[\w-]+), or/.exec(stderr) ?? [];
    const file = readFileSync(at('mcp.yaml'), 'utf8');
    rmSync(at('mcp.yaml'));
    const gone = await commandIn(dir, 'session', 'resume', session, '--yes', request);
    expect(gone).toMatchObject({ code: 2, stdout: '' });
    expect(gone.stderr).toContain(`the file of MCP servers of the run, '${at('mcp.yaml')}', is not there any more`);
    expect(pids()).toHaveLength(1);
    writeFileSync(at('mcp.yaml'), file);
    const resumed = await commandIn(dir, 'session', 'resume', session, '--yes', request);
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('{"word":"heard"}')]);
    expect([pids().length, pids().every(isGone)]).toEqual([2, true]);
  });

  it('a rule that names a tool lifts the question', async () => {
    writeFileSync(at('policy.yaml'), silent);
    const { code, stdout } = await commandIn(dir, 'run', echo, '--mcp', serverFile(), '--policy=policy.yaml');
    expect([code, stdout]).toEqual([0, expect.stringContaining('{"word":"heard"}')]);
  });

  it('asks about none as about a built-in tool that is called alike', async () => {
    writeFileSync(at('policy.yaml'), 'unlisted: { mcp: silent }\nrules: []\n');
    for (const [tool, code] of [
      ['mcp:a-b/write_file', 0],
      ['write_file', 4],
    ] as const) {
      const explained = await commandIn(
        dir,
        'policy',
        'explain',
        tool,
        '{"path":"x","content":"y"}',
        '--policy=policy.yaml',
      );
      expect(explained.stdout.includes('asked about by default:changes')).toBe(code === 4);
    }
  });

  it('is not begun when one of them fails: the end of its stderr is told', async () => {
    const file = serverFile('mcp.yaml', { initialize: 'exit', stderr: 'no such disk\n' });
    const { code, stdout, stderr } = await commandIn(dir, 'run', echo, '--mcp', file);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain("MCP server 'a-b' wrote: no such disk");
    expect(pids().every(isGone)).toBe(true);
  });

  it('is told with its place and the mend when its program is not there', async () => {
    writeFileSync(at('m.yaml'), 'servers:\n  files: { command: ./serve }\n');
    const { code, stderr } = await commandIn(dir, 'run', 'hello', '--mcp', 'm.yaml');
    expect([code, stderr]).toEqual([
      2,
      `treblehook: the MCP server 'files' (${at('m.yaml')}:2:3) cannot be started: there is no program './serve': install it, or mend its command\n`,
    ]);
  });

  it('leaves none of them when the host cannot be made', async () => {
    const { code } = await commandIn(dir, 'run', echo, '--mcp', serverFile(), '--model', 'nobody:x');
    expect([code, pids().length, pids().every(isGone)]).toEqual([2, 1, true]);
  });

  it.each([
    ['while it connects', { list: 'hang' }, echo],
    ['in a call', { as: { echo: 'hang' } }, echo],
  ])('that is interrupted %s ends them', async (_, plan, prompt) => {
    writeFileSync(at('policy.yaml'), silent);
    const interrupt = new AbortController();
    const within = { cwd: dir, env: {}, signal: interrupt.signal };
    const running = commandWith(within, 'run', prompt, '--mcp', serverFile('m.yaml', plan), '--policy=policy.yaml');
    const method = 'list' in plan ? 'tools/list' : 'tools/call';
    while (!(existsSync(at('log')) && readFileSync(at('log'), 'utf8').includes(method))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    interrupt.abort(new Error('interrupted'));
    expect((await running).code).toBe(130);
    expect([pids().length, pids().every(isGone)]).toEqual([1, true]);
  });
});

it('a file that nobody has named starts nothing, whatever it is called', async () => {
  mkdirSync(at('.treblehook'));
  for (const name of ['.mcp.json', 'mcp.json', 'mcp.yaml', '.treblehook/mcp.yaml', '.treblehook/mcp.json'])
    serverFile(name);
  expect((await commandIn(dir, 'run', 'what is in here?')).code).toBe(0);
  expect(pids()).toEqual([]);
});
