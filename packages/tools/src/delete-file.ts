/** The tool `delete_file`: it truly deletes, in one folder and nowhere else. */
import { defineTool, type Tool } from '@treblehook/types';
import { plannedBy, readForChange, type Change } from './change.js';
import { Folder } from './folder.js';
import { inTurn } from './in-turn.js';
import { pathIn, sealedBy } from './path-argument.js';
import { strictArguments } from './strict-arguments.js';

/** Deletes one regular file of the folder; links and folders are refused. Put a policy in front of it. Throws `TH_OPTION_INVALID` without the folder. */
export function deleteFileTool(dir: string): Tool {
  const folder = new Folder(dir);
  const tool = defineTool({
    name: 'delete_file',
    description: 'Deletes one file for good.',
    input: strictArguments({ path: pathIn(folder, 'The file to delete', 'itself') }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    concurrency: 'exclusive',
    paths: ['path'],
    execute: ({ path }) =>
      inTurn(folder, path, async () => {
        const file = await folder.findFileItself(path);
        await folder.remove(file);
        return `deleted ${file.name}`;
      }),
  });
  const plan = async ({ path }: { readonly path: string }): Promise<Change> => {
    const found = await folder.findFileItself(path);
    return { path: found.name, before: (await readForChange(folder, found)).file, after: undefined };
  };
  return plannedBy(sealedBy(folder, tool, true), plan);
}
