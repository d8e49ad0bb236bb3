// Owns the laws of sessions between processes: what one left, another one tells and goes on with.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionDocument } from '@treblehook/cli';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { build, treblehook, type Ended } from './command-line.js';

beforeAll(build, 120_000);
const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of cleanup.splice(0).toReversed()) await one();
});

const policy = (decision: string): string => `rules:\n- { tools: read_file, decision: ${decision}, reason: may it? }\n`;
const prompt = 'Use read_file on "a.txt".';
const asking = ['--policy', 'policy.yaml'];

interface Place {
  readonly dir: string;
  readonly run: (...argv: string[]) => Promise<Ended>;
  /** The document of a command that is done. */
  readonly json: <T>(...argv: string[]) => Promise<T>;
  readonly show: (id: string) => Promise<SessionDocument>;
}
async function place(): Promise<Place> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'treblehook-sessions-')));
  cleanup.push(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, 'a.txt'), 'the secret of a\n');
  await writeFile(join(dir, 'policy.yaml'), policy('ask'));
  const run = (...argv: string[]) => treblehook(argv, { cwd: dir });
  const json = async <T>(...argv: string[]): Promise<T> => JSON.parse((await run(...argv, '--json')).stdout) as T;
  return { dir, run, json, show: (id) => json<SessionDocument>('session', 'show', id) };
}

/** A run that waits: its session, and its request. */
async function waiting(here: Place) {
  const { code, stderr } = await here.run('run', prompt, ...asking);
  const [, id = '', request = ''] =
    /session resume (session_[\w-]+) --yes (request_[\w-]+), or --no/.exec(stderr) ?? [];
  return { code, stderr, id, request };
}

