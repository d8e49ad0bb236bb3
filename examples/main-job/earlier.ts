/** An earlier conversation about this repository, long enough that it no longer fits. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Message } from '@treblehook/types';

const said = (role: 'user' | 'assistant', text: string): Message => ({ role, content: [{ type: 'text', text }] });

/** One question and one answer for each source file of a folder. */
export async function earlierTalk(root: string, folder: string): Promise<Message[]> {
  const files = (await readdir(join(root, folder))).filter((name) => name.endsWith('.ts')).sort();
  const turns = files.map(async (name) => {
    const text = await readFile(join(root, folder, name), 'utf8');
    return [said('user', `What is in ${folder}/${name}?`), said('assistant', text)];
  });
  return (await Promise.all(turns)).flat();
}
