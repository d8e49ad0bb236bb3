// Owns the list of compilers that the public types must satisfy.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspace.mjs';

/** The compiler that builds, first, then the older majors that users have. */
export const compilers = ['typescript', 'typescript6', 'typescript5'].map((name) => {
  const folder = join(root, 'node_modules', name);
  const { version } = /** @type {{ version: string }} */ (
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  );
  return { name: `TypeScript ${version}`, argv: [process.execPath, join(folder, 'bin', 'tsc')] };
});
