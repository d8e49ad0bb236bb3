/** What is loaded when: seen from a process of its own. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The modules that a program imports, by URL. */
async function importsOf(program: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--import', here('record-imports.mjs'), '--input-type=module', '--eval', program],
    { cwd: here('..') },
  );
  return stdout.split('\n');
}

const packages = ['@ai-sdk/openai-compatible', '@ai-sdk/openai', '@ai-sdk/anthropic'];
const loaded = (imports: string[]): string[] =>
  packages.filter((name) => imports.some((url) => url.includes(`/${name}/dist/`)));

describe('a provider package', () => {
  it('is not loaded by the import of this one, nor is anything else from outside', async () => {
    const imports = await importsOf(`await import('${new URL('../src/index.ts', import.meta.url).href}')`);
    expect(imports.some((url) => url.endsWith('/providers/src/anthropic-dialect.ts'))).toBe(true);
    expect(imports.some((url) => url.endsWith('/types/src/index.ts'))).toBe(true);
    expect(loaded(imports)).toEqual([]);
    expect(imports.filter((url) => /\/(zod|@ai-sdk)\//.test(url))).toEqual([]);
  });

  it.each([
    ['openai-compatible:m@http://h/v1', '@ai-sdk/openai-compatible'],
    ['openai:gpt', '@ai-sdk/openai'],
    ['anthropic:claude', '@ai-sdk/anthropic'],
  ])('is loaded alone, for the model that needs it: %s', async (model, name) => {
    const imports = await importsOf(`
      const { resolveModel } = await import('${new URL('../src/index.ts', import.meta.url).href}');
      await resolveModel('${model}', { apiKey: 'x'.repeat(9) });
    `);
    expect(loaded(imports)).toEqual([name]);
  });
});
