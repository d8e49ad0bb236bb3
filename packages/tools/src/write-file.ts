/** The tool `write_file`: a whole file, old or new at every moment. */
import { defineTool, type Tool } from '@treblehook/types';
import type { z } from 'zod';
import { assertExpected, findForChange, plannedBy, type Change } from './change.js';
import { Folder } from './folder.js';
import { inTurn } from './in-turn.js';
import { pathIn, sealedBy } from './path-argument.js';
import { putFile } from './put-file.js';
import { strictArguments, flag, text } from './strict-arguments.js';
import { digestOf } from './text-file.js';
import { ToolError } from './tool-error.js';

/** Characters of one file that are written. */
const maxWritten = 10_000_000;

const inputOf = (folder: Folder) =>
  strictArguments({
    path: pathIn(folder, 'The file to write', 'file'),
    content: text()
      .max(maxWritten, `it has more than ${maxWritten} characters`)
      .refine(isWhole, 'it has half a character in it: leave that out')
      .describe('The whole text of the file'),
    create: flag().default(false).describe('Refuse when the file is there already'),
    folders: flag().default(false).describe('Make the folders that are missing'),
    expect: expectArgument.optional(),
  });
type Wanted = z.infer<ReturnType<typeof inputOf>>;

/** SHA-256 of a file that a call means, and no other. */
export const expectArgument = text()
  .regex(/^[0-9a-fA-F]{64}$/, 'it is no SHA-256: 64 hexadecimal digits, as read_file says them')
  .describe('SHA-256 of the file as it was read: refuse when it is another by now');

/** What UTF-8 can write. */
export function isWhole(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** Writes one file of the folder. Put a policy in front of it. Throws `TH_OPTION_INVALID` without the folder. */
export function writeFileTool(dir: string): Tool {
  const folder = new Folder(dir);
  const tool = defineTool({
    name: 'write_file',
    description: 'Writes a whole text file, new or in place of the one that is there.',
    input: inputOf(folder),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    concurrency: 'exclusive',
    paths: ['path'],
    execute: (wanted, { signal }) =>
      inTurn(folder, wanted.path, async () => {
        const { seat, file, stats } = await findForChange(folder, wanted.path);
        assertWanted(seat.name, file, wanted);
        const { create, folders } = wanted;
        const bytes = Buffer.from(wanted.content);
        await putFile(folder, seat, {
          bytes,
          create,
          folders,
          expect: wanted.expect === undefined ? undefined : stats,
          signal,
        });
        return `${file === undefined ? 'created' : 'replaced'} ${seat.name}: ${bytes.length} bytes [sha256 ${digestOf(bytes)}]`;
      }),
  });
  const plan = async (wanted: Wanted): Promise<Change> => {
    const { seat, file } = await findForChange(folder, wanted.path);
    assertWanted(seat.name, file, wanted);
    return { path: seat.name, before: file, after: wanted.content };
  };
  return plannedBy(sealedBy(folder, tool), plan);
}

function assertWanted(name: string, file: Change['before'], { create, expect }: Wanted): void {
  if (create && file !== undefined) {
    throw new ToolError('exists', `'${name}' is there already: leave out 'create' to replace it, or edit it`);
  }
  assertExpected(name, file, expect);
}
