// Owns the laws of the command line as people run it: a process, its streams, its exit code.
import { chmod, mkdir, mkdtemp, open, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { anthropicWire, openaiWire, type Script, type Wire } from '../packages/providers/test/wire/index.js';
import { besideSession, build, start, treblehook } from './command-line.js';

const key = 'sk-very-secret-0123456789';
beforeAll(build, 120_000);
const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(cleanup.splice(0).map((one) => one()));
});

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'treblehook-')));
  cleanup.push(() => rm(dir, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), content);
  }
  return dir;
}
async function wired(serve: typeof openaiWire, script: Script): Promise<Wire> {
  const wire = await serve(script, { key });
  cleanup.push(() => wire.close());
  return wire;
}
const dialects = [
  ['openai-compatible', openaiWire],
  ['anthropic', anthropicWire],
] as const;
/** The key of every URL that is no house's own. */
const variable = 'TREBLEHOOK_API_KEY';

/** One line that begins with the name of the program, and no stack. */
function expectOneLine(said: string): void {
  const stderr = besideSession(said);
  expect(stderr).toMatch(/^treblehook: [^\n]+\n$/);
  expect(stderr).not.toMatch(/\n\s+at /);
}

describe.each(dialects)('over %s', (provider, serve) => {
  const modelAt = (wire: Wire) => `${provider}:m1@${wire.url}`;

  it('an answer is streamed, its tool calls are run, and stdout has the answer alone', async () => {
    const wire = await wired(serve, [
      { text: 'Let me look.', calls: [{ id: 'c1', name: 'read_file', args: { path: 'a.txt' } }] },
      { text: ['It says ', 'hello.'] },
    ]);
    const dir = await folderWith({ 'a.txt': 'hello' });
    const { code, stdout, stderr } = await treblehook(
      ['run', 'what is in a.txt?', '--dir', dir, '--model', modelAt(wire)],
      {
        env: { [variable]: key },
      },
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Let me look.\nIt says hello.\n' });
    expect(besideSession(stderr)).toBe('· read_file {"path":"a.txt"}\n');
    expect(JSON.stringify(wire.requests[1]!.body)).toContain('hello');
  });

  it('a policy denies the call, the file is not read, and the trace says why', async () => {
    const wire = await wired(serve, [
      { calls: [{ id: 'c1', name: 'read_file', args: { path: 'keys.env' } }] },
      { text: 'I may not.' },
    ]);
    const dir = await folderWith({
      'keys.env': 'HUSH=1',
      'policy.yaml':
        'rules:\n- tools: read_file\n  when: { /path: { glob: "*.env" } }\n  decision: deny\n  reason: secrets stay\n',
    });
    const { code, stdout, stderr } = await treblehook(
      ['run', 'read keys.env', '--model', modelAt(wire), '--policy', 'policy.yaml', '--trace'],
      { cwd: dir, env: { [variable]: key } },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^I may not\.\n\nturn  hook .*\n/);
    expect(stdout).toMatch(/toolPolicy read_file +tool-policy +denied +\d+\.\d +secrets stay \(rule #1\)/);
    expect(besideSession(stderr)).toBe(
      '· read_file {"path":"keys.env"}\n· read_file denied by \'tool-policy\' (rule \'#1\'): secrets stay\n',
    );
    expect(JSON.stringify(wire.requests[1]!.body)).not.toContain('HUSH');
  });

  it('a 401 names the endpoint, ends with 1, and has no key in any output', async () => {
    const wire = await wired(serve, []);
    const wrong = 'sk-wrong-key-9876543210';
    for (const more of [[], ['--json', '--trace']]) {
      const { code, stdout, stderr } = await treblehook(['run', 'hi', '--model', modelAt(wire), ...more], {
        env: { [variable]: wrong },
      });
      expect(code).toBe(1);
      expectOneLine(stderr);
      expect(stderr).toContain(wire.url);
      expect(stderr).toContain('401');
      expect(stderr).toContain('TH_MODEL_HTTP');
      expect(stdout + stderr).not.toContain(wrong);
    }
  });

  it('a key that the model speaks, in one piece or in many, is in no output; a URL that it speaks is left as it is', async () => {
    const text = ['the key is ', ...key.split(''), ' and a URL http://me:', 'secret@host', '/x, ', key.slice(0, 5)];
    for (const more of [[], ['--json'], ['--trace']]) {
      const wire = await wired(serve, [{ text }]);
      const { code, stdout, stderr } = await treblehook(['run', 'hi', '--model', modelAt(wire), ...more], {
        env: { [variable]: key },
      });
      expect(code).toBe(0);
      const said = `the key is [redacted] and a URL http://me:secret@host/x, ${key.slice(0, 5)}`;
      expect(stdout).toContain(more[0] === '--json' ? `"text": "${said}"` : `${said}\n`);
      expect(stdout + stderr).not.toContain(key);
    }
  });

  it('a URL that a personality file names gets no key, and the same by --model does', async () => {
    const wire = await wired(serve, [{ text: 'refused before it is said' }, { text: 'hello' }]);
    const dir = await folderWith({ 'p.yaml': `id: p\nmodel: ${modelAt(wire)}\n` });
    const env = { TREBLEHOOK_API_KEY: key, OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key };
    const refused = await treblehook(['run', 'hi', '--personality', 'p.yaml'], { cwd: dir, env });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('is named by the personality, so no key is sent to its URL');
    expect(JSON.stringify(wire.requests.map(({ headers }) => headers))).not.toContain(key);
    const given = ['run', 'hi', '--personality', 'p.yaml', '--model', modelAt(wire)];
    const { code, stdout, stderr } = await treblehook(given, { cwd: dir, env });
    expect([code, stdout, besideSession(stderr)]).toEqual([0, 'hello\n', '']);
  });

  it('a stream that breaks in the middle of the answer is a failure that names the endpoint', async () => {
    const text = ['Half ', 'an ', 'answer ', 'and ', 'more ', 'of ', 'it'];
    const wire = await wired(serve, [{ text, stop: { after: 6, how: 'cut' } }]);
    const { code, stdout, stderr } = await treblehook(['run', 'hi', '--model', modelAt(wire)], {
      env: { [variable]: key },
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Half .*\n$/);
    expectOneLine(stderr);
    expect(stderr).toContain(wire.url);
    expect(stderr).toContain('TH_MODEL_STREAM');
  });

  it('Ctrl-C ends a run that waits for its model, with 130', async () => {
    const wire = await wired(serve, [{ text: 'Half', stop: { after: 2, how: 'hang' } }]);
    const running = start(['run', 'hi', '--model', modelAt(wire)], { env: { [variable]: key } });
    const request = await wire.request(0);
    running.child.kill('SIGINT');
    const { code, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(besideSession(stderr)).toBe('treblehook: interrupted\n');
    await request.closed;
  });
});

it('a refused connection names the endpoint and ends with 1', async () => {
  const port = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
  const { code, stdout, stderr } = await treblehook([
    'run',
    'hi',
    '--model',
    `openai-compatible:m1@http://127.0.0.1:${port}/v1`,
  ]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    new RegExp(`treblehook: http://127\\.0\\.0\\.1:${port}/v1.* cannot be reached: .*\\(TH_MODEL_UNREACHABLE\\)\\n`),
  );
  expect(stderr).not.toMatch(/\n\s+at /);
});

describe('wrong input is one line on stderr, nothing on stdout, and ends with 2', () => {
  it.each([
    ['an unknown flag', ['--polcy', 'p.yaml'], /there is no flag --polcy: did you mean --policy\?/],
    ['a missing folder', ['--dir', 'nowhere'], /there is no folder 'nowhere': check --dir/],
    ['a file for a folder', ['--dir', 'policy.yaml'], /'policy\.yaml' is no folder/],
    ['a wrong provider', ['--model', 'opnai:x'], /there is no provider 'opnai': did you mean 'openai'\?/],
    ['a wrong model', ['--model', 'offlin'], /'offlin' is no model: did you mean 'offline'\?/],
    ['a model without its key', ['--model', 'anthropic:x'], /'anthropic:x' needs an API key: set ANTHROPIC_API_KEY\n/],
    ['a model without a URL', ['--model', 'openai-compatible:x'], /it names no base URL/],
    [
      'a policy with a typo',
      ['--policy', 'policy.yaml'],
      /policy\.yaml:3:3: there is no 'decison' here: did you mean 'decision'\?/,
    ],
    ['a policy that is not there', ['--policy', 'no.yaml'], /no\.yaml: there is no such file: check the path/],
    ['a policy that is no YAML', ['--policy', 'broken.yaml'], /broken\.yaml:\d+:\d+: this is no valid YAML or JSON/],
    [
      'a personality with a typo',
      ['--personality', 'reader.yaml'],
      /reader\.yaml:2:11: there is no tool 'red_file': did you mean 'read_file'\?/,
    ],
  ])('%s', async (_, flags, message) => {
    const dir = await folderWith({
      'policy.yaml': 'rules:\n- tools: x\n  decison: deny\n  reason: r\n',
      'broken.yaml': 'rules: [\n',
      'reader.yaml': 'id: reader\ntools: [  red_file]\n',
    });
    const { code, stdout, stderr } = await treblehook(['run', 'hi', ...flags], { cwd: dir });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expectOneLine(stderr);
    expect(stderr).toMatch(message);
  });
});

describe('the offline model', () => {
  it('answers from the files of a folder without a network, and --json has one document on stdout', async () => {
    const dir = await folderWith({ 'notes.md': 'The harbour closes at nine.\n', 'b.md': 'Nothing here.\n' });
    const { code, stdout, stderr } = await treblehook([
      'run',
      'when does the harbour close?',
      '--dir',
      dir,
      '--json',
      '--trace',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const document = JSON.parse(stdout) as {
      status: string;
      text: string;
      toolCalls: unknown[];
      trace: unknown[];
      model: string;
    };
    expect(document).toMatchObject({ status: 'done', model: 'offline' });
    expect(document.text).toContain('notes.md');
    expect(document.text).toContain('The harbour closes at nine');
    expect(document.toolCalls.length).toBeGreaterThan(0);
    expect(document.trace).toContainEqual(
      expect.objectContaining({ hook: 'toolPolicy', by: 'tool-policy', outcome: 'passed' }),
    );
  });

  it('is taken when TREBLEHOOK_MODEL is empty, and TREBLEHOOK_MODEL is heard', async () => {
    const dir = await folderWith({});
    expect((await treblehook(['run', 'hi', '--dir', dir], { env: { TREBLEHOOK_MODEL: ' ' } })).code).toBe(0);
    const { code, stderr } = await treblehook(['run', 'hi', '--dir', dir], { env: { TREBLEHOOK_MODEL: 'nonsense' } });
    expect(code).toBe(2);
    expect(stderr).toContain("treblehook: $TREBLEHOOK_MODEL: 'nonsense' is no model");
  });
});

it('--model goes before the model of a personality, and that before TREBLEHOOK_MODEL', async () => {
  const dir = await folderWith({ 'p.yaml': 'id: p\nmodel: offline\n', 'q.yaml': 'id: q\nmodel: anthropic:x\n' });
  const env = { TREBLEHOOK_MODEL: 'anthropic:x' };
  expect((await treblehook(['run', 'hi', '--personality', 'p.yaml'], { cwd: dir, env })).code).toBe(0);
  expect(
    (await treblehook(['run', 'hi', '--personality', 'q.yaml', '--model', 'offline'], { cwd: dir, env })).code,
  ).toBe(0);
  const { code, stderr } = await treblehook(['run', 'hi', '--personality', 'q.yaml'], { cwd: dir });
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^treblehook: q\.yaml:2:8: 'anthropic:x' needs an API key: set ANTHROPIC_API_KEY\n$/),
  ]);
});

describe('plan', () => {
  it('shows who runs on a point, in order, with locks, and the silenced', async () => {
    const { code, stdout, stderr } = await treblehook(['plan', 'beforeLLM']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.split('\n');
    expect(lines[0]).toBe('personality default: no plugins; host handlers always run');
    const rows = lines.filter((line) => /^ *\d+ /.test(line));
    expect(rows.map((row) => row.trim().split(/\s+/)[1])).toEqual(['compaction', 'route-gate']);
    expect(rows[1]).toMatch(/\bmodel\b/);
    expect(stdout).not.toContain('\u001B');
  });

  it('ends with the order of a tool call, in text and in the document', async () => {
    const steps = ['around', 'beforeTool', 'seal', 'toolPolicy', 'answerer', 'execute', 'afterTool', 'toolEnd'];
    const { stdout } = await treblehook(['plan']);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`a tool call: ${steps.join(' → ')}`);
    expect((JSON.parse((await treblehook(['plan', '--json'])).stdout) as { toolCall: unknown }).toolCall).toEqual(
      steps,
    );
  });

  it('needs no key for the model of a personality', async () => {
    const dir = await folderWith({ 'p.yaml': 'id: p\nmodel: anthropic:claude-x\n' });
    const { code, stdout } = await treblehook(['plan', '--personality', 'p.yaml', '--json'], { cwd: dir });
    expect(code).toBe(0);
    const { personality, hooks } = JSON.parse(stdout) as {
      personality: unknown;
      hooks: { name: string; plan: { id: string }[] }[];
    };
    expect(personality).toEqual({ id: 'p', plugins: [] });
    expect(hooks.find(({ name }) => name === 'toolPolicy')!.plan.map(({ id }) => id)).toEqual(['tool-policy']);
  });

  it('refuses a personality whose model is none, as the run does', async () => {
    const dir = await folderWith({ 'p.yaml': 'id: p\nmodel: ofline\n' });
    for (const command of [['run', 'hi'], ['plan']]) {
      const { code, stderr } = await treblehook([...command, '--personality', 'p.yaml'], { cwd: dir });
      expect(code).toBe(2);
      expect(stderr).toContain("treblehook: p.yaml:2:8: 'ofline' is no model: did you mean 'offline'?");
    }
  });

  it('of an unknown point names the nearest, aliases included', async () => {
    expect((await treblehook(['plan', 'befroeLLM'])).stderr).toBe(
      "treblehook: there is no hook point 'befroeLLM': did you mean beforeLLM?\n",
    );
    const { code, stderr } = await treblehook(['plan', 'PreToolUse']);
    expect([code, stderr]).toEqual([2, "treblehook: there is no hook point 'PreToolUse': did you mean beforeTool?\n"]);
  });
});

it('whoever closes the output early is no reason for a stack', async () => {
  const running = start(['run', '--help']);
  running.child.stdout.destroy();
  const { stderr } = await running.ended;
  expect(stderr).toBe('');
});

it.each([[['run', 'hi']], [['run', 'hi', '--json']], [['plan']], [['--help']]])(
  '%j whose output cannot be written says so and ends with 1',
  async (argv) => {
    const closed = await open(join(await folderWith({ f: '' }), 'f'), 'r');
    cleanup.push(() => closed.close());
    const { code, stderr } = await treblehook(argv, { stdout: closed.fd });
    expect(code).toBe(1);
    expectOneLine(stderr);
    expect(stderr).toContain('the output cannot be written: EBADF');
  },
);

it('a current folder that was deleted is one line, and ends with 2', async () => {
  const dir = await folderWith({});
  const { code, stderr } = await treblehook(['run', 'hi'], { cwd: dir, gone: true });
  expect([code, stderr]).toEqual([2, 'treblehook: the current folder is not there any more: change to another one\n']);
});

it('a folder that may not be read is one line, and ends with 2', async () => {
  const dir = await folderWith({ 'f.txt': 'x' });
  await chmod(dir, 0o000);
  cleanup.push(() => chmod(dir, 0o700));
  // The administrator may read everything, so somebody else looks.
  const uid = process.getuid?.() === 0 ? 65_534 : undefined;
  const { code, stderr } = await treblehook(['run', 'hi', '--dir', dir], { ...(uid !== undefined && { uid }) });
  expect([code, stderr]).toEqual([
    2,
    `treblehook: the folder '${dir}' may not be read: check its permissions, or --dir\n`,
  ]);
});

it('a policy rule that can never match is a warning with file and line', async () => {
  const dir = await folderWith({
    'p.yaml': 'rules:\n- tools: read_file\n  when: { /file: { glob: "*.env" } }\n  decision: deny\n  reason: r\n',
  });
  const { code, stderr } = await treblehook(['run', 'hi', '--policy', 'p.yaml'], { cwd: dir });
  expect(code).toBe(0);
  expect(stderr).toContain(
    "treblehook: warning: p.yaml:3:11: policy rule #1: '/file' is no argument of 'read_file': it has path, offset, limit, digest\n",
  );
});

it('the policy that the help shows denies what its reasons say, however the path is spelled', async () => {
  const { stdout } = await treblehook(['run', '--help']);
  const policy = /^ {4}rules:\n(?: {6}.*\n)+/m.exec(stdout)![0];
  const dir = await folderWith({ '.env': 'HUSH=1', 'a.txt': 'open', 'policy.yaml': policy });
  await symlink('.env', join(dir, 'innocent.txt'));
  const calls = [
    ['read_file', { path: '.env' }],
    ['read_file', { path: './/.env' }],
    ['read_file', { path: '.env/' }],
    ['read_file', { path: '.env/.' }],
    ['read_file', { path: 'x/../.env' }],
    ['read_file', { path: 'innocent.txt' }],
    ['read_file', { path: join(dir, '.env') }],
    ['search_files', { query: 'HUSH' }],
  ] as const;
  const script = [{ calls: calls.map(([name, args], at) => ({ id: `c${at}`, name, args })) }, { text: 'done' }];
  const wire = await wired(openaiWire, script);
  const model = `openai-compatible:m1@${wire.url}`;
  const { code, stderr } = await treblehook(['run', 'go', '--policy', 'policy.yaml', '--model', model], {
    cwd: dir,
    env: { [variable]: key },
  });
  expect(code).toBe(0);
  expect(stderr.match(/denied by|it is a file/g)).toHaveLength(calls.length);
  expect(JSON.stringify(wire.requests[1]!.body)).not.toContain('HUSH=1');
});
