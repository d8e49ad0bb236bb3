// Owns the program that is killed in the middle: it writes one file over and over, old and new by turns.
import { writeFileTool } from '@treblehook/tools';

const [dir, size] = [String(process.argv[2]), Number(process.argv[3])];
const tool = writeFileTool(dir);
const ctx = /** @type {any} */ ({ signal: new AbortController().signal });
process.stdout.write('ready\n');
for (let turn = 0; ; turn++) {
  const content = String(turn % 10).repeat(size);
  await tool.execute({ path: 'a.txt', content, create: false, folders: false }, ctx);
}
