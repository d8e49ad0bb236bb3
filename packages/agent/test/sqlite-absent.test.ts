// A Node without SQLite and without its drop-in. Alone in its file: Node remembers what was loaded once.
import Module from 'node:module';
import type { HookError } from '@treblehook/types';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../src/sqlite/database.js';

test.each([
  [
    "Cannot find module '@photostructure/sqlite'",
    'its drop-in is not installed: install @photostructure/sqlite, or use',
  ],
  ["Cannot find module './binding.node'", "its drop-in cannot be loaded: Cannot find module './binding.node': install"],
])('a Node without SQLite says in one line what to install: %s', (first, told) => {
  vi.spyOn(process as { getBuiltinModule: (id: string) => unknown }, 'getBuiltinModule').mockReturnValue(undefined);
  const stack = ['/somewhere/database.js', '/somewhere/bin.js'];
  const fault = Object.assign(new Error(`${first}\nRequire stack:\n- ${stack.join('\n- ')}`), {
    code: 'MODULE_NOT_FOUND',
    requireStack: stack,
  });
  // what Node itself throws, whether or not the drop-in stands beside this test
  vi.spyOn(Module as unknown as { _resolveFilename: () => string }, '_resolveFilename').mockImplementation(() => {
    throw fault;
  });
  let refused: HookError | undefined;
  try {
    openDatabase(':memory:');
  } catch (error) {
    refused = error as HookError;
  } finally {
    vi.restoreAllMocks();
  }
  expect(refused?.code).toBe('TH_STORE_FAILED');
  expect(refused?.message).toContain(told);
  expect(refused?.message).not.toMatch(/Require stack|somewhere/);
  expect(refused?.cause).toBe(fault);
});
