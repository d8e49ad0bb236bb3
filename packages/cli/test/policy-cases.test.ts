// Owns the laws of the cases of `policy test`: what is said of a tool that is not known here, and what a tool refuses.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandIn, type Commanded } from './command.js';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'policy-cases-'));
  writeFileSync(
    join(dir, 'policy.yaml'),
    `rules:
  - { id: writes, tools: 'mcp:files/*', annotations: { readOnlyHint: false }, decision: ask, reason: may it? }
  - { id: inside, tools: 'mcp:*', paths: { not: { within: '.' } }, decision: deny, reason: outside }
  - { id: private, tools: 'mcp:*', hosts: { host: private }, decision: deny, reason: private }
  - { id: push, tools: 'mcp:*', commands: { program: git, word: push }, decision: deny, reason: no push }
`,
  );
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const test = (cases: string, ...flags: string[]): Promise<Commanded> => {
  writeFileSync(join(dir, 'cases.yaml'), `policy: policy.yaml\ncases:\n${cases}`);
  return commandIn(dir, 'policy', 'test', 'cases.yaml', ...flags);
};

describe('what a tool of a server declares', () => {
  it('can be said by a case; else the worst holds', async () => {
    expect(
      await test(`  - { tool: mcp:files/read, expect: ask, rule: writes }
  - { tool: mcp:files/read, annotations: { readOnlyHint: true }, expect: silent }
  - { tool: mcp:files/read, annotations: { readOnlyHint: true }, paths: [at], args: { at: ../x }, expect: deny, rule: inside }
  - { tool: mcp:web/get, urls: at, args: { at: 'http://10.0.0.1' }, expect: deny, rule: private }
  - { tool: mcp:sh/run, commands: [line], args: { line: git push }, expect: deny, rule: push }
`),
    ).toMatchObject({ code: 0, stdout: '5 passed, 0 failed\n' });
  });

  it.each([
    ['annotations: { readOnly: true }', /:3:\d+: there is no 'readOnly' here: did you mean 'readOnlyHint'\?/],
    ['annotations: { readOnlyHint: sure }', /'cases\[0\]\.annotations\.readOnlyHint' is neither true nor false/],
    ['paths: []', /is an empty list/],
    ['paths: [1]', /write a text/],
  ])('%s is refused', async (field, message) => {
    const { code, stderr } = await test(`  - { tool: mcp:files/read, ${field}, expect: ask }\n`);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it('is no news of a built-in tool', async () => {
    const { code, stderr } = await test('  - { tool: list_files, paths: [path], expect: silent }\n');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/:3:13: .* what 'list_files' declares is known here/)]);
  });

  it('is said to `explain` by a flag; without it, it says what the tool is taken for', async () => {
    const explain = (...flags: string[]) =>
      commandIn(dir, 'policy', 'explain', 'mcp:files/read', '{"at":"../x"}', '--policy=policy.yaml', ...flags);
    const worst = await explain();
    expect(worst.stdout).toMatch(/asked about by writes/);
    expect(worst.stderr).toMatch(
      /nothing is known here of 'mcp:files\/read': it is judged by the worst hints .*--declares/,
    );
    const reads = await explain('--declares={"annotations":{"readOnlyHint":true}}');
    expect(reads).toMatchObject({ stderr: '', stdout: expect.stringMatching(/passed in silence/) as string });
    expect((await explain('--declares={"paths":["at"]}')).stdout).toMatch(/denied by inside/);
    expect((await explain('--declares={paths}')).stderr).toMatch(/--declares is no JSON .*in single quotes/);
    expect((await explain('--declares={"path":["at"]}')).stderr).toMatch(/--declares.*did you mean 'paths'\?/);
  });

  it.each([
    ['mcp:files', 'write mcp:files/<tool>'],
    ['mcp:files/', 'write mcp:files/<tool>'],
    ['plugin:', 'write plugin:<name>/<tool>'],
  ])('%s alone is no tool', async (name, mend) => {
    const { code, stderr } = await commandIn(dir, 'policy', 'explain', name, '{}', '--policy=policy.yaml');
    expect([code, stderr]).toEqual([2, expect.stringContaining(mend)]);
  });
});

describe('arguments that a tool refuses', () => {
  it('are an outcome of their case, and the others are judged', async () => {
    const cases = (expected: string) => `  - { tool: run_command, args: { command: ls }, expect: ${expected} }
  - { tool: list_files, expect: silent }
`;
    expect(await test(cases('refused'))).toMatchObject({ code: 0, stdout: '2 passed, 0 failed\n' });
    const wrong = await test(cases('ask'));
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(
      /cases\.yaml:3:5 .*: expected ask, got refused: these are no arguments of 'run_command', .*\n1 passed, 1 failed\n$/,
    );
    const { stdout } = await test('  - { tool: list_files, expect: refused }\n', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ cases: [{ passed: false, expected: 'refused', got: 'silent' }] });
  });

  it.each([
    [
      'expect: allow',
      /:3:33: 'cases\[0\]\.expect' is "allow", which is neither 'deny', 'ask', 'silent' .* nor 'refused'/,
    ],
    ['expect: [deny]', /is \["deny"\], which is neither/],
    ['expect: refused, rule: push', /leave 'rule' out/],
  ])('%s is refused', async (field, message) => {
    const { code, stderr } = await test(`  - { tool: list_files, ${field} }\n`);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
