// Owns the laws of `policy check`: what can never match is told of every tool that can be known here, and of no other.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandIn, type Commanded } from './command.js';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'policy-check-'));
  mkdirSync(join(dir, 'work'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const check = (rules: string, ...flags: string[]): Promise<Commanded> => {
  writeFileSync(join(dir, 'p.yaml'), `rules:\n${rules}`);
  return commandIn(dir, 'policy', 'check', 'p.yaml', ...flags);
};
const rule = (tools: string, test = ''): string => `  - { tools: '${tools}', ${test} decision: deny, reason: no }\n`;

describe('of a built-in tool', () => {
  it.each([
    ["when: { /pth: { glob: '*.md' } },", /p\.yaml:2:35: policy rule #1: '\/pth' .* did you mean '\/path'\?/],
    [
      'when: { /path: { equals: ./a.md } },',
      /p\.yaml:2:52: policy rule #1: "\.\/a\.md" is no path in .*: write "a\.md"/,
    ],
    [
      "when: { /command: { glob: 'rm -rf*' } },",
      /never holds for 'run_command': 'glob' looks at a text, .* use 'command'/,
      'run_command',
    ],
    [
      'when: { /method: { equals: get } },',
      /never holds for 'fetch_url': it is "GET" or "HEAD": did you mean 'GET'\?/,
      'fetch_url',
    ],
    ['paths: { not: { within: [., wrok] } },', /p\.yaml:2:55: .*there is nothing at 'wrok': did you mean 'work'\?/],
  ])('%s is told, and refused by --strict', async (test, message, tool = 'read_file') => {
    const loose = await check(rule(tool, test));
    expect([loose.code, loose.stderr]).toEqual([0, expect.stringMatching(message)]);
    const strict = await check(rule(tool, test), '--strict');
    expect([strict.code, strict.stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

it('a folder that may come to be is no fault, nor is one that arguments are compared with', async () => {
  const inside = rule('read_file', 'paths: { within: [~/.nobody, build, work] },');
  const compared = rule('read_file', "when: { '': { not: { equals: { within: wrok } } } },");
  expect(await check(inside + compared, '--strict')).toMatchObject({ code: 0, stderr: '' });
});

it('each fault of a policy that is refused is told with its line', async () => {
  const { code, stderr } = await check(
    "  - { tools: ' ', decision: dney, reason: x }\n  - { tools: x, decison: deny, reason: x }\nunlisted: no\n",
  );
  expect([code, stderr.match(/p\.yaml:\d+:\d+/g)]).toEqual([
    2,
    ['p.yaml:2:14', 'p.yaml:2:29', 'p.yaml:3:17', 'p.yaml:4:11'],
  ]);
});

it('a rule for every tool is no fault where no tool that is offered declares what it looks at', async () => {
  writeFileSync(
    join(dir, 'p.yaml'),
    `rules:\n${rule('*', 'commands: { program: git },')}${rule('*', 'hosts: { host: private },')}`,
  );
  const { code, stderr } = await commandIn(dir, 'run', 'hello', '--policy=p.yaml', '--strict', '--no-store');
  expect([code, stderr]).toEqual([0, '']);
});

describe('a rule for tools that nobody here can list', () => {
  const both = rule('mcp:files/write_*') + rule('plugin:notes/*');

  it('is said not to be known, and is no fault', async () => {
    const { code, stdout, stderr } = await check(both, '--strict');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /p\.yaml:2:14: policy rule #1: whether 'mcp:files\/write_\*' .*: name the servers by --mcp=</,
    );
    expect(stdout).toMatch(/p\.yaml:3:14: policy rule #2: whether 'plugin:notes\/\*' .*: only the program/);
    const document = await check(both + rule('red_file'), '--json');
    expect(JSON.parse(document.stdout)).toMatchObject({
      warnings: [{ message: expect.stringContaining("'red_file'") as string }],
      notKnown: [
        { message: expect.stringContaining('mcp:files') as string },
        { message: expect.stringContaining('plugin:notes') as string },
      ],
    });
  });

  it('is looked at when the servers are named', async () => {
    const script = fileURLToPath(new URL('../../mcp/test/hostile-server.mjs', import.meta.url));
    const server = { command: process.execPath, args: [script, '{}'] };
    writeFileSync(join(dir, 'm.yaml'), JSON.stringify({ servers: { 'a-b': server } }));
    const known = rule('mcp:a-b/echo') + rule('plugin:notes/*');
    expect(await check(known, '--strict', '--mcp=m.yaml')).toMatchObject({ code: 0, stderr: '' });
    const wrong = await check(known + rule('mcp:a-b/ecko'), '--strict', '--mcp=m.yaml');
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringMatching(/p\.yaml:4:14: .*did you mean 'mcp:a-b\/echo'/),
    ]);
  });
});
