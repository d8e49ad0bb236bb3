// Owns the laws of `treblehook policy`: what it says of a call is what the guard of a run says.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandIn } from './command.js';

let dir: string;
const at = (name: string): string => join(dir, name);

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'policy-'));
  writeFileSync(at('a.md'), 'hooks');
  mkdirSync(at('secrets'));
  writeFileSync(at('secrets/key'), 'k');
  writeFileSync(
    at('policy.yaml'),
    `# kept as it is
rules:
  - id: no-secrets
    tools: [read_file, search_files]
    paths: { within: secrets }
    decision: deny
    reason: secrets are not read
  - tools: read_*
    when: { /path: { glob: '*.md' } }
    decision: ask
    reason: may it read texts?
`,
  );
  writeFileSync(at('strict.yaml'), 'unlisted: deny\nrules: []\n');
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('policy explain', () => {
  it('names every rule that is about the tool, each test, and the verdict', async () => {
    const { code, stdout } = await commandIn(
      dir,
      'policy',
      'explain',
      'read_file',
      '{"path":"x/../secrets/key"}',
      '--policy=policy.yaml',
    );
    expect(code).toBe(0);
    expect(stdout).toBe(`host/read_file {"path":"secrets/key","offset":1,"digest":false}: denied by no-secrets
  told to the model: secrets are not read
  no-secrets (deny): matches
    paths holds
  #2 (ask): does not match
    /path does not hold
`);
  });

  it('as a document', async () => {
    const { stdout } = await commandIn(
      dir,
      'policy',
      'explain',
      'read_file',
      '{"path":"a.md"}',
      '--policy=policy.yaml',
      '--json',
    );
    expect(JSON.parse(stdout)).toMatchObject({
      decision: 'ask',
      tool: { source: 'host', name: 'read_file', paths: ['path'] },
      verdict: { rule: '#2' },
      rules: [
        { rule: 'no-secrets', matches: false },
        { rule: '#2', matches: true },
      ],
    });
  });

  it('knows sources, and says when a tool is nobody it knows', async () => {
    const remote = await commandIn(dir, 'policy', 'explain', 'mcp:files/write', '{}', '--policy=policy.yaml');
    expect(remote.stdout).toContain('mcp:files/write {}: asked about by unlisted');
    expect(remote.stderr).toBe('');
    const stranger = await commandIn(dir, 'policy', 'explain', 'reed_file', '{}', '--policy=strict.yaml');
    expect(stranger.stdout).toContain('denied by unlisted');
    expect(stranger.stderr).toContain("did you mean 'read_file'?");
  });

  it('refuses arguments that are no JSON, and those that would never reach a guard', async () => {
    const broken = await commandIn(dir, 'policy', 'explain', 'read_file', '{path: 1}');
    expect(broken).toMatchObject({ code: 2, stdout: '' });
    expect(broken.stderr).toMatch(/the arguments are no JSON .*in single quotes/);
    const wrong = await commandIn(dir, 'policy', 'explain', 'read_file', '{"path":1}');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/no arguments of 'read_file'/);
  });

  it("counts the folder's own policy and the personality's", async () => {
    const project = mkdtempSync(join(tmpdir(), 'project-'));
    mkdirSync(join(project, '.treblehook'));
    writeFileSync(
      join(project, '.treblehook', 'policy.yaml'),
      'rules: [{ tools: list_files, decision: ask, reason: may it? }]',
    );
    writeFileSync(
      join(project, 'p.yaml'),
      'id: p\npolicy:\n  rules: [{ id: quiet, tools: list_files, personalities: p, decision: deny, reason: no }]',
    );
    const { stdout } = await commandIn(project, 'policy', 'explain', 'list_files', '--personality=p.yaml');
    expect(stdout).toContain('denied by personality:quiet');
    expect(stdout).toContain('project:#1 (ask): matches');
    const run = await commandIn(project, 'run', 'list the files', '--on-ask=deny', '--no-store', '--json');
    expect(JSON.parse(run.stdout)).toMatchObject({ toolCalls: [{ name: 'list_files', outcome: 'denied' }] });
    rmSync(project, { recursive: true, force: true });
  });
});

describe('policy check', () => {
  it('says what there is, and what in it names no tool', async () => {
    writeFileSync(at('idle.yaml'), 'mode: dry-run\nrules: [{ tools: red_file, decision: deny, reason: no }]');
    const loose = await commandIn(dir, 'policy', 'check', 'idle.yaml');
    expect(loose).toMatchObject({
      code: 0,
      stdout:
        'operator: 1 rule, dry-run; what cannot be told: deny\ndefault: asks about write_file, edit_file, delete_file, run_command, fetch_url, which the policy does not name\n',
    });
    expect(loose.stderr).toMatch(/warning: .*'red_file' matches no tool: did you mean 'read_file'\?/);
    expect((await commandIn(dir, 'policy', 'check', 'idle.yaml', '--strict')).code).toBe(2);
    const { stdout } = await commandIn(dir, 'policy', 'check', 'idle.yaml', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      layers: [{ mode: 'dry-run' }, { layer: 'default' }],
      warnings: [{ code: 'TH_MATCHES_NOTHING' }],
    });
  });

  it('refuses a wrong one with line and mend', async () => {
    writeFileSync(at('wrong.yaml'), 'rules:\n  - tools: x\n    decision: allow\n    reason: y\n');
    const { code, stderr } = await commandIn(dir, 'policy', 'check', 'wrong.yaml');
    expect(code).toBe(2);
    expect(stderr).toMatch(/wrong\.yaml:3:15: there is no 'allow'/);
  });
});

