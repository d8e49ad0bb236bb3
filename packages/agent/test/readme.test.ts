import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

it('the program of the README is one that runs, and prints what is said of it', async () => {
  const [, code] = /```ts\n([\s\S]*?)```/.exec(read('../README.md'))!;
  expect(code).toBe(read('./readme/example.ts'));
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...said: unknown[]) => void lines.push(said.join(' ')));
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    await import('./readme/example.js');
  } finally {
    log.mockRestore();
    write.mockRestore();
  }
  expect(lines[0]).toBe('get_weather denied no such town');
  expect(lines.slice(1).join('')).toContain('no such town');
});
