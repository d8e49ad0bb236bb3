/** The version of this package, read from its manifest when asked for. */
import { readFile } from 'node:fs/promises';

export async function version(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
