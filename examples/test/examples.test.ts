// Owns the laws of the examples: each runs as its reader would run it, warns of nothing, and prints what it says it prints.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const examples = join(import.meta.dirname, '..');
const root = join(examples, '..');

async function run(name: string, words: readonly string[] = [], temp = tmpdir()): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', join('examples', name, 'main.ts'), ...words],
    {
      cwd: root,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        FORCE_COLOR: '0',
        TSX_TSCONFIG_PATH: join(root, 'tsconfig.json'),
        TMPDIR: temp,
        TEMP: temp,
      },
    },
  );
  expect(stderr).toBe('');
  return stdout;
}

it('the first hook amends the system text, sees the tools, and leaves the answer to the model', async () => {
  const stdout = await run('first-hook');
  expect(stdout).toContain('system text: "You answer from the files.\\n\\nName the file."\n');
  expect(stdout.match(/^system text:/gm)).toHaveLength(1);
  expect(stdout).toMatch(/^read_file: ok$/m);
  expect(stdout).toMatch(/^done: Offline model/m);
  expect(stdout).toMatch(/^ +1: Say good morning before noon/m);
});

it.each([
  'ordered-tenant',
  'guard',
  'channel',
  'metrics',
  'five-disciplines',
  'classic-mistakes',
  'chain-hooks',
  'kernel',
  'redact-plugin',
])('%s prints its output.txt', async (name) => {
  await expect(await run(name)).toMatchFileSnapshot(join(examples, name, 'output.txt'));
});

it('approval: what one process asks another one finds, a third one answers, once', async () => {
  const temp = await mkdtemp(join(tmpdir(), 'treblehook-examples-'));
  let said = '';
  const step = async (...words: string[]): Promise<string> => {
    const stdout = await run('approval', words, temp);
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
    await step('answer', idIn(await run('approval', ['list'], temp)), 'no');
  } finally {
    await rm(temp, { recursive: true });
  }
  const masked = said.replaceAll(/request_[\w-]+/g, 'request_…');
  await expect(masked).toMatchFileSnapshot(join(examples, 'approval', 'output.txt'));
}, 60_000);

it('each is at most 60 lines, opens with what it shows, and is listed', async () => {
  const listed = await readFile(join(examples, 'README.md'), 'utf8');
  const folders = (await readdir(examples, { withFileTypes: true })).filter(
    (entry) => entry.isDirectory() && !['node_modules', 'test', 'dist'].includes(entry.name),
  );
  for (const { name } of folders) {
    expect(listed).toContain(`](${name}/main.ts)`);
    const files = (await readdir(join(examples, name))).filter((file) => /(?<!\.test)\.ts$/.test(file));
    for (const file of files) {
      const text = await readFile(join(examples, name, file), 'utf8');
      expect(text.split('\n').length - 1, `${name}/${file}`).toBeLessThanOrEqual(60);
      expect(text, `${name}/${file}`).toMatch(/^\/\*\*\s/);
    }
  }
});
