// Owns the laws of where sessions are kept: a store that cannot be used is one line with its mend, and looking makes nothing.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@treblehook/agent/sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { commandIn, commandWith } from './command.js';

const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true });
});
function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'treblehook-store-'));
  made.push(dir);
  return dir;
}
/** A session of one run. */
async function session(dir: string, ...more: string[]): Promise<string> {
  const { stdout } = await commandIn(dir, 'run', 'hello', '--json', ...more);
  return (JSON.parse(stdout) as { sessionId: string }).sessionId;
}

describe('a run keeps its session', () => {
  it('below the current folder, for its owner alone, and out of a repository', async () => {
    const dir = folder();
    await session(dir);
    const kept = join(dir, '.treblehook');
    expect(statSync(kept).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(kept, '.gitignore'), 'utf8')).toBe('*\n');
    expect(existsSync(join(kept, 'sessions.db'))).toBe(true);
  });

  it('in the file of --store, and nowhere with --no-store', async () => {
    const dir = folder();
    const id = await session(dir, '--store', 'mine.db');
    await session(dir, '--no-store');
    expect(existsSync(join(dir, '.treblehook'))).toBe(false);
    expect((await commandIn(dir, 'session', 'show', id, '--store', 'mine.db')).code).toBe(0);
  });
});

describe('a store that cannot be used is refused with 2, in one line with the mend, and nothing has run', () => {
  it.each([
    [
      'a damaged file',
      (dir: string) => writeFileSync(join(dir, 's.db'), 'no database '.repeat(500)),
      's.db',
      /another kind of file: name another one;/,
    ],
    [
      'a file on its path',
      (dir: string) => writeFileSync(join(dir, 'f'), ''),
      'f/s.db',
      /make sure that the folder exists/,
    ],
    ['a folder that is not there', () => {}, 'no/s.db', /make sure that the folder exists/],
    [
      'a folder in its place',
      (dir: string) => mkdirSync(join(dir, 's.db')),
      's.db',
      /is a folder: name a file in it, or/,
    ],
  ])('%s', async (_, prepare, store, mend) => {
    const dir = folder();
    prepare(dir);
    const { code, stdout, stderr } = await commandIn(dir, 'run', 'hi', '--store', store);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^treblehook: [^\n]+\n$/);
    for (const word of [mend, /--no-store/, /the session store/]) expect(stderr).toMatch(word);
  });

  it('a file where the folder should be', async () => {
    const dir = folder();
    writeFileSync(join(dir, '.treblehook'), '');
    const { code, stderr } = await commandIn(dir, 'run', 'hi');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/cannot be made: .*--no-store\n$/)]);
  });
});

describe('looking', () => {
  it('at what is no store names no flag that only a run has', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'a.txt'), 'some text');
    for (const argv of [
      ['list', '--store', 'a.txt'],
      ['show', 'x', '--store', '.'],
    ]) {
      const { code, stderr } = await commandIn(dir, 'session', ...argv);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/or name another file by --store\n$/)]);
    }
  });

  it('makes no file, and says that there is nothing', async () => {
    const dir = folder();
    const listed = await commandIn(dir, 'session', 'list');
    expect([listed.code, listed.stdout]).toEqual([
      0,
      expect.stringContaining('no sessions in .treblehook/sessions.db'),
    ]);
    expect((await commandIn(dir, 'session', 'show', 'x')).code).toBe(2);
    const named = await commandIn(dir, 'session', 'list', '--store', 'no.db');
    expect([named.code, named.stderr]).toEqual([2, "treblehook: there is no file 'no.db': check --store\n"]);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('names the nearest sessions for one that is not there, as a code and as a line', async () => {
    const dir = folder();
    const id = await session(dir);
    for (const argv of [
      ['session', 'show', id.slice(0, -3)],
      ['session', 'resume', `${id.slice(0, -1)}~`],
    ]) {
      const { code, stdout, stderr } = await commandIn(dir, ...argv, '--json');
      expect([code, stderr]).toEqual([2, expect.stringContaining(`did you mean '${id}'?`)]);
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'TH_SESSION_UNKNOWN' } });
    }
  });

  it('lists the newest first', async () => {
    const dir = folder();
    let now = 0;
    const store = sqliteStore({ path: join(dir, 's.db'), now: () => now });
    for (const [id, at] of [
      ['old', 1],
      ['new', 3],
      ['middle', 2],
    ] as const) {
      now = at;
      const lease = await store.acquire(id, 'h', 1_000);
      if (!('fence' in lease)) throw new Error('held');
      await store.append(lease, [{ type: 'opened', agent: 'agent' }]);
      await store.release(lease);
    }
    await store.close();
    const { stdout } = await commandIn(dir, 'session', 'list', '--store', 's.db', '--json');
    const { sessions } = JSON.parse(stdout) as { sessions: { sessionId: string }[] };
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(['new', 'middle', 'old']);
  });
});

