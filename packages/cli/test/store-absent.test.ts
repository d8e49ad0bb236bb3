// A Node without SQLite and without its drop-in. Alone in its file: Node remembers what was loaded once.
import { mkdtempSync, rmSync } from 'node:fs';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { commandIn } from './command.js';

test('without SQLite no other file is advised: what to install, and for a run that it goes without', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'treblehook-absent-'));
  vi.spyOn(process as { getBuiltinModule: (id: string) => unknown }, 'getBuiltinModule').mockReturnValue(undefined);
  vi.spyOn(Module as unknown as { _resolveFilename: () => string }, '_resolveFilename').mockImplementation(() => {
    throw Object.assign(new Error("Cannot find module '@photostructure/sqlite'"), { code: 'MODULE_NOT_FOUND' });
  });
  try {
    const { code, stderr } = await commandIn(dir, 'run', 'hi');
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /: install @photostructure\/sqlite, or use Node 22.13 or newer; run goes without by --no-store\n$/,
      ),
    ]);
  } finally {
    vi.restoreAllMocks();
    rmSync(dir, { recursive: true });
  }
});
