// Owns the laws of questions on a real terminal: what is shown, which keys decide, and what is left for later.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionDocument } from '@treblehook/cli';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { build, treblehook } from './command-line.js';

beforeAll(build, 120_000);
const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of cleanup.splice(0).toReversed()) await one();
});

/** Python's and util-linux's terminals differ; this one is asked for. */
const hasScript = await new Promise<boolean>((resolve) => {
  execFile('script', ['--version'], (error) => resolve(error === null));
});
const bin = join(import.meta.dirname, '../packages/cli/dist/bin.js');
const [down, up, enter, interrupt, endOfInput] = ['\u001B[B', '\u001B[A', '\r', '\u0003', '\u0004'];
const [menu, why] = ['this same call', 'Why not?'];
const run = ['run', 'Use read_file on "a.txt".', '--policy', 'policy.yaml'];

async function place(): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'treblehook-terminal-')));
  cleanup.push(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, 'a.txt'), 'the secret of a\n');
  await writeFile(join(dir, 'b.txt'), 'the letter b\n');
  await writeFile(join(dir, 'policy.yaml'), 'rules:\n- { tools: read_file, decision: ask, reason: may it? }\n');
  return dir;
}

type Keys = readonly (readonly [seen: string, keys: string])[];

/** Types keys when their text comes on the screen; those of an empty text at once, before anything is there. */
async function typed(cwd: string, argv: readonly string[], keys: Keys, behind = '') {
  const words = argv.map((word) => `'${word}'`).join(' ');
  // a terminal that was opened by a program has no size of its own
  const command = `stty cols 100 rows 40; exec '${process.execPath}' '${bin}' ${words} ${behind}`;
  const env = { ...process.env, NODE_OPTIONS: '', TERM: 'xterm', CI: '' };
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  cleanup.push(() => child.kill('SIGKILL'));
  let screen = '';
  let from = 0;
  const left = [...keys];
  const type = (): void => {
    const next = left[0];
    const at = next === undefined ? -1 : screen.indexOf(next[0], from);
    if (next === undefined || at < 0) return;
    from = at + next[0].length;
    left.shift();
    child.stdin.write(next[1]);
  };
  type();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    type();
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, screen };
}

async function last(cwd: string): Promise<SessionDocument> {
  const json = async (...argv: string[]): Promise<unknown> =>
    JSON.parse((await treblehook(['session', ...argv, '--json'], { cwd })).stdout);
  const { sessions } = (await json('list')) as { sessions: { sessionId: string }[] };
  return (await json('show', sessions[0]!.sessionId)) as SessionDocument;
}