describe('a run that is asked about, where nobody can be asked', () => {
  it('waits in its session, ends with 4, and says how to go on', async () => {
    const here = await place();
    const { code, stderr, id, request } = await waiting(here);
    expect([code, id, request]).toEqual([4, expect.stringMatching(/./), expect.stringMatching(/./)]);
    expect(stderr).toContain(`--no ${request} --reason`);
    const { sessions } = await here.json<{ sessions: unknown[] }>('session', 'list');
    expect(sessions).toMatchObject([{ sessionId: id, state: 'waiting', pending: 1, input: prompt }]);
    const shown = await here.run('session', 'show', id);
    expect(shown.code).toBe(0);
    for (const word of [
      'waits for 1 answer',
      prompt,
      'may it?',
      `--yes ${request}`,
      '"path": "a.txt"',
      'tool-policy',
    ]) {
      expect(shown.stdout).toContain(word);
    }
    expect(shown.stdout).not.toContain('the secret of a');
  });

  it('goes on in another process with yes, once; the answer stands in the log', async () => {
    const here = await place();
    const { id, request } = await waiting(here);
    const yes = ['session', 'resume', id, '--yes', request, ...asking];
    const first = await here.run(...yes);
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('the secret of a')]);
    const second = await here.run(...yes);
    expect([second.code, second.stdout]).toEqual([2, '']);
    expect(second.stderr).toBe(
      `treblehook: the session '${id}' takes no answer to '${request}': it was answered before\n`,
    );
    const { state, runs, open, grants } = await here.show(id);
    expect([state, open, grants]).toEqual(['settled', [], []]);
    expect(runs[0]!.turns[0]!.calls).toMatchObject([
      {
        fate: 'ok',
        questions: [{ request: { id: request }, answer: { ok: true } }],
        end: { record: { decision: 'ask', asks: [{ guard: 'tool-policy', granted: { request } }] } },
      },
    ]);
  });

  it('goes on with no: the file is not read, and the model is told why', async () => {
    const here = await place();
    const { id, request } = await waiting(here);
    const { code, stdout } = await here.run(
      'session',
      'resume',
      id,
      '--no',
      request,
      '--reason',
      'not mine',
      ...asking,
    );
    expect(code).toBe(0);
    expect(stdout).toContain('not mine');
    expect(stdout).not.toContain('the secret of a');
    expect((await here.run('session', 'show', id)).stdout).toMatch(/read_file .*: denied[^]*: no \(not mine\)/);
  });

  it('is not moved by a wrong request, whose nearest is named, nor by none', async () => {
    const here = await place();
    const { id, request } = await waiting(here);
    const wrong = await here.run('session', 'resume', id, '--yes', `${request}x`, ...asking);
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toContain(`there is no such request: did you mean '${request}'?`);
    const none = await here.run('session', 'resume', id, ...asking);
    expect([none.code, none.stdout]).toEqual([4, '']);
    expect(none.stderr).toContain(`--yes ${request}`);
    const prompted = await here.run('run', 'and now?', '--session', id);
    expect([prompted.code, prompted.stdout]).toEqual([2, '']);
    expect(prompted.stderr).toContain(`--yes ${request}`);
    expect((await here.show(id)).open).toMatchObject([{ id: request }]);
  });

  it('is denied when the policy has become stricter meanwhile, whatever was answered', async () => {
    const here = await place();
    const { id, request } = await waiting(here);
    await writeFile(join(here.dir, 'policy.yaml'), policy('deny'));
    const { code, stdout } = await here.run('session', 'resume', id, '--yes', request, ...asking);
    expect(code).toBe(0);
    expect(stdout).not.toContain('the secret of a');
    expect((await here.show(id)).runs[0]!.turns[0]!.calls).toMatchObject([{ fate: 'denied' }]);
  });

  it('with --remember is not asked about the same call again, in that session alone', async () => {
    const here = await place();
    const { id, request } = await waiting(here);
    await here.run('session', 'resume', id, '--yes', request, '--remember', ...asking);
    expect((await here.show(id)).grants).toMatchObject([{ guard: 'tool-policy', request }]);
    expect((await here.run('run', prompt, '--session', id, ...asking)).code).toBe(0);
    expect((await here.run('run', 'Use read_file on "policy.yaml".', '--session', id, ...asking)).code).toBe(4);
    expect((await here.run('run', prompt, ...asking)).code).toBe(4);
  });

  it('is asked about anew when what was remembered is revoked, by the command that is shown', async () => {
    const here = await place();
    const { id, request } = await waiting(here);
    await here.run('session', 'resume', id, '--yes', request, '--remember');
    const [grant] = (await here.show(id)).grants;
    const shown = await here.run('session', 'show', id);
    expect(shown.stdout).toContain(`take back: treblehook session revoke ${id} ${grant!.id}\n`);
    const wrong = await here.run('session', 'revoke', id, `${grant!.id}x`);
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toContain(`has no grant '${grant!.id}x': did you mean '${grant!.id}'?`);
    expect((await here.run('session', 'revoke', 'none-such', grant!.id)).code).toBe(2);
    expect((await here.show(id)).grants).toHaveLength(1);
    const document = await here.json('session', 'revoke', id, grant!.id);
    expect(document).toEqual({ sessionId: id, revoked: grant!.id, grants: [] });
    const again = await here.run('session', 'revoke', id, grant!.id);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('it has none')]);
    expect((await here.run('run', prompt, '--session', id, ...asking)).code).toBe(4);
  });

  it('is denied with --on-ask deny, and without a store, where nothing is left', async () => {
    const here = await place();
    for (const flags of [['--on-ask', 'deny'], ['--no-store']]) {
      const { code, stderr, stdout } = await here.run('run', prompt, ...asking, ...flags);
      expect(code).toBe(0);
      expect(stderr).toContain('nobody can be asked here');
      expect(stdout).not.toContain('the secret of a');
    }
    expect((await here.json<{ sessions: unknown[] }>('session', 'list')).sessions).toHaveLength(1);
  });

  it('as a document has its requests', async () => {
    const here = await place();
    const document = await here.json<{ status: string; sessionId: string; pending: { id: string }[] }>(
      'run',
      prompt,
      ...asking,
    );
    expect(document).toMatchObject({ status: 'pending', pending: [{ kind: 'approval' }] });
    expect((await here.show(document.sessionId)).open[0]!.id).toBe(document.pending[0]!.id);
  });
});

