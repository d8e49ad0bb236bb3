// Owns the laws of plugins on the command line as people run it: the built command imports what has consent, from the
// bytes that were shown.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, treblehook } from './command-line.js';

let dir: string;
beforeAll(() => {
  build();
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'cli-plugins-')));
  mkdirSync(join(dir, 'work'));
  const mark = join(dir, 'ran');
  writeFileSync(
    join(dir, 'work', 'shy.ts'),
    `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(mark)}, '');
const id: string = 'shy';
export default { id, setup(api: any) { api.hooks.registerModifying('beforeRun', () => ({ deny: 'not today' }), { id: 'no' }); } };
`,
  );
  writeFileSync(
    join(dir, 'work', 'treblehook.config.yaml'),
    'plugins: [./shy.ts]\npersonalities: [{ id: p, plugins: [shy] }]\n',
  );
}, 120_000);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('a run is refused, then consent is given, then the plugin is there', async () => {
  const env = { HOME: dir, XDG_CONFIG_HOME: '', TREBLEHOOK_TRUST: '' };
  const within = { cwd: join(dir, 'work'), env };
  const refused = await treblehook(['run', 'hello', '--no-store'], within);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('treblehook trust')]);
  expect(existsSync(join(dir, 'ran'))).toBe(false);
  expect((await treblehook(['trust', '--yes'], within)).code).toBe(0);
  expect(existsSync(join(dir, 'ran'))).toBe(false);
  expect(existsSync(join(dir, '.config', 'treblehook', 'trust.json'))).toBe(true);
  const plan = await treblehook(['why', 'shy'], within);
  expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining('shy')]);
  expect(existsSync(join(dir, 'ran'))).toBe(true);
}, 60_000);