describe('policy test', () => {
  const cases = (text: string) => writeFileSync(at('cases.yaml'), `policy: policy.yaml\ncases:\n${text}`);

  it('passes and fails by what the policy says', async () => {
    cases(`  - { tool: read_file, args: { path: secrets/key }, expect: deny, rule: no-secrets }
  - { tool: read_file, args: { path: a.md }, expect: ask }
  - { tool: list_files, expect: silent }
`);
    expect(await commandIn(dir, 'policy', 'test', 'cases.yaml')).toMatchObject({
      code: 0,
      stdout: '3 passed, 0 failed\n',
    });
    expect(await commandIn(tmpdir(), 'policy', 'test', at('cases.yaml'), `--dir=${dir}`)).toMatchObject({ code: 0 });
    cases(`  - { name: texts, tool: read_file, args: { path: a.md }, expect: deny }
  - { tool: read_file, args: { path: secrets/key }, expect: deny, rule: other }
`);
    const failed = await commandIn(dir, 'policy', 'test', 'cases.yaml');
    expect(failed.code).toBe(1);
    expect(failed.stdout).toBe(`${at('cases.yaml')}:3:5 texts: expected deny, got ask by #2
${at('cases.yaml')}:4:5 read_file {"path":"secrets/key"}: expected rule other, got no-secrets
0 passed, 2 failed
`);
    const { stdout } = await commandIn(dir, 'policy', 'test', 'cases.yaml', '--policy=strict.yaml', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ passed: 1, failed: 1 });
  });

  it.each([
    ['  []', /empty list/],
    ['  - { expect: deny }', /'tool' is missing/],
    ['  - { tool: x }', /'expect' is missing/],
    ['  - { tool: x, expect: allow }', /neither 'deny', 'ask' nor 'silent'/],
    ['  - { tool: x, expect: deny, arg: 1 }', /did you mean 'args'/],
  ])('refuses %s', async (text, message) => {
    cases(text);
    const { code, stderr } = await commandIn(dir, 'policy', 'test', 'cases.yaml');
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe('policy simulate', () => {
  it('lists the calls of a session whose verdict would be another one', async () => {
    const run = await commandIn(dir, 'run', 'list the files', '--session=s1', '--json');
    expect(run.code).toBe(0);
    const same = await commandIn(dir, 'policy', 'simulate', 's1', '--policy=policy.yaml');
    expect(same).toMatchObject({ code: 0, stdout: '1 calls judged, 0 would differ\n' });
    const strict = await commandIn(dir, 'policy', 'simulate', 's1', '--policy=strict.yaml', '--json');
    expect(JSON.parse(strict.stdout)).toMatchObject({
      calls: 1,
      unsealed: 0,
      differences: [{ tool: 'host/list_files', was: 'silent', now: 'deny', rule: 'unlisted' }],
    });
    const denied = await commandIn(dir, 'run', 'list the files', '--session=s2', '--policy=strict.yaml', '--json');
    expect(denied.code).toBe(0);
    const back = await commandIn(dir, 'policy', 'simulate', 's2', '--policy=policy.yaml');
    expect(back.stdout).toMatch(/host\/list_files .*: was deny, would be silent\n1 calls judged, 1 would differ\n/);
  });

  it('needs a policy and a session that is there', async () => {
    expect((await commandIn(dir, 'policy', 'simulate', 's1')).stderr).toMatch(/needs the policy to try/);
    expect((await commandIn(dir, 'policy', 'simulate', 's9', '--policy=policy.yaml')).code).toBe(2);
  });
});

describe('the page on writing a policy', () => {
  it('shows a policy that does what its cases say', async () => {
    const page = readFileSync(new URL('../../../docs/how-to/write-a-policy.md', import.meta.url), 'utf8');
    const folder = mkdtempSync(join(tmpdir(), 'page-'));
    for (const [, name, text] of page.matchAll(/```yaml\n# (\S+\.yaml)\n(.*?)```/gs)) {
      writeFileSync(join(folder, name!), text!);
    }
    expect(await commandIn(folder, 'policy', 'test', 'cases.yaml')).toMatchObject({
      code: 0,
      stdout: '3 passed, 0 failed\n',
    });
    rmSync(folder, { recursive: true, force: true });
  });
});
