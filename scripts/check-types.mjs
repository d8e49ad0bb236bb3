// Owns the type check from source: everything with the compiler that builds, sources and type tests with all of them.
import { compilers } from './compilers.mjs';
import { inParallel, run } from './run.mjs';
import { root } from './workspace.mjs';

const jobs = [
  ...compilers.slice(0, 1).map((compiler) => ({ ...compiler, project: 'tsconfig.json' })),
  ...compilers.map((compiler) => ({ ...compiler, project: 'tsconfig.types.json' })),
];
const results = await inParallel(jobs, 2, async ({ name, argv, project }) => {
  const { ok, output } = await run([...argv, '--pretty', 'false', '-p', project], { cwd: root });
  process.stdout.write(`${output}types: ${name}, ${project}: ${ok ? 'ok' : 'failed'}\n`);
  return ok;
});
process.exitCode = results.every(Boolean) ? 0 : 1;
