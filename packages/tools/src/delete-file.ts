/** The tool `delete_file`: it truly deletes, in one folder and nowhere else. */
import { defineTool, type Tool } from '@treblehook/types';
import { z } from 'zod';
import { Folder } from './folder.js';
import { pathIn, sealedBy } from './path-argument.js';

/** Deletes one regular file of the folder; links and folders are refused. Put a policy in front of it. Throws `TH_OPTION_INVALID` without the folder. */
export function deleteFileTool(dir: string): Tool {
  const folder = new Folder(dir);
  const tool = defineTool({
    name: 'delete_file',
    description: 'Deletes one file for good.',
    input: z.strictObject({ path: pathIn(folder, 'The file to delete', 'itself') }),
    concurrency: 'exclusive',
    paths: ['path'],
    execute: async ({ path }) => {
      const file = await folder.findFileItself(path);
      await folder.remove(file);
      return `deleted ${file.name}`;
    },
  });
  return sealedBy(folder, tool, true);
}
