// Owns the laws of what only warns: it is called a warning, it is in the document, and --strict refuses it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { commandIn } from './command.js';

const made: string[] = [];
afterEach(async () => {
  await Promise.all(made.splice(0).map((dir) => rm(dir, { recursive: true })));
});
async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'treblehook-'));
  made.push(dir);
  await writeFile(join(dir, 'policy.yaml'), 'rules:\n- { tools: raed_file, decision: deny, reason: r }\n');
  await writeFile(join(dir, 'reader.yaml'), 'id: reader\ntools: ["read_x*"]\n');
  return dir;
}
const cases = [
  ['a rule', ['run', 'hi', '--policy=policy.yaml'], "policy rule #1: 'raed_file' matches no tool"],
  ['a name', ['run', 'hi', '--personality=reader.yaml'], "reader.yaml:2:9: 'read_x*' matches none of the tools"],
  ['a name of a plan', ['plan', '--personality=reader.yaml'], "reader.yaml:2:9: 'read_x*' matches none of the tools"],
] as const;

describe.each(cases)('%s that matches nothing', (_, argv, told) => {
  it('is told as a warning, and the command goes on', async () => {
    const { code, stderr } = await commandIn(await folder(), ...argv);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^treblehook: warning: /);
    expect(stderr).toContain(told);
  });

  it('is in the document', async () => {
    const { stdout } = await commandIn(await folder(), ...argv, '--json');
    const { warnings } = JSON.parse(stdout) as { warnings: unknown };
    expect(warnings).toEqual([{ code: 'TH_MATCHES_NOTHING', message: expect.stringContaining(told) }]);
  });

  it('is refused by --strict, with 2 and nothing done', async () => {
    const { code, stdout, stderr } = await commandIn(await folder(), ...argv, '--strict');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^treblehook: (?!warning)[^\n]+\n$/);
    expect(stderr).toContain(told);
  });
});

describe('with --json', () => {
  it('what is refused is a document too: its error alone', async () => {
    const dir = await folder();
    const { code, stdout, stderr } = await commandIn(dir, 'run', 'hi', '--policy=no.yaml', '--json');
    const message = 'no.yaml: there is no such file: check the path';
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'TH_CONFIG_INVALID', message: expect.stringContaining(message) },
    });
    expect(stderr).toContain(message);
    const flag = await commandIn(dir, 'run', 'hi', '--polcy', 'x', '--json');
    expect(JSON.parse(flag.stdout)).toEqual({ error: { message: 'there is no flag --polcy: did you mean --policy?' } });
  });

  it('behind `--`, it is no flag, and nothing is a document', async () => {
    expect((await commandIn(await folder(), 'plan', '--', '--json')).stdout).toBe('');
  });

  it('a run without a warning says so', async () => {
    expect(JSON.parse((await commandIn(await folder(), 'run', 'hi', '--json')).stdout)).toMatchObject({ warnings: [] });
  });
});
