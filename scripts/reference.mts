// Owns the generated pages, those below docs/reference and each package's api.md: it writes them, or with --check says which of them is stale.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { agentHooks, channelHooks, defineHooks, errorTable } from '@treblehook/types';
import { agentPage } from './reference/agent-page.mjs';
import { readDeclarations, readPublic } from './reference/declarations.mjs';
import { apiPages } from './reference/api-page.mjs';
import { errorsPage } from './reference/errors-page.mjs';
import { hooksPage } from './reference/hooks-page.mjs';
import { shapesPage } from './reference/shapes-page.mjs';
import { root } from './workspace.mjs';

/** Every page with its text, by its path in the repository. */
function pages(): ReadonlyMap<string, string> {
  const declarations = readDeclarations();
  return new Map([
    ['docs/reference/hooks.md', hooksPage(defineHooks(agentHooks, channelHooks), declarations)],
    ['docs/reference/shapes.md', shapesPage(declarations)],
    ['docs/reference/agent.md', agentPage(declarations, readPublic())],
    ['docs/reference/errors.md', errorsPage(errorTable)],
    ...apiPages(),
  ]);
}

/** The pages below `base` that are not what they would be written as, missing ones included. */
async function stalePages(base: string, all: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const [path, text] of all) {
    const there = await readFile(join(base, path), 'utf8').catch(() => undefined);
    if (there !== text) stale.push(path);
  }
  return stale;
}

async function writePages(base: string): Promise<number> {
  const all = pages();
  for (const [path, text] of all) {
    await mkdir(dirname(join(base, path)), { recursive: true });
    await writeFile(join(base, path), text);
  }
  return all.size;
}

/** The command; returns its exit code. `say` and `complain` get whole lines. */
export async function main(
  flags: readonly string[],
  say: (line: string) => unknown,
  complain: (line: string) => unknown,
  base: string = root,
): Promise<0 | 1 | 2> {
  const unknown = flags.find((flag) => flag !== '--check');
  if (unknown !== undefined) {
    complain(`docs: there is no '${unknown}': use --check, or nothing to write the pages\n`);
    return 2;
  }
  if (flags.length === 0) {
    say(`docs: ${await writePages(base)} pages written\n`);
    return 0;
  }
  const all = pages();
  const stale = await stalePages(base, all);
  for (const path of stale) complain(`docs: ${path} is stale: run npm run docs\n`);
  say(`docs: ${all.size} pages, ${stale.length} stale\n`);
  return stale.length === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [out, err] = [process.stdout, process.stderr].map((stream) => (line: string) => stream.write(line));
  process.exitCode = await main(process.argv.slice(2), out!, err!);
}
