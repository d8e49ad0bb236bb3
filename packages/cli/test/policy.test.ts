// Owns the laws of `treblehook policy`: what it says of a call is what the guard of a run says.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

describe('a folder with several policies', () => {
  it('is refused, whichever was meant: the stricter could be the other one', async () => {
    const project = mkdtempSync(join(tmpdir(), 'project-'));
    mkdirSync(join(project, '.treblehook'));
    writeFileSync(join(project, '.treblehook', 'policy.yaml'), 'rules: []\n');
    writeFileSync(join(project, '.treblehook', 'policy.json'), '{"unlisted":"deny"}');
    for (const words of [
      ['run', 'list the files', '--no-store'],
      ['policy', 'explain', 'list_files'],
    ]) {
      const { code, stdout, stderr } = await commandIn(project, ...words, '--json');
      expect(code).toBe(2);
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'TH_CONFIG_INVALID' } });
      expect(stderr).toMatch(/\.treblehook: policy\.yaml and policy\.json are both the policy of the folder: put all/);
    }
    rmSync(join(project, '.treblehook', 'policy.json'));
    symlinkSync('nowhere', join(project, '.treblehook', 'policy.yml'));
    expect((await commandIn(project, 'policy', 'explain', 'list_files')).code).toBe(2);
    rmSync(join(project, '.treblehook', 'policy.yaml'));
    const loose = await commandIn(project, 'policy', 'explain', 'list_files');
    expect(loose.stderr).toMatch(/policy\.yml: there is no such file/);
    rmSync(join(project, '.treblehook'), { recursive: true });
    symlinkSync('nowhere', join(project, '.treblehook'));
    const gone = await commandIn(project, 'policy', 'explain', 'list_files');
    expect([gone.code, gone.stderr]).toEqual([
      2,
      expect.stringMatching(/\.treblehook: it is a link that leads nowhere/),
    ]);
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

  it('says what the default asks no more about, and which part of the policy has lifted it', async () => {
    const rule = "{ id: no-keys, tools: write_file, paths: { path: '**/*.pem' }, decision: deny, reason: no }";
    writeFileSync(at('lifting.yaml'), `rules:\n- ${rule}\n- { tools: fetch_*, decision: ask, reason: may it? }\n`);
    const { stdout } = await commandIn(dir, 'policy', 'check', 'lifting.yaml');
    expect(stdout).toContain('default: asks about edit_file, delete_file, run_command, which the policy does not name');
    expect(stdout).toContain('default: asks no more about write_file (rule no-keys), fetch_url (rule #2): ');
    writeFileSync(at('lifting.yaml'), 'unlisted: { host: silent }\n');
    const all = await commandIn(dir, 'policy', 'check', 'lifting.yaml', '--json');
    expect(JSON.parse(all.stdout)).toMatchObject({
      layers: [{ layer: 'operator', rules: 0 }],
      lifted: ['write_file', 'edit_file', 'delete_file', 'run_command', 'fetch_url'].map((tool) => ({
        tool,
        by: 'unlisted',
      })),
    });
  });

  it('refuses a wrong one with line and mend', async () => {
    writeFileSync(at('wrong.yaml'), 'rules:\n  - tools: x\n    decision: allow\n    reason: y\n');
    const { code, stderr } = await commandIn(dir, 'policy', 'check', 'wrong.yaml');
    expect(code).toBe(2);
    expect(stderr).toMatch(/wrong\.yaml:3:15: there is no 'allow'/);
    writeFileSync(at('wrong.yaml'), 'rules:\n  - { tools: x }\n  - { tools: x, decision: ask, reason: y, pats: a }\n');
    const both = await commandIn(dir, 'policy', 'check', 'wrong.yaml', '--json');
    expect(both.stderr).toMatch(
      /^treblehook: .*wrong\.yaml:2:5: 'decision' is missing .*\ntreblehook: .*wrong\.yaml:2:5: 'reason' is missing .*\ntreblehook: .*wrong\.yaml:3:43: .*did you mean 'paths'\?\n$/,
    );
    expect(JSON.parse(both.stdout)).toMatchObject({
      error: {
        code: 'TH_CONFIG_INVALID',
        message: expect.stringContaining('(2 more faults are told with it'),
        faults: [
          { code: 'TH_CONFIG_INVALID' },
          { message: expect.stringContaining('reason') },
          { message: expect.stringContaining('pats') },
        ],
      },
    });
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

  it('says of a tool that is nobody it knows that the case proves little', async () => {
    cases(`  - { tool: reed_file, expect: silent }
  - { tool: mcp:files/read, expect: ask }
`);
    const { code, stderr, stdout } = await commandIn(dir, 'policy', 'test', 'cases.yaml', '--json');
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^treblehook: \S+cases\.yaml:3:5: the command line has no tool 'reed_file': .*'read_file'\?\n$/,
    );
    const { cases: told } = JSON.parse(stdout) as { cases: readonly object[] };
    expect(told).toEqual([
      expect.objectContaining({ notice: expect.stringContaining("no tool 'reed_file'") as string }),
      expect.not.objectContaining({ notice: expect.anything() as string }),
    ]);
  });

  it('judges each case by the layers of its own personality', async () => {
    const rule =
      '{ tools: run_command, personalities: builder, commands: { program: rm }, decision: deny, reason: no }';
    writeFileSync(at('policy.yaml.builder'), `rules: [${rule}]\n`);
    writeFileSync(
      at('builder.yaml'),
      'id: builder\npolicy: { rules: [{ tools: list_files, decision: deny, reason: no }] }\n',
    );
    cases(`  - { tool: run_command, args: { command: [ls] }, personality: builder, expect: silent }
  - { tool: run_command, args: { command: [ls] }, personality: reader, expect: ask, rule: 'default:commands' }
  - { tool: run_command, args: { command: [ls] }, expect: EXPECT }
  - { tool: list_files, personality: builder, expect: LISTS }
  - { tool: list_files, personality: reader, expect: silent }
`);
    const text = readFileSync(at('cases.yaml'), 'utf8');
    const expecting = (own: string, lists: string, ...flags: string[]) => {
      writeFileSync(at('cases.yaml'), text.replace('EXPECT', own).replace('LISTS', lists));
      return commandIn(dir, 'policy', 'test', 'cases.yaml', '--policy=policy.yaml.builder', ...flags);
    };
    expect(await expecting('ask', 'silent')).toMatchObject({ stdout: '5 passed, 0 failed\n' });
    expect(await expecting('silent', 'deny', '--personality=builder.yaml')).toMatchObject({
      stdout: '5 passed, 0 failed\n',
    });
  });

  it.each([
    ['  []', /empty list/],
    ['  - { expect: deny }', /'tool' is missing/],
    ['  - { tool: x }', /'expect' is missing/],
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
    expect(same).toMatchObject({ code: 0, stdout: '1 call judged, 0 would differ\n' });
    const strict = await commandIn(dir, 'policy', 'simulate', 's1', '--policy=strict.yaml', '--json');
    expect(JSON.parse(strict.stdout)).toMatchObject({
      calls: 1,
      unsealed: 0,
      differences: [{ tool: 'host/list_files', was: 'silent', now: 'deny', rule: 'unlisted' }],
    });
    const denied = await commandIn(dir, 'run', 'list the files', '--session=s2', '--policy=strict.yaml', '--json');
    expect(denied.code).toBe(0);
    const back = await commandIn(dir, 'policy', 'simulate', 's2', '--policy=policy.yaml');
    expect(back.stdout).toMatch(/host\/list_files .*: was deny, would be silent\n1 call judged, 1 would differ\n/);
  });

  it('judges each call by the layers of the personality that made it', async () => {
    writeFileSync(
      at('lister.yaml'),
      'id: lister\npolicy: { rules: [{ id: quiet, tools: list_files, decision: deny, reason: no }] }\n',
    );
    await commandIn(dir, 'run', 'list the files', '--session=s3', '--personality=lister.yaml');
    await commandIn(dir, 'run', 'list the files', '--session=s3b');
    const own = await commandIn(dir, 'policy', 'simulate', 's3', '--policy=policy.yaml');
    expect(own).toMatchObject({ stderr: '', stdout: '1 call judged, 0 would differ\n' });
    const other = await commandIn(
      dir,
      'policy',
      'simulate',
      's3b',
      '--policy=policy.yaml',
      '--personality=lister.yaml',
    );
    expect(other.stdout).toBe('1 call judged, 0 would differ\n');
    rmSync(at('lister.yaml'));
    const gone = await commandIn(dir, 'policy', 'simulate', 's3', '--policy=policy.yaml');
    expect(gone.stderr).toContain("lister.yaml', is not there any more: its policy does not count");
    expect(gone.stdout).toContain('was deny, would be silent');
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