describe('what a session shows and exports', () => {
  const key = 'sk-hush-hush-12345';
  const nasty = `say \u001B[2J \u009B1A ${key} \`\`\` fence`;
  const io = (cwd: string) => ({ cwd, env: { OPENAI_API_KEY: key } });
  async function nastySession(dir: string): Promise<string> {
    const { stdout } = await commandWith(io(dir), 'run', nasty, '--json');
    return (JSON.parse(stdout) as { sessionId: string }).sessionId;
  }

  it.each([
    ['list'],
    ['list', '--json'],
    ['show'],
    ['show', '--json'],
    ['export'],
    ['export', '--format', 'json'],
    ['export', '--format', 'markdown'],
  ])('%s %s %s steers no terminal and has no key in it', async (name, ...more) => {
    const dir = folder();
    const id = await nastySession(dir);
    const { code, stdout } = await commandWith(io(dir), 'session', name, ...(name === 'list' ? [] : [id]), ...more);
    expect([code, stdout]).toEqual([0, expect.stringContaining('say')]);
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/);
    expect(stdout).not.toContain(key);
  });

  it('as lines has each record of the log, in order', async () => {
    const dir = folder();
    const id = await session(dir);
    const { stdout } = await commandIn(dir, 'session', 'export', id);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number; record: object });
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, at) => at + 1));
    const store = sqliteStore({ path: join(dir, '.treblehook/sessions.db') });
    const records = await store.read(id);
    await store.close();
    expect(lines).toEqual(JSON.parse(JSON.stringify(records)));
  });

  it('goes into a file that is new, or that --force gives up; nothing else is left', async () => {
    const dir = folder();
    const id = await session(dir);
    const out = join(dir, 'out.jsonl');
    writeFileSync(out, 'mine');
    const refused = await commandIn(dir, 'session', 'export', id, '--out', 'out.jsonl');
    expect([refused.code, readFileSync(out, 'utf8')]).toEqual([2, 'mine']);
    expect(refused.stderr).toContain('--force');
    const forced = await commandIn(dir, 'session', 'export', id, '--out', 'out.jsonl', '--force');
    expect([forced.code, forced.stdout]).toEqual([0, '']);
    expect(readFileSync(out, 'utf8')).toBe((await commandIn(dir, 'session', 'export', id)).stdout);
    mkdirSync(join(dir, 'docs'));
    for (const [out, why] of [
      ['no/x', "'no/x' cannot be written: its folder is not there: make it, or give another --out"],
      ['docs', "'docs' is a folder: give --out a file in it"],
      ['out.jsonl/x', "'out.jsonl/x' cannot be written: a part of its path is a file: give another --out"],
    ] as const) {
      const { code, stderr } = await commandIn(dir, 'session', 'export', id, '--out', out, '--force');
      expect([code, stderr]).toEqual([2, `treblehook: ${why.replace("'", `'${dir}/`)}\n`]);
    }
    expect(readdirSync(dir).toSorted()).toEqual(['.treblehook', 'docs', 'out.jsonl']);
  });
});