describe('what the run was given', () => {
  /** The words of the command that `session show` prints, or that the end of a run has said. */
  const wordsOf = (text: string): string[] => {
    const [, words = ''] = /treblehook (session resume \S+ --yes request_[\w-]+[^\n,]*)/.exec(text) ?? [];
    return words.trim().split(' ');
  };

  it('is what its resumption has: the command that is shown reads the same folder, not the one it is typed in', async () => {
    const here = await place();
    await mkdir(join(here.dir, 'docs'));
    await writeFile(join(here.dir, 'docs/a.txt'), 'the other a\n');
    const { stderr } = await here.run('run', prompt, '--dir', 'docs', ...asking);
    const id = /session_[\w-]+/.exec(stderr)![0];
    const shown = await here.run('session', 'show', id);
    expect(shown.stdout).toContain(`with --dir ${here.dir}/docs --policy ${here.dir}/policy.yaml`);
    expect(wordsOf(shown.stdout)).toEqual(wordsOf(stderr));
    const { code, stdout } = await here.run(...wordsOf(shown.stdout));
    expect([code, stdout]).toEqual([0, expect.stringContaining('the other a')]);
    expect(stdout).not.toContain('the secret of a');
  });

  it('means the same in another folder when the store was named', async () => {
    const [here, there] = [await place(), await place()];
    await writeFile(join(there.dir, 'a.txt'), 'the a of elsewhere\n');
    const { stderr } = await here.run('run', prompt, '--store', 'kept.db', ...asking);
    const id = /session_[\w-]+/.exec(stderr)![0];
    for (const text of [stderr, (await here.run('session', 'show', id, '--store', 'kept.db')).stdout]) {
      expect(wordsOf(text)).toContain(join(here.dir, 'kept.db'));
    }
    const { code, stdout } = await there.run(...wordsOf(stderr));
    expect([code, stdout]).toEqual([0, expect.stringContaining('the secret of a')]);
    expect(stdout).not.toContain('elsewhere');
  });

  it('decides there too: a policy that denies is not forgotten, whatever was answered', async () => {
    const here = await place();
    await writeFile(join(here.dir, '.env'), 'TOKEN=the-token\n');
    const deny = '- { tools: read_file, when: { /path: { glob: "*.env" } }, decision: deny, reason: never }\n';
    await writeFile(join(here.dir, 'policy.yaml'), `${policy('ask')}${deny}`);
    const { id, request } = await waiting(here);
    expect((await here.run('session', 'resume', id, '--yes', request)).code).toBe(0);
    const env = await here.run('run', 'Use read_file on ".env".', ...asking);
    expect(env.stdout).not.toContain('the-token');
    await writeFile(join(here.dir, 'policy.yaml'), policy('ask'));
    const second = await here.run('run', 'Use read_file on ".env".', ...asking);
    await writeFile(join(here.dir, 'policy.yaml'), `rules:\n${deny}`);
    const resumed = await here.run(...wordsOf(second.stderr));
    expect(resumed.code).toBe(0);
    expect(resumed.stdout).not.toContain('the-token');
    expect((await here.show(wordsOf(second.stderr)[2]!)).runs[0]!.turns[0]!.calls).toMatchObject([{ fate: 'denied' }]);
  });

  it.each([
    ['policy', 'policy.yaml', asking],
    ['personality', 'who.yaml', [...asking, '--personality', 'who.yaml']],
    ['dir', 'docs', [...asking, '--dir', 'docs']],
  ])('and is gone, its %s, ends with 2 that names it; nothing goes on without it', async (flag, file, flags) => {
    const here = await place();
    await mkdir(join(here.dir, 'docs'));
    await writeFile(join(here.dir, 'who.yaml'), 'id: reader\n');
    const { stderr } = await here.run('run', prompt, ...flags);
    await rm(join(here.dir, file), { recursive: true });
    const gone = await here.run(...wordsOf(stderr));
    expect([gone.code, gone.stdout]).toEqual([2, '']);
    expect(gone.stderr).toContain(`'${join(here.dir, file)}', is not there any more`);
    expect(gone.stderr).toContain(`--${flag} <`);
    expect((await here.show(wordsOf(stderr)[2]!)).open).toHaveLength(1);
  });

  it('gives way to a flag, which says so; what is still asked is gone on with by that flag', async () => {
    const here = await place();
    const { id } = await waiting(here);
    await writeFile(join(here.dir, 'other.yaml'), policy('ask'));
    const { code, stderr } = await here.run('session', 'resume', id, '--policy', 'other.yaml');
    expect(code).toBe(4);
    const [was, is] = [join(here.dir, 'policy.yaml'), join(here.dir, 'other.yaml')];
    expect(stderr).toContain(`warning: when the run began the policy was '${was}', and is '${is}' now`);
    expect(wordsOf(stderr).slice(-2)).toEqual(['--policy', is]);
    expect((await here.run('session', 'resume', id)).stderr).not.toContain('warning');
  });

  it('is not what a new prompt has, which says where that differs', async () => {
    const here = await place();
    const { id, request } = await waiting(here);
    await here.run('session', 'resume', id, '--no', request);
    const { code, stderr } = await here.run('run', 'and now?', '--session', id);
    expect(code).toBe(0);
    const policyFile = join(here.dir, 'policy.yaml');
    expect(stderr).toContain(`warning: in the last run of the session the policy was '${policyFile}', and is none now`);
    expect(stderr).not.toContain('the folder was');
  });

  it('has no key in the log', async () => {
    const here = await place();
    const key = 'key-that-is-mine';
    const heard: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      heard.push(request.headers.authorization);
      response.writeHead(400).end('{}');
    }).listen(0, '127.0.0.1');
    cleanup.push(() => server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const run = (...argv: string[]) => treblehook(argv, { cwd: here.dir, env: { TREBLEHOOK_API_KEY: key } });
    const noted = async (model: string) => {
      const { stderr } = await run('run', prompt, '--model', model);
      const id = /session_[\w-]+/.exec(stderr)![0];
      return (await here.show(id)).runs[0]!.note;
    };
    expect(await noted(`openai-compatible:m@${url}/v1`)).toMatchObject({ model: `openai-compatible:m@${url}/v1` });
    expect(await noted(`openai-compatible:m@${url}/${key}`)).toMatchObject({
      model: `openai-compatible:m@${url}/[redacted]`,
    });
    expect(heard).toEqual([`Bearer ${key}`, `Bearer ${key}`]);
    expect(await readFile(join(here.dir, '.treblehook/sessions.db'), 'latin1')).not.toContain(key);
  });
});

