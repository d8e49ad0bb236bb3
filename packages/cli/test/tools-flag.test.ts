// Owns the laws of `--tools`: what is named is offered and nothing else, and what changes something is asked about.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtInNames, builtInTools, namesIn, readingNames } from '../src/tools/built-in.js';
import { commandIn } from './command.js';

let dir: string;
const at = (name: string): string => join(dir, name);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tools-flag-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const write = 'Use write_file {"path":"a.txt","content":"new"}';
const run = (prompt: string, ...flags: string[]) => commandIn(dir, 'run', prompt, ...flags);
const idsIn = (stderr: string) =>
  /session resume (session_[\w-]+) --yes (request_[\w-]+)(.*), or --no/.exec(stderr)?.slice(1) ?? [];

it('what is not asked about is what says of itself that it reads alone, and here', () => {
  const said = builtInTools(dir).flatMap(({ name, annotations }) =>
    annotations?.readOnlyHint === true && annotations.openWorldHint === false ? [name] : [],
  );
  expect(said).toEqual(readingNames);
});

describe('the names', () => {
  it.each([
    [undefined, readingNames],
    ['all', builtInNames],
    ['run_command', ['run_command']],
    ['fetch_url, read_file', ['read_file', 'fetch_url']],
    ['*_file', ['read_file', 'write_file', 'edit_file', 'delete_file']],
    ['read_*,read_file', ['read_file']],
  ])('%j', (tools, names) => {
    expect(namesIn({ tools })).toEqual(names);
  });

  it.each([
    ['write_fil', "did you mean 'write_file'?"],
    ['al', "did you mean 'all'?"],
    ['read_file,zzz', 'there is list_files, '],
    ['zzz_*', "'zzz_*', which is no built-in tool"],
    ['read_file,', 'has an empty name'],
  ])('%j is refused before anything is made', async (tools, mend) => {
    const { code, stdout, stderr } = await run('hello', '--tools', tools);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(mend);
    expect(existsSync(at('.treblehook'))).toBe(false);
  });
});

describe('a tool that changes something', () => {
  it('is not offered unless it is named', async () => {
    const { code, stdout } = await run(write);
    expect([code, existsSync(at('a.txt'))]).toEqual([0, false]);
    expect(stdout).toContain('No offered tool can write');
  });

  it('is asked about; the run that waits goes on with the same tools', async () => {
    const { code, stderr } = await run(write, '--tools', 'write_file');
    expect([code, existsSync(at('a.txt'))]).toEqual([4, false]);
    expect(stderr).toContain('may it change this file? (policy rule default:changes)');
    const [session = '', request = '', beside] = idsIn(stderr);
    expect(beside).toBe('');
    const shown = await commandIn(dir, 'session', 'show', session);
    expect(shown.stdout).toContain(`with --dir ${dir} --tools write_file`);
    const resumed = await commandIn(dir, 'session', 'resume', session, '--yes', request);
    expect([resumed.code, readFileSync(at('a.txt'), 'utf8')]).toEqual([0, 'new']);
    expect(resumed.stderr).not.toContain('warning');
  });

  it('other tools at the resume are told', async () => {
    const [session = '', request = ''] = idsIn((await run(write, '--tools', 'write_file')).stderr);
    const { stderr } = await commandIn(dir, 'session', 'resume', session, '--no', request, '--tools', 'read_file');
    expect(stderr).toContain("the choice of tools was 'write_file', and is 'read_file' now");
  });

  it('with --on-ask deny, and where nothing is kept, an ask is a denial', async () => {
    for (const flag of ['--on-ask=deny', '--no-store']) {
      const { code } = await run(write, '--tools=all', flag);
      expect([code, existsSync(at('a.txt'))]).toEqual([0, false]);
    }
  });

  const rule = (tools: string, more = '') => `rules:\n- { tools: ${tools}, decision: deny, reason: r, ${more} }\n`;
  const env = "when: { /path: { glob: '*.env' } }";
  it.each([
    ['names it', rule('write_file', env), true],
    ['names it by a glob', rule('write_*', env), true],
    ['says what happens to what it does not name', 'unlisted: silent\nrules: []\n', true],
    ['has no rules', 'rules: []\n', false],
    ['names another tool', rule('read_file'), false],
    ['has a rule for every tool', rule("'*'", env), false],
    ['names it for another personality', rule('write_file', `${env}, personalities: clerk`), false],
    ['names it in a rehearsal', `mode: dry-run\n${rule('write_file', env)}`, false],
  ])('under a policy that %s', async (_, policy, runs) => {
    writeFileSync(at('policy.yaml'), policy);
    const { code } = await run(write, '--tools=write_file', '--policy=policy.yaml');
    expect([code, existsSync(at('a.txt'))]).toEqual(runs ? [0, true] : [4, false]);
  });

  it('a policy of the folder itself lifts no question', async () => {
    mkdirSync(at('.treblehook'));
    writeFileSync(at('.treblehook/policy.yaml'), `unlisted: silent\n${rule('write_file', env)}`);
    expect((await run(write, '--tools=write_file')).code).toBe(4);
  });
});

