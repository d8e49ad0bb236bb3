// Owns the proof that compiler output goes with its source, and that nothing else goes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pruneOrphans } from '../prune.mjs';

test('only modules and declarations without a source are removed', () => {
  const dir = mkdtempSync(join(tmpdir(), 'prune-'));
  try {
    const stay = ['src/a.ts', 'dist/.compiled/a.js', 'dist/.compiled/.tsbuildinfo', 'dist/a.d.ts.map', 'dist/chunk.js'];
    const go = ['dist/.compiled/gone.js', 'dist/.compiled/old/gone.js.map', 'dist/gone.d.ts', 'dist/old/gone.d.ts'];
    for (const file of [...stay, ...go]) {
      mkdirSync(dirname(join(dir, file)), { recursive: true });
      writeFileSync(join(dir, file), '{}');
    }
    expect(pruneOrphans(dir).toSorted()).toEqual(go);
    expect(pruneOrphans(dir)).toEqual([]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
