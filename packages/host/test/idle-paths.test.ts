// Owns the law that a rule which spells a path so as no path is sealed is told: it would deny nothing.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { scriptedModel } from '@treblehook/agent/testing';
import { deleteFileTool, folderTools } from '@treblehook/tools';
import { defineTool, type JsonValue } from '@treblehook/types';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createHost, type HostOptions } from '../src/index.js';
import { folderWith } from './temp.js';

const foreign = defineTool({
  name: 'open_path',
  description: 'Opens a path as it is written.',
  input: z.object({ path: z.string() }),
  paths: ['path'],
  execute: () => 'opened',
});
const deny = (
  when: Record<string, { glob: string } | { equals: JsonValue } | { in: JsonValue[] }>,
  tools = 'read_file',
) => ({
  rules: [{ tools, when, decision: 'deny' as const, reason: 'r' }],
});
async function saidOf(dir: string, policy: HostOptions['policy'], strict = false): Promise<readonly string[]> {
  const tools = [...folderTools(dir), deleteFileTool(dir), foreign];
  const made = { model: scriptedModel([]), tools, cwd: dir, policy: policy!, strict, onWarning: () => {} };
  return (await createHost(made)).warnings.map(({ code, message }) => `${code} ${message}`);
}

it.each([
  [{ glob: './a.md' }, 'a.md'],
  [{ equals: 'sub/../a.md' }, 'a.md'],
  [{ glob: './*.md' }, '*.md'],
  [{ glob: 'sub/./*' }, 'sub/*'],
  [{ glob: 'sub//*' }, 'sub/*'],
  [{ glob: '*/sub/' }, '*/sub'],
  [{ equals: 'sub/' }, 'sub'],
  [{ in: ['b.md', './a.md'] }, 'a.md'],
  [{ equals: 'link/c.md' }, 'sub/c.md'],
  [{ glob: 'link/*' }, 'sub/*'],
])('%j is a warning that says to write %j', async (when, mend) => {
  const dir = await folderWith({ 'a.md': 'a', 'sub/c.md': 'c' });
  await symlink('sub', join(dir, 'link'));
  const [said, ...more] = await saidOf(dir, deny({ '/path': when }));
  expect(more).toEqual([]);
  expect(said).toMatch(
    /^TH_MATCHES_NOTHING policy at rules\[0\]\.when\.\/path\.(?:glob|equals|in\[1\]): policy rule #1: /,
  );
  expect(said).toContain(`so it matches none: write ${JSON.stringify(mend)}`);
});

it('an absolute path of the folder is one, with the name from the folder, and ends a strict host', async () => {
  const dir = await folderWith({ 'docs/a.md': 'a' });
  for (const [when, mend] of [
    [{ equals: `${dir}/docs/a.md` }, '"docs/a.md"'],
    [{ glob: `${dir}/docs/*` }, '"docs/*"'],
    [{ glob: `${dir}/*` }, '"*"'],
  ] as const) {
    expect(await saidOf(dir, deny({ '/path': when }))).toEqual([expect.stringContaining(`write ${mend}`)]);
    await expect(saidOf(dir, deny({ '/path': when }), true)).rejects.toMatchObject({ code: 'TH_MATCHES_NOTHING' });
  }
});

it.each([
  ['the normal form', deny({ '/path': { in: ['.', 'a.md', 'sub/b', 'not/yet'] } })],
  ['globs', deny({ '/path': { glob: 'sub/*' } })],
  ['a path that leads out, which is sealed as it is written', deny({ '/path': { glob: '../*' } })],
  ['an absolute path elsewhere', deny({ '/path': { equals: '/etc/passwd' } })],
  ['another argument', deny({ '/query': { equals: './x' } }, 'search_files')],
  ['what is no text', deny({ '/path': { in: [1, 'a.md'] } })],
  ['a tool that may seal its paths as they are written', deny({ '/path': { equals: './x' } }, '*_*')],
  ['the link itself, of a tool that does not follow it', deny({ '/path': { equals: 'link' } }, 'delete_file')],
])('%s is none', async (_, policy) => {
  const dir = await folderWith({ 'a.md': 'a' });
  await symlink('a.md', join(dir, 'link'));
  expect(await saidOf(dir, policy)).toEqual([]);
});
