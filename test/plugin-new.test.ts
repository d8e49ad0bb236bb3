// Owns the proof that what `treblehook plugin new` writes is right as it is: it compiles, its tests pass, it builds.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkManifestHooks, readManifest } from '@treblehook/host';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compilers } from '../scripts/compilers.mjs';
import { run } from '../scripts/run.mjs';
import { root } from '../scripts/workspace.mjs';

// inside the workspace, where the packages are found by their names: as built
const cache = join(root, '.cache');
let dir: string;
beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  dir = mkdtempSync(join(cache, 'plugin-new-'));
  const bin = join(root, 'packages/cli/dist/bin.js');
  const { ok, output } = await run([process.execPath, bin, 'plugin', 'new', 'acme-notes', '--dir', dir], { cwd: root });
  if (!ok) throw new Error(output);
});
afterAll(() => rmSync(dir, { recursive: true }));

// with older compilers, and outside of the workspace: scripts/outside.mjs
it('passes its own tests', async () => {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const { ok, output } = await run([process.execPath, vitest, 'run', '--root', dir], { cwd: dir });
  expect(ok, output).toBe(true);
});

it('compiles, its tests included, and builds a module whose default export is the plugin', async () => {
  const { argv } = compilers[0]!;
  const compile = (project: string) => run([...argv, '--pretty', 'false', '--skipLibCheck', 'false', '-p', project]);
  expect(await compile(dir)).toEqual({ ok: true, output: '' });
  expect(await compile(join(dir, 'tsconfig.build.json'))).toEqual({ ok: true, output: '' });
  const built = (await import(pathToFileURL(join(dir, 'dist', 'index.js')).href)) as { readonly default: object };
  expect(built.default).toMatchObject({ id: 'acme-notes' });
  const manifest = await readManifest(dir);
  expect(manifest).toMatchObject({ id: 'acme-notes', plugin: join(dir, 'dist', 'index.js') });
  expect(() => checkManifestHooks(manifest, [])).not.toThrow();
});
