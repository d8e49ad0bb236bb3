// Owns temporary folders of tests: made on request, gone after each test.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';

const made: string[] = [];
afterEach(async () => {
  await Promise.all(made.splice(0).map((dir) => rm(dir, { recursive: true, force: true })));
});

/** A new folder with these files: path → content. */
export async function folderWith(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'treblehook-')));
  made.push(dir);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), content);
  }
  return dir;
}
