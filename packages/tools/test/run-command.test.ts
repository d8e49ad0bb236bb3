// Owns the laws of run_command: what is run is what was sealed, it ends in time, and nothing of it is left.
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandTool, type CommandOptions } from '../src/index.js';
import { body, refusal, run, sealed } from './run-tool.js';
import { folderWith } from './temp.js';

const node = process.execPath;
const js = (program: string, ...rest: string[]): string[] => [node, '-e', program, ...rest];
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // swallows "no such process", which is the answer
  }
};
/** A process that has ended may wait a moment for its parent, or for the first process, to look. */
async function isGone(pid: number): Promise<boolean> {
  for (let look = 0; look < 200; look++) {
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => 'gone');
    if (!isAlive(pid) || state === 'gone' || / Z /.test(state)) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}
async function toolIn(files: Record<string, string> = {}, options: CommandOptions = {}) {
  const dir = await folderWith(files);
  const tool = runCommandTool(dir, { graceMs: 150, ...options });
  const command = (args: object, signal?: AbortSignal) => run(tool, args, signal);
  return { dir, tool, command };
}
const pidIn = async (dir: string, name = 'pid'): Promise<number> => {
  for (;;) {
    const text = await readFile(join(dir, name), 'utf8').catch(() => '');
    if (/^\d+\n$/.test(text)) return Number(text);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

describe('what is run', () => {
  it('is a list of words that no shell reads', async () => {
    const { command } = await toolIn();
    const words = ['$HOME', '`id`', '; echo no', 'a  b', '*', "'"];
    const { output, isError, metadata } = await command({
      command: js('console.log(JSON.stringify(process.argv.slice(1)))', ...words),
    });
    expect(output).toBe(`${JSON.stringify(words)}\n[exit code 0]`);
    expect(isError).toBe(false);
    expect(metadata).toMatchObject({ exitCode: 0, signal: null, timedOut: false, leftOver: false, escaped: false });
  });

  it('is a line for a shell only in the form that says so, and not at all where the host refuses it', async () => {
    const { command } = await toolIn();
    expect((await command({ command: { shell: 'echo a | tr a b; exit 3' } })).output).toBe('b\n[exit code 3]');
    await expect(command({ command: 'echo a' })).rejects.toThrow();
    await expect(command({ command: ['echo a'] })).rejects.toThrow("there is no program 'echo a'");
    const { command: strict, tool } = await toolIn({}, { shell: false });
    await expect(strict({ command: { shell: 'echo a' } })).rejects.toThrow();
    expect(JSON.stringify(tool.input['~standard'].jsonSchema!.input({ target: 'draft-2020-12' }))).not.toContain(
      'shell"',
    );
  });

  it('is refused when it is nothing that could be run', async () => {
    const { command } = await toolIn({ 'plain.txt': 'x' });
    for (const bad of [[], [''], ['a\0b'], [1], {}, { shell: '' }, { shell: 'a', more: 1 }, { shell: 'a\0' }]) {
      await expect(command({ command: bad }), JSON.stringify(bad)).rejects.toThrow();
    }
    expect(await refusal(command({ command: ['no-such-program'] }))).toMatchObject({
      code: 'spawn',
      message: "there is no program 'no-such-program': check its name, or give its path",
    });
    expect(await refusal(command({ command: ['./plain.txt'] }))).toMatchObject({
      code: 'spawn',
      message: expect.stringMatching(/may not be run/),
    });
    const long = await refusal(command({ command: ['echo', 'x'.repeat(3_000_000)] }));
    expect(long).toMatchObject({ code: 'spawn', message: expect.stringMatching(/too long/) });
  });

  it('is declared as a command, its folder as a path', async () => {
    const { tool } = await toolIn();
    expect([tool.commands, tool.paths, tool.concurrency]).toEqual([['command'], ['cwd'], 'exclusive']);
  });
});

describe('where it is run', () => {
  it('is a folder inside, sealed in its normal form', async () => {
    const { command, dir, tool } = await toolIn({ 'sub/x': '' });
    await symlink('sub', join(dir, 'link'));
    expect(await sealed(tool, { command: ['x'], cwd: './link/' })).toMatchObject({ cwd: 'sub' });
    expect((await command({ command: js('console.log(process.cwd())'), cwd: 'link' })).output).toBe(
      `${join(dir, 'sub')}\n[exit code 0]`,
    );
  });

  it('is never outside, by no spelling and no link', async () => {
    const base = await folderWith({ 'in/x': '', 'out/y': '' });
    await symlink(join(base, 'out'), join(base, 'in/link'));
    const tool = runCommandTool(join(base, 'in'));
    for (const cwd of ['..', '../out', join(base, 'out'), '/', 'link', 'x', 'gone', '~', 'C:\\', 'a\0', '']) {
      for (const use of [run, body]) {
        const said = await refusal(use(tool, { command: js('1'), cwd, timeoutMs: 5_000 }));
        expect(said.message, cwd).not.toMatch(/^it was taken/);
      }
    }
  });

  it.runIf(process.platform === 'linux')(
    'is the folder that was found, though another is put in its place',
    async () => {
      const base = await folderWith({ 'in/d/f': 'mine', 'out/f': 'hush' });
      const tool = runCommandTool(join(base, 'in'));
      // the program is started in a folder that is held open: what its name leads to by then does not count
      const program = `const fs = require('fs'); fs.renameSync('${base}/in/d', '${base}/in/was'); fs.symlinkSync('${base}/out', '${base}/in/d'); console.log(fs.readFileSync('f', 'utf8'))`;
      expect((await run(tool, { command: js(program), cwd: 'd' })).output).toBe('mine\n[exit code 0]');
    },
  );
});

describe('what it is given', () => {
  it('is no variable that was not named, and no input', async () => {
    const environment = { PATH: process.env['PATH'], HOME: '/home/x', API_KEY: 'hush', EXTRA: 'yes', LANG: 'C' };
    const { command } = await toolIn({}, { environment, env: ['EXTRA', 'ABSENT'] });
    const { output } = await command({ command: js('console.log(Object.keys(process.env).sort().join())') });
    expect(output).toBe('EXTRA,LANG,PATH,TERM\n[exit code 0]');
    const read = js("process.stdin.on('data', () => {}).on('end', () => console.log('end'))");
    expect((await command({ command: read })).output).toBe('end\n[exit code 0]');
  });
});

describe('when it ends', () => {
  it('its time is over, and its group with it, though it ignores the request', async () => {
    const { command, dir } = await toolIn();
    const began = performance.now();
    const shell = `trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo $! > pid; echo so far; while :; do sleep 1; done`;
    const { output, isError, metadata } = await command({ command: { shell }, timeoutMs: 300 });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(output).toBe('so far\n[ended after its 300 ms]');
    expect(isError).toBe(true);
    expect(metadata).toMatchObject({ timedOut: true, signal: 'SIGKILL', exitCode: null });
    expect(await isGone(await pidIn(dir))).toBe(true);
  });

  it('one that ends itself when it is asked to is not ended by force', async () => {
    const { command } = await toolIn({}, { graceMs: 5_000 });
    const program =
      "process.on('SIGTERM', () => { console.log('goodbye'); process.exit(7); }); setInterval(() => {}, 1000)";
    const { output, metadata } = await command({ command: js(program), timeoutMs: 1_500 });
    expect(output).toBe('goodbye\n[ended after its 1500 ms]');
    expect(metadata).toMatchObject({ timedOut: true, exitCode: 7 });
  });

  it('an abort ends the group and rejects with its reason', async () => {
    const { command, dir } = await toolIn();
    const abort = new AbortController();
    const reason = new Error('enough');
    const work = command({ command: { shell: 'sleep 100 & echo $! > pid; sleep 100' } }, abort.signal);
    const pid = await pidIn(dir);
    abort.abort(reason);
    await expect(work).rejects.toBe(reason);
    expect(await isGone(pid)).toBe(true);
    await expect(command({ command: ['echo'] }, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('what it leaves in the background is ended, whether it holds the output or not', async () => {
    const { command, dir } = await toolIn();
    for (const redirect of ['', '> log 2>&1']) {
      const began = performance.now();
      const { output } = await command({ command: { shell: `sleep 100 ${redirect} & echo $! > pid; echo done` } });
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(output).toBe('done\n[exit code 0; what it left running was ended]');
      expect(await isGone(await pidIn(dir))).toBe(true);
      await writeFile(join(dir, 'pid'), '');
    }
  });

  it('one that has left the group and holds the output is not waited for, and is told', async () => {
    const { command, dir } = await toolIn();
    const program = `const c = require('child_process').spawn('sleep', ['100'], { detached: true, stdio: 'inherit' }); require('fs').writeFileSync('pid', c.pid + '\\n'); c.unref(); console.log('done')`;
    const { output } = await command({ command: js(program) });
    expect(output).toBe('done\n[exit code 0; something has left its process group, and may still be running]');
    process.kill(await pidIn(dir), 'SIGKILL');
  });

  it('by a signal says so', async () => {
    const { command } = await toolIn();
    const { output, isError } = await command({ command: { shell: 'kill -SEGV $$' } });
    expect([output, isError]).toEqual(['(no output)\n[ended by SIGSEGV (11)]', true]);
  });

  it('leaves no handle, no listener and no child', async () => {
    const { command } = await toolIn();
    const count = () => [
      process.getActiveResourcesInfo().filter((kind) => /Process|Pipe/.test(kind)).length,
      process.listenerCount('exit'),
    ];
    const before = count();
    await Promise.all(Array.from({ length: 12 }, (_, at) => command({ command: ['echo', String(at)] })));
    await command({ command: { shell: 'sleep 100 & exit 1' } });
    await refusal(command({ command: ['no-such-program'] }));
    await expect.poll(count).toEqual(before);
  });
});

describe('what it says', () => {
  it('is both streams, as they come', async () => {
    const { command } = await toolIn();
    const shell = 'echo one; sleep 0.1; echo two >&2; sleep 0.1; echo three';
    expect((await command({ command: { shell } })).output).toBe('one\ntwo\nthree\n[exit code 0]');
  });

  it('is kept from both ends, and the cut is said, never in the middle of a character', async () => {
    const { command } = await toolIn({}, { maxOutputBytes: 20 });
    const { output, metadata } = await command({
      command: js("process.stdout.write('ä'.repeat(5000) + 'ü'.repeat(5001))"),
    });
    expect(output).toBe(`${'ä'.repeat(5)}\n[… 19982 bytes are left out …]\n${'ü'.repeat(5)}\n[exit code 0]`);
    expect(metadata).toMatchObject({ bytes: 20_002 });
    const odd = await toolIn({}, { maxOutputBytes: 22 });
    expect((await odd.command({ command: js("process.stdout.write('ä'.repeat(500))") })).output).toMatch(
      /^ä{5}\n\[… 978 bytes are left out …\]\nä{5}\n/,
    );
  });

  it('may be endless', async () => {
    const { command } = await toolIn({}, { maxOutputBytes: 1_000 });
    const { output, metadata } = await command({ command: ['yes'], timeoutMs: 300 });
    expect(output.length).toBeLessThan(1_200);
    expect(output).toMatch(/^y\ny\n[^]*bytes are left out[^]*ended after its 300 ms\]$/);
    expect((metadata as { bytes: number }).bytes).toBeGreaterThan(10_000);
  });

  it('moves no cursor, hides no line, and is told when it is no text', async () => {
    const { command } = await toolIn();
    const say = (text: string) => command({ command: js(`process.stdout.write(${JSON.stringify(text)})`) });
    expect((await say('\u001b[31mred\u001b[0m\r\n\u202eleft\u0007')).output).toBe(
      'red\n\\u202eleft\\u0007\n[exit code 0]',
    );
    const bytes = js('process.stdout.write(Buffer.from(Array.from({ length: 256 }, (_, at) => at)))');
    expect((await command({ command: bytes })).output).toBe('[256 bytes that are no text]\n[exit code 0]');
  });
});

it.each([
  [{ timeout: 1 }, /'timeout' is no option of run_command: did you mean 'timeoutMs'/],
  [{ timeoutMs: 0 }, /'timeoutMs' of run_command cannot be 0/],
  [{ env: 'PATH' }, /'env' of run_command cannot be "PATH"/],
  [{ shell: true }, /'shell' of run_command cannot be true/],
  [{ timeoutMs: 700_000 }, /more than 'maxTimeoutMs'/],
])('the option %j is refused', async (options, why) => {
  const dir = await folderWith();
  expect(() => runCommandTool(dir, options as never)).toThrow(
    expect.objectContaining({ code: 'TH_OPTION_INVALID', message: expect.stringMatching(why) }),
  );
});

describe('arguments that do not fit are refused with the mend', () => {
  it.each([
    [
      {},
      /^write the program and its arguments as a list of texts, such as \["ls", "-l"\], or a line for a shell as \{ "shell"/,
    ],
    [{ command: 'ls -l' }, /^write the program and its arguments as a list/],
    [{ command: ['ls', 1] }, /^write the program and its arguments as a list of texts/],
    [{ command: { line: 'ls' } }, /or a line for a shell as \{ "shell": "ls -l" \}$/],
    [{ command: [] }, /^it names no program: write the program/],
    [{ command: [''] }, /^the program has no name: write the program/],
    [{ command: { shell: '' } }, /^the line is empty: write what/],
    [{ command: ['ls'], timeoutMs: '5' }, /^write a whole number of milliseconds, from 1 to 600000$/],
    [{ command: ['ls'], timeoutMs: 0 }, /^write a whole number of milliseconds, from 1 to 600000$/],
    [{ command: ['ls'], timeoutMs: 1e9 }, /^write a whole number of milliseconds, from 1 to 600000$/],
    [{ command: ['ls'], env: {} }, /^there is no 'env': there is command, cwd, timeoutMs$/],
    [{ command: ['ls'], cdw: '.' }, /^there is no 'cdw': did you mean 'cwd'\?$/],
  ])('%j', async (args, mend) => {
    expect((await refusal(sealed(runCommandTool(tmpdir()), args))).message).toMatch(mend);
  });

  it('names no shell where there is none', async () => {
    const tool = runCommandTool(tmpdir(), { shell: false });
    expect((await refusal(sealed(tool, { command: { shell: 'ls' } }))).message).toMatch(/such as \["ls", "-l"\]$/);
  });
});
