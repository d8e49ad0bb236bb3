// Owns the list of checks beside the tests, and their count.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from './run.mjs';
import { root } from './workspace.mjs';

const node = process.execPath;
const tool = (/** @type {string} */ path) => join(root, 'node_modules', path);
const script = (/** @type {string} */ name) => join(root, 'scripts', name);
const tsx = ['--import', pathToFileURL(tool('tsx/dist/loader.mjs')).href];
const env = { ...process.env, TSX_TSCONFIG_PATH: join(root, 'tsconfig.base.json') };

/** @type {Record<string, string[]>} */
const checks = {
  lint: [node, tool('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'],
  format: [node, tool('oxfmt/bin/oxfmt'), '--check'],
  types: [node, script('check-types.mjs')],
  arrows: [node, script('check-arrows.mjs')],
  docs: [node, ...tsx, script('reference.mts'), '--check'],
  unused: [node, tool('knip/bin/knip.js')],
  packages: [node, script('check-packages.mjs')],
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(checks, name));
if (unknown.length > 0) {
  process.stderr.write(`check: no check '${unknown.join("', '")}'; there are ${Object.keys(checks).join(', ')}\n`);
  process.exit(2);
}

let failed = 0;
const chosen = Object.entries(checks).filter(([name]) => asked.length === 0 || asked.includes(name));
for (const [name, argv] of chosen) {
  const start = performance.now();
  const { ok, output } = await run(argv, { cwd: root, env });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${output.trimEnd()}\n${ok ? 'ok' : 'FAILED'}: ${name} (${seconds} s)\n\n`);
  if (!ok) failed += 1;
}
process.stdout.write(`check: ${chosen.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