it('a session goes on with a new prompt, and its tools do not look into the store', async () => {
  const here = await place();
  const { stderr } = await here.run('run', 'remember the zebra');
  const id = /--session (session_[\w-]+)/.exec(stderr)![1]!;
  const { code, stdout } = await here.run('run', 'Use search_files on "zebra".', '--session', id);
  expect(code).toBe(0);
  expect(stdout).not.toContain('sessions.db');
  expect((await here.show(id)).runs.map(({ input }) => input)).toEqual([
    'remember the zebra',
    'Use search_files on "zebra".',
  ]);
});

describe('a session that is named', () => {
  it('begins when it is not there, which is said, and goes on when it is', async () => {
    const here = await place();
    const first = await here.run('run', 'remember the zebra', '--session', 'nightly');
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining("the session 'nightly' begins")]);
    expect(first.stderr).not.toContain('warning');
    const second = await here.run('run', 'and now?', '--session', 'nightly');
    expect([second.code, second.stderr]).toEqual([0, expect.not.stringContaining('begins')]);
    expect((await here.show('nightly')).runs).toHaveLength(2);
    const near = await here.run('run', 'and now?', '--session', 'nightyl');
    expect([near.code, near.stderr]).toEqual([0, expect.stringContaining("did you mean 'nightly'?")]);
    // whoever counts means each of them
    await here.run('run', 'and now?', '--session', 'nightly-7');
    const counted = await here.json('run', 'and now?', '--session', 'nightly-8');
    expect(counted).toMatchObject({ sessionId: 'nightly-8', warnings: [] });
  });

  it.each([
    ['a\nb', 'control character'],
    ['\u0085', 'control character'],
    [' ', 'nothing but spaces'],
    ['-x', "begins with '-'"],
    ['x'.repeat(201), 'longer than 200'],
  ])('%j is no name of one, and nothing is run', async (id, what) => {
    const here = await place();
    const { code, stdout, stderr } = await here.run('run', 'hi', `--session=${id}`);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(what)]);
    expect((await here.json<{ sessions: unknown[] }>('session', 'list')).sessions).toEqual([]);
  });
});

