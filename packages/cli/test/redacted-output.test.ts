// Owns the law that a key of the environment is in no line that the command writes, wherever the line comes from.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { commandWith } from './command.js';

const key = 'sk-hush-hush-12345';
const made: string[] = [];
afterEach(async () => {
  for (const dir of made.splice(0)) await rm(dir, { recursive: true });
});

async function command(...argv: string[]) {
  const cwd = await mkdtemp(join(tmpdir(), 'treblehook-redacted-'));
  made.push(cwd);
  await writeFile(join(cwd, `${key}.yaml`), 'id: p\ntools: [read_file, "never_*"]\n');
  const rule = `{ tools: read_file, decision: deny, reason: ${key} stays }`;
  await writeFile(join(cwd, 'policy.yaml'), `rules: [${rule}]\n`);
  return commandWith({ cwd, env: { TREBLEHOOK_API_KEY: key } }, ...argv);
}

describe('no key is in', () => {
  it.each([
    ['the line of a fault', ['run', 'x', '--policy', `${key}.json`], 'there is no such file'],
    ['a warning of a run', ['run', 'hello', '--personality', `${key}.yaml`], 'matches none of the tools'],
    ['a warning of a plan', ['plan', '--personality', `${key}.yaml`], 'matches none of the tools'],
    ['the notes of tool calls', ['run', `Use read_file on "${key}.txt".`], '· read_file'],
    ['the trace', ['run', 'Use read_file on "a.txt".', '--policy', 'policy.yaml', '--trace'], '(rule #1)'],
  ])('%s', async (_, argv, told) => {
    const { stdout, stderr } = await command(...argv);
    expect(stdout + stderr).toContain(told);
    expect(stdout + stderr).not.toContain(key);
  });
});
