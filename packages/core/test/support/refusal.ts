/** `await expect(run).toRefuse(code, …words)`: `run` throws or rejects with that `HookError`, whose text has the words. */
import { HookError, textOf, type ErrorCode } from '@treblehook/types';
import { expect } from 'vitest';

export interface Refusals<R> {
  toRefuse: (code: ErrorCode, ...words: readonly string[]) => Promise<R>;
}
declare module 'vitest' {
  // oxlint-disable-next-line typescript/no-empty-object-type
  interface Matchers<T = any> extends Refusals<T> {}
}

/** What `run` throws, sync or async. */
export async function caught(run: () => unknown): Promise<any> {
  try {
    await run();
  } catch (error) {
    return error;
  }
}

expect.extend({
  async toRefuse(run: () => unknown, code: ErrorCode, ...words: readonly string[]) {
    const error: unknown = await caught(run);
    const missing = words.filter((word) => !textOf(error).includes(word));
    const found = error instanceof HookError ? `${error.code}: ${error.message}` : `no HookError but ${textOf(error)}`;
    return {
      pass: error instanceof HookError && error.code === code && missing.length === 0,
      message: () => `wanted ${[code, ...missing].join(', ')}; found ${found}`,
    };
  },
});