describe.skipIf(!hasScript)('on a terminal', () => {
  it('the call is shown whole, and a yes runs it', async () => {
    const { code, screen } = await typed(await place(), run, [[menu, down + enter]]);
    expect(code).toBe(0);
    for (const word of ['"path": "a.txt"', 'tool-policy, rule #1 asks: may it?', 'the secret of a'])
      expect(screen).toContain(word);
  });

  it('Ctrl-C at the question ends the run with 130, and nothing has run', async () => {
    const dir = await place();
    const { code, screen } = await typed(dir, run, [[menu, interrupt]]);
    expect(code).toBe(130);
    expect(screen).toContain('interrupted');
    expect(screen).not.toContain('the secret of a');
    const { state, open, runs } = await last(dir);
    expect([state, open, runs[0]!.status]).toEqual(['settled', [], 'aborted']);
  });

  it.each([
    ['Ctrl-D at the question', [[menu, endOfInput]]],
    [
      'Ctrl-D at the reason',
      [
        [menu, enter],
        [why, endOfInput],
      ],
    ],
    ['later', [[menu, down.repeat(9) + enter]]],
  ] as const)('%s leaves the run waiting, with 4 and how to go on', async (_, keys) => {
    const dir = await place();
    const { code, screen } = await typed(dir, run, keys);
    expect(code).toBe(4);
    expect(screen).toMatch(/go on by treblehook session resume session_\S+ --yes request_/);
    expect(screen).not.toContain('Warning');
    const { state, open } = await last(dir);
    expect([state, open.length]).toEqual(['waiting', 1]);
  });

  it('Ctrl-C at the question of a run that is resumed leaves it waiting as it was', async () => {
    const dir = await place();
    await treblehook(run, { cwd: dir });
    const before = await last(dir);
    const { code } = await typed(dir, ['session', 'resume', before.sessionId], [[menu, interrupt]]);
    expect(code).toBe(4);
    expect(await last(dir)).toMatchObject({ state: 'waiting', open: [{ id: before.open[0]!.id }] });
  });

  it('no letter chooses, and above the first choice there is nothing', async () => {
    const { code, screen } = await typed(await place(), run, [
      [menu, `hjklyes${up.repeat(3)}${enter}`],
      [why, enter],
    ]);
    expect(code).toBe(0);
    expect(screen).not.toContain('the secret of a');
  });

  it('what was typed ahead answers nothing', async () => {
    const dir = await place();
    const { code, screen } = await typed(dir, run, [
      ['', `h${enter}${down}${enter}`],
      [menu, endOfInput],
    ]);
    expect([code, (await last(dir)).state]).toEqual([4, 'waiting']);
    expect(screen).not.toContain('the secret of a');
  });

  it('where stdout is none nobody is asked, and stderr says why', async () => {
    const dir = await place();
    const piped = await typed(dir, run, [], '> out.txt');
    expect([piped.code, piped.screen]).toEqual([4, expect.stringContaining('a terminal at both stdin and stdout')]);
    const { screen } = await typed(dir, [...run, '--json'], []);
    expect(screen).toContain('nobody was asked: with --json');
  });

  it('the arguments can be edited: those run, and the log has them', async () => {
    const dir = await place();
    const { code, screen } = await typed(dir, run, [
      [menu, down.repeat(3) + enter],
      ['The arguments', `\u0015{"path":"b.txt"}${enter}`],
    ]);
    expect(code).toBe(0);
    expect(screen).toContain('the letter b');
    expect(screen).not.toContain('the secret of a');
    const [call] = (await last(dir)).runs[0]!.turns[0]!.calls;
    expect(call).toMatchObject({ args: { path: 'a.txt' }, sealed: { args: { path: 'b.txt' } }, fate: 'ok' });
  });

  it('what would be run and changed is shown: the command taken apart, the diff of the file', async () => {
    const dir = await place();
    const shell = String.raw`Use run_command {"command":{"shell":"touch x; sudo rm -r b.txt > log"}}`;
    const command = await typed(
      dir,
      ['run', shell, '--tools', 'run_command'],
      [
        [menu, enter],
        [why, enter],
      ],
    );
    for (const line of ['it runs: touch x', 'it runs: rm -r b.txt (behind sudo)', 'default:commands'])
      expect(command.screen).toContain(line);
    const prompt = 'Use edit_file {"path":"b.txt","oldText":"letter","newText":"sign"}';
    const edit = await typed(dir, ['run', prompt, '--tools=all'], [[menu, down + enter]]);
    expect(edit.code).toBe(0);
    for (const line of ['it changes b.txt', '-the letter b', '+the sign b']) expect(edit.screen).toContain(line);
    expect(await readFile(join(dir, 'b.txt'), 'utf8')).toBe('the sign b\n');
  });

  it('a preview that fails is shown as that, and the question is put', async () => {
    const prompt = 'Use edit_file {"path":"b.txt","oldText":"nothing","newText":"sign"}';
    const { code, screen } = await typed(
      await place(),
      ['run', prompt, '--tools=all'],
      [
        [menu, enter],
        [why, enter],
      ],
    );
    expect(code).toBe(0);
    expect(screen).toContain('what it would change cannot be shown: ');
  });

  it('Ctrl-C at the question about a tool of a server ends the server, too', async () => {
    const dir = await place();
    const args = [
      join(import.meta.dirname, '../packages/mcp/test/hostile-server.mjs'),
      `{"log":"${join(dir, 'log')}"}`,
    ];
    await writeFile(join(dir, 'mcp.json'), JSON.stringify({ servers: { 'a-b': { command: process.execPath, args } } }));
    // its name on the wire
    const prompt = 'Use mcp_a-b_echo_5b07de9c {"word":"heard"}';
    const { code, screen } = await typed(dir, ['run', prompt, '--mcp', 'mcp.json'], [[menu, interrupt]]);
    expect([code, screen]).toEqual([130, expect.stringContaining('mcp:a-b/echo (mcp:a-b)')]);
    const [first = ''] = (await readFile(join(dir, 'log'), 'utf8')).split('\n');
    const { start } = JSON.parse(first) as { readonly start: number };
    expect(() => process.kill(start, 0)).toThrow('ESRCH');
  });
});
