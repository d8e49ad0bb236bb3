// Owns the list of checks beside the tests, and their count.
import { tools } from './commands.mjs';
import { run } from './run.mjs';
import { root } from './workspace.mjs';

/** @type {[name: string, command: import('./commands.mjs').Command & { check?: string[] }][]} */
const checks = Object.entries(tools);

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(tools, name));
if (unknown.length > 0) {
  process.stderr.write(`check: no check '${unknown.join("', '")}'; there are ${Object.keys(tools).join(', ')}\n`);
  process.exit(2);
}

let failed = 0;
const chosen = checks.filter(([name]) => asked.length === 0 || asked.includes(name));
for (const [name, { argv, env, check = [] }] of chosen) {
  const start = performance.now();
  const { ok, output } = await run([...argv, ...check], { cwd: root, env: { ...process.env, ...env } });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${output.trimEnd()}\n${ok ? 'ok' : 'FAILED'}: ${name} (${seconds} s)\n\n`);
  if (!ok) failed += 1;
}
process.stdout.write(`check: ${chosen.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
