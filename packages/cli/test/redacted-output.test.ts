// Owns the laws that a key of the environment is in no line that the command writes, and that nothing else is left out of a call.
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

describe('what a model has written is whole in', () => {
  it.each([
    ['a question', ['session', 'show']],
    ['the audit', ['audit']],
    ['the log as lines', ['session', 'export']],
    ['the log as a document', ['session', 'export', '--format', 'json']],
    ['the page', ['session', 'export', '--format', 'markdown']],
  ])('%s', async (_, words) => {
    const cwd = await mkdtemp(join(tmpdir(), 'treblehook-redacted-'));
    made.push(cwd);
    const within = { cwd, env: { TREBLEHOOK_API_KEY: key } };
    const args = JSON.stringify({ command: ['python3', '-c', "u='://';os.system('touch'+chr(32)+'x')#@ok.org"] });
    await commandWith(within, 'run', `Use run_command ${args}`, '--tools=all', '--session', 's');
    const { code, stdout } = await commandWith(within, ...words, 's');
    expect(code).toBe(0);
    expect(stdout).toContain("u='://';os.system('touch'+chr(32)+'x')#@ok.org");
    expect(stdout).not.toContain('[redacted]');
  });

  it('the explanation of a policy', async () => {
    const args = JSON.stringify({ command: ['python3', '-c', "u='://';os.system('touch x')#@ok.org"] });
    const { stdout } = await command('policy', 'explain', 'run_command', args);
    expect(stdout.split("u='://';os.system('touch x')#@ok.org")).toHaveLength(3); // the arguments, and what they run
  });
});
