/** The tool `delete_file`: it truly deletes, in one folder and nowhere else. */
import { unlink } from 'node:fs/promises';
import { defineTool, type Tool } from '@treblehook/types';
import { z } from 'zod';
import { Folder } from './folder.js';

/** Deletes one regular file of the folder; links and folders are refused. Put a policy in front of it. */
export function deleteFileTool(dir: string): Tool {
  const folder = new Folder(dir);
  return defineTool({
    name: 'delete_file',
    description: 'Deletes one file for good.',
    input: z.strictObject({ path: z.string().min(1).describe('The file to delete, relative to the folder') }),
    concurrency: 'exclusive',
    paths: ['path'],
    execute: async ({ path }) => {
      const { real, name } = await folder.findFileItself(path);
      await unlink(real);
      return `deleted ${name}`;
    },
  });
}