describe('a process that is in the middle of a run', () => {
  async function hanging(here: Place): Promise<{ readonly child: ChildProcess; readonly id: string }> {
    await mkdir(join(here.dir, '.treblehook'));
    const file = join(import.meta.dirname, 'hanging-run.mjs');
    const child = spawn(process.execPath, [file, join(here.dir, '.treblehook/sessions.db'), 'talk'], {
      stdio: ['ignore', 'inherit', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    cleanup.push(() => child.kill('SIGKILL'));
    let said = '';
    for await (const text of child.stderr) if ((said += String(text)).includes('first runs')) break;
    return { child, id: 'talk' };
  }

  it('is looked at without being disturbed, and cannot be resumed by another one, which says who has it', async () => {
    const here = await place();
    const { child, id } = await hanging(here);
    const { state, holder, runs } = await here.show(id);
    expect([state, runs[0]!.status]).toEqual(['running', undefined]);
    expect(runs[0]!.turns[0]!.calls.map(({ name, fate }) => [name, fate])).toEqual([
      ['first', 'running'],
      ['second', 'to come'],
    ]);
    expect((await here.run('session', 'list')).stdout).toContain(`held by ${holder}`);
    const resumed = await here.run('session', 'resume', id);
    expect([resumed.code, resumed.stdout]).toEqual([2, '']);
    expect(resumed.stderr).toContain(
      `the run '${holder}' of another process holds it: it goes on by itself, or ends there; try again then\n`,
    );
    expect(child.exitCode).toBeNull();
    expect((await here.show(id)).holder).toBe(holder);
  });

  it('and is killed there, leaves the truth: what started is unknown, what did not start is said so', async () => {
    const here = await place();
    await writeFile(join(here.dir, 'open.yaml'), 'rules: []\n');
    const { child, id } = await hanging(here);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const fates = async () => (await here.show(id)).runs[0]!.turns[0]!.calls.map(({ name, fate }) => [name, fate]);
    const truth = [
      ['first', 'outcome-unknown'],
      ['second', 'not-started'],
    ];
    expect([(await here.show(id)).state, await fates()]).toEqual(['interrupted', truth]);
    const { code } = await here.run('session', 'resume', id, '--policy', 'open.yaml');
    expect(code).toBe(0);
    const { state, runs } = await here.show(id);
    expect([state, runs.length, runs[0]!.resumed, runs[0]!.status]).toEqual(['settled', 1, 1, 'done']);
    expect((await fates())[0]).toEqual(truth[0]);
    expect(runs[0]!.turns[0]!.calls.every(({ end }) => end !== undefined && end.outcome !== 'ok')).toBe(true);
    const again = await here.run('session', 'resume', id, '--policy', 'open.yaml');
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('cannot go on here')]);
  });
});
