// Owns how the tests of the whole workspace run: each workspace package resolves to its source, never to a build.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { entries, members } from './scripts/workspace.mjs';

const alias = members()
  .flatMap(entries)
  .map(({ specifier, source }) => ({ find: new RegExp(`^${specifier}$`), replacement: source }));

/** Where a report for machines goes, when one is wanted. */
const report = process.env['TREBLEHOOK_TEST_REPORT'];

export default defineConfig({
  resolve: { alias },
  test: {
    include: [
      'packages/**/test/**/*.test.ts',
      'examples/**/*.test.ts',
      'bench/**/*.test.ts',
      'scripts/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**'],
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    // Many tests wait for processes of their own: two workers pay off on two cores, too.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    coverage: { provider: 'v8', include: ['packages/**/src/**/*.ts'] },
  },
});
