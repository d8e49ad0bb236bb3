// Owns the laws of the examples: each runs as its reader would run it, warns of nothing, and prints what it says it prints.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { examples, runExample } from './run-example.js';

it('the first hook amends the system text, sees the tools, and leaves the answer to the model', async () => {
  const stdout = await runExample('first-hook');
  expect(stdout).toContain('system text: "You answer from the files.\\n\\nName the file."\n');
  expect(stdout.match(/^system text:/gm)).toHaveLength(1);
  expect(stdout).toMatch(/^read_file: ok$/m);
  expect(stdout).toMatch(/^done: Offline model/m);
  expect(stdout).toMatch(/^ +1: Say good morning before noon/m);
});

it.each([
  'ordered-tenant',
  'guard',
  'built-in-tools',
  'channel',
  'metrics',
  'five-disciplines',
  'classic-mistakes',
  'chain-hooks',
  'around',
  'kernel',
  'redact-plugin',
  'redact',
  'verify-finish',
  'tracing',
  'budget',
  'prompt-cache',
  'notes-plugin',
  'embed-http',
  'embed-queue',
  'embed-test',
  'audit',
  'veto',
  'rewrite-and-redact',
  'todays-date',
  'sandbox-path',
  'dangerous-command',
  'usage-report',
  'both-levels',
  'team',
  'runtime-tenants',
  'mcp',
])('%s prints its output.txt', async (name) => {
  await expect(await runExample(name)).toMatchFileSnapshot(join(examples, name, 'output.txt'));
});

it('approval: what one process asks another one finds, a third one answers, once', async () => {
  const temp = await mkdtemp(join(tmpdir(), 'treblehook-examples-'));
  let said = '';
  const step = async (...words: string[]): Promise<string> => {
    const stdout = await runExample('approval', words, temp);
    said += `$ main.ts ${words.join(' ')}\n${stdout}`;
    return stdout;
  };
  const idIn = (text: string): string => /request_[\w-]+/.exec(text)?.[0] ?? 'none';
  try {
    await step('ask');
    const first = idIn(await step('list'));
    await step('answer', first, 'yes');
    await step('answer', first, 'no');
    await step('list');
    await step('ask');
    await step('answer', idIn(await runExample('approval', ['list'], temp)), 'no');
  } finally {
    await rm(temp, { recursive: true });
  }
  const masked = said.replaceAll(/request_[\w-]+/g, 'request_…');
  await expect(masked).toMatchFileSnapshot(join(examples, 'approval', 'output.txt'));
}, 60_000);

it('each is at most 60 lines, opens with what it shows, ends by itself, and is listed', async () => {
  const listed = await readFile(join(examples, 'README.md'), 'utf8');
  const entries = await readdir(examples, { withFileTypes: true });
  const files = entries.filter(({ name }) => name.endsWith('.ts')).map(({ name }) => name);
  for (const entry of entries) {
    if (!entry.isDirectory() || ['node_modules', 'test', 'dist'].includes(entry.name)) continue;
    expect(listed).toContain(`](${entry.name}/main.ts)`);
    for (const file of await readdir(join(examples, entry.name))) {
      if (/(?<!\.test)\.ts$/.test(file)) files.push(join(entry.name, file));
    }
  }
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const text = await readFile(join(examples, file), 'utf8');
    expect(text.split('\n').length - 1, file).toBeLessThanOrEqual(60);
    expect(text, file).toMatch(/^\/\*\*\s/);
    if (!file.startsWith('main-job')) expect(text, file).not.toMatch(/process\.(exit|abort)\(/); // it ends with its reader
  }
});
