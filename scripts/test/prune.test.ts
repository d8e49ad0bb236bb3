// Owns the proof that build output goes with its source, and that nothing else goes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pruneOrphans } from '../prune.mjs';

test('only emitted files without a source are removed', () => {
  const base = mkdtempSync(join(tmpdir(), 'prune-'));
  try {
    const files = [
      'src/a.ts',
      'dist/a.js',
      'dist/a.d.ts.map',
      'dist/gone.js',
      'dist/old/gone.d.ts',
      'dist/.tsbuildinfo',
    ];
    for (const file of [...files.map((name) => `packages/core/${name}`), 'packages/core/package.json']) {
      mkdirSync(dirname(join(base, file)), { recursive: true });
      writeFileSync(join(base, file), '{}');
    }
    expect(pruneOrphans(base).toSorted()).toEqual(['packages/core/dist/gone.js', 'packages/core/dist/old/gone.d.ts']);
    expect(pruneOrphans(base)).toEqual([]);
  } finally {
    rmSync(base, { recursive: true });
  }
});
