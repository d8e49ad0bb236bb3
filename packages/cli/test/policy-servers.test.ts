// Owns the law of `--mcp` of the policy commands: what servers list is known to each of them as the built-in tools are.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandIn, type Commanded } from './command.js';

let dir: string;
const script = fileURLToPath(new URL('../../mcp/test/hostile-server.mjs', import.meta.url));
const inputSchema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
const tools = [{ name: 'echo', inputSchema, annotations: { readOnlyHint: true } }];
const serverFile = (plan: object = {}): void =>
  writeFileSync(
    join(dir, 'm.yaml'),
    JSON.stringify({ servers: { every: { command: process.execPath, args: [script, JSON.stringify(plan)] } } }),
  );
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'policy-servers-'));
  serverFile({ tools });
  writeFileSync(
    join(dir, 'p.yaml'),
    "rules:\n- { id: changes, tools: 'mcp:every/*', annotations: { readOnlyHint: false }, decision: deny, reason: r }\n",
  );
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const explain = (tool: string, args: string, ...flags: string[]): Promise<Commanded> =>
  commandIn(dir, 'policy', 'explain', tool, args, '--policy=p.yaml', ...flags);

describe('with the servers named', () => {
  it('explain knows what a tool declares, and its schema', async () => {
    const known = await explain('mcp:every/echo', '{"word":"x"}', '--mcp=m.yaml');
    expect([known.code, known.stderr]).toEqual([0, '']);
    expect(known.stdout).toContain('annotations does not hold');
    const wrong = await explain('mcp:every/echo', '{"wort":"x"}', '--mcp=m.yaml');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("no arguments of 'mcp:every/echo'")]);
    expect((await explain('mcp:every/echo', '{"wort":"x"}')).stderr).toContain('name its server by --mcp=');
  });

  it('test judges by what it declares, and tells a name that no server has', async () => {
    writeFileSync(
      join(dir, 'c.yaml'),
      `policy: p.yaml
cases:
  - { tool: mcp:every/echo, args: { word: x }, expect: silent }
  - { tool: mcp:every/echo, args: {}, expect: refused }
  - { tool: mcp:evry/echo, args: { word: x }, expect: ask }
`,
    );
    const { code, stdout, stderr } = await commandIn(dir, 'policy', 'test', 'c.yaml', '--mcp=m.yaml');
    expect([code, stdout]).toEqual([0, '3 passed, 0 failed\n']);
    expect(stderr).toMatch(
      /c\.yaml:5:\d+: the servers have no tool 'mcp:evry\/echo': .*did you mean 'mcp:every\/echo'\?/,
    );
  });

  it('check prints the names of their tools, and the nearest of a glob that matches none', async () => {
    const { stdout } = await commandIn(dir, 'policy', 'check', 'p.yaml', '--mcp=m.yaml');
    expect(stdout).toContain('mcp:every has mcp:every/echo\n');
    const document = await commandIn(dir, 'policy', 'check', 'p.yaml', '--mcp=m.yaml', '--json');
    expect(JSON.parse(document.stdout)).toMatchObject({ tools: ['mcp:every/echo'] });
    writeFileSync(join(dir, 'q.yaml'), "rules:\n- { tools: 'mcp:evry/*', decision: deny, reason: r }\n");
    const misspelt = await commandIn(dir, 'policy', 'check', 'q.yaml', '--mcp=m.yaml', '--strict');
    expect([misspelt.code, misspelt.stderr]).toEqual([2, expect.stringContaining("did you mean 'mcp:every/*'?")]);
  });

  it('check tells a word on a server that is none', async () => {
    writeFileSync(join(dir, 'q.yaml'), "unlisted: { 'mcp:every': ask, 'mcp:evry': deny, mcp: ask }\n");
    const { code, stderr } = await commandIn(dir, 'policy', 'check', 'q.yaml', '--mcp=m.yaml', '--strict');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/q\.yaml:1:31: .* did you mean 'mcp:every'\?\n$/)]);
    expect((await commandIn(dir, 'policy', 'check', 'q.yaml', '--strict')).code).toBe(0);
  });

  it('what a server that fails has written is told once', async () => {
    serverFile({ initialize: 'exit', stderr: 'no such disk\n' });
    const { code, stderr } = await commandIn(dir, 'policy', 'check', 'p.yaml', '--mcp=m.yaml');
    serverFile({ tools });
    expect([code, stderr.match(/no such disk/g)]).toEqual([2, ['no such disk']]);
    expect(stderr).toContain("MCP server 'every' wrote: no such disk");
  });
});

it('explain says in its answer that nobody has a tool of that name', async () => {
  const { stdout } = await explain('readfile', '{}');
  expect(stdout).toContain('host/readfile {}: there is no such tool here; one of that name is passed in silence\n');
});