describe('a rule about a built-in tool that is not offered', () => {
  const mend = 'matches no tool that is offered: add it by --tools list_files,read_file,search_files,edit_file';
  it('is told with the flag that offers it', async () => {
    writeFileSync(at('policy.yaml'), rulesOf('edit_file'));
    const loose = await run('hello', '--policy=policy.yaml');
    expect(loose.code).toBe(0);
    expect(loose.stderr).toContain(`'edit_file' ${mend}`);
    const strict = await run('hello', '--policy=policy.yaml', '--strict');
    expect(strict.code).toBe(2);
    expect(strict.stderr).toContain(`policy rule #1: 'edit_file' ${mend}`);
  });

  it('and so is a personality that names it', async () => {
    writeFileSync(at('p.yaml'), 'id: p\ntools: [write_file]\n');
    const { code, stderr } = await run('hello', '--personality=p.yaml', '--tools=read_file');
    expect(code).toBe(2);
    expect(stderr).toContain(
      "there is no tool 'write_file', it is not offered: add it by --tools read_file,write_file",
    );
  });
});

describe('what looks ahead knows every built-in tool', () => {
  it('policy explain: a shell line is taken apart, and the default asks', async () => {
    const { stdout, stderr } = await commandIn(
      dir,
      'policy',
      'explain',
      'run_command',
      '{"command":{"shell":"sudo rm -rf \'a b\' $X > log"}}',
    );
    expect(stderr).toBe('');
    expect(stdout).toContain('asked about by default:commands');
    expect(stdout).toContain('it runs: sudo rm -rf "a b" … > log\n');
    expect(stdout).toContain('it runs: rm -rf "a b" … (behind sudo)\n');
  });

  it('policy test: rules on paths, commands and URLs can be tried', async () => {
    writeFileSync(
      at('policy.yaml'),
      `rules:
  - { id: no-rm, tools: run_command, commands: { program: rm }, decision: deny, reason: r }
  - { id: no-keys, tools: [write_file, edit_file, delete_file], paths: { within: keys }, decision: deny, reason: r }
  - { id: no-host, tools: fetch_url, hosts: { host: example.org }, decision: deny, reason: r }
`,
    );
    writeFileSync(
      at('cases.yaml'),
      `policy: policy.yaml
cases:
  - { tool: run_command, args: { command: { shell: 'ls; r""m x' } }, expect: deny, rule: no-rm }
  - { tool: run_command, args: { command: [ls] }, expect: silent }
  - { tool: write_file, args: { path: x/../keys/a, content: c }, expect: deny, rule: no-keys }
  - { tool: edit_file, args: { path: a, oldText: a, newText: b }, expect: silent }
  - { tool: fetch_url, args: { url: 'https://EXAMPLE.org/a' }, expect: deny, rule: no-host }
`,
    );
    expect(await commandIn(dir, 'policy', 'test', 'cases.yaml')).toMatchObject({
      code: 0,
      stdout: '5 passed, 0 failed\n',
    });
  });

  it('plan, and policy check', async () => {
    writeFileSync(at('p.yaml'), 'id: p\ntools: [write_file, run_command]\n');
    expect(await commandIn(dir, 'plan', 'toolPolicy', '--personality=p.yaml')).toMatchObject({ code: 0, stderr: '' });
    writeFileSync(at('policy.yaml'), rulesOf('run_comand'));
    const { stderr, stdout } = await commandIn(dir, 'policy', 'check', 'policy.yaml');
    expect(stderr).toContain("did you mean 'run_command'?");
    expect(stdout).toContain('default: asks about write_file, edit_file, delete_file, run_command, fetch_url');
  });
});

const rulesOf = (tool: string): string => `rules:\n- { tools: ${tool}, decision: deny, reason: r }\n`;
