// Owns the law that a writer which is killed at any moment leaves the old file or the new one, whole.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderWith } from './temp.js';

const size = 3_000_000;

it('after kill -9 in the middle the file is whole, each time', async () => {
  const dir = await folderWith({ 'a.txt': 'x'.repeat(size) });
  let inTheMiddle = 0;
  for (let round = 0; round < 6; round++) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'killed-writer.mjs'), dir, String(size)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    // in every other round while a new file is being written, else a little later each time
    if (round % 2 === 1) await new Promise((resolve) => setTimeout(resolve, round));
    const there = new Set(readdirSync(dir));
    while (readdirSync(dir).every((name) => there.has(name)));
    child.kill('SIGKILL');
    await once(child, 'exit');
    const text = await readFile(join(dir, 'a.txt'), 'utf8');
    expect(text.length).toBe(size);
    expect(text).toBe(text[0]!.repeat(size));
    inTheMiddle = (await readdir(dir)).length - 1;
  }
  // what was left half written has another name, and shows that the kills did hit
  expect(inTheMiddle).toBeGreaterThan(0);
  expect((await readdir(dir)).every((name) => name === 'a.txt' || /^\.treblehook-[0-9a-f]{16}\.tmp$/.test(name))).toBe(
    true,
  );
}, 60_000);
