/** The tool `edit_file`: one exact text of a file for another. */
import { defineTool, type Tool } from '@treblehook/types';
import type { z } from 'zod';
import { assertExpected, findForChange, noText, plannedBy, type Found } from './change.js';
import { Folder } from './folder.js';
import { binary } from './read-file.js';
import { inTurn } from './in-turn.js';
import { pathIn, sealedBy } from './path-argument.js';
import { putFile } from './put-file.js';
import { replaceText } from './replace-text.js';
import { strictArguments, flag, text } from './strict-arguments.js';
import { digestOf } from './text-file.js';
import { ToolError } from './tool-error.js';
import { expectArgument, isWhole } from './write-file.js';

const inputOf = (folder: Folder) =>
  strictArguments({
    path: pathIn(folder, 'The file to edit', 'file'),
    oldText: text()
      .min(1, 'it is empty: write the text that is to be replaced')
      .describe('The text as it stands in the file, white space included; it must stand there once'),
    newText: text().refine(isWhole, 'it has half a character in it: leave that out').describe('The text in its place'),
    all: flag().default(false).describe('Replace each place, however many there are'),
    expect: expectArgument.optional(),
  });
type Wanted = z.infer<ReturnType<typeof inputOf>>;

/** Edits one file of the folder. Put a policy in front of it. Throws `TH_OPTION_INVALID` without the folder. */
export function editFileTool(dir: string): Tool {
  const folder = new Folder(dir);
  const tool = defineTool({
    name: 'edit_file',
    description: 'Replaces an exact text in a file; line ends and byte order mark stay as they are.',
    input: inputOf(folder),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    concurrency: 'exclusive',
    paths: ['path'],
    execute: (wanted, { signal }) =>
      inTurn(folder, wanted.path, async () => {
        const found = await findForChange(folder, wanted.path);
        const { name } = found.seat;
        const { text, count } = edited(found, wanted);
        const bytes = Buffer.from(text);
        await putFile(folder, found.seat, { bytes, create: false, folders: false, expect: found.stats, signal });
        return `edited ${name}: ${count === 1 ? '1 place' : `${count} places`} [sha256 ${digestOf(bytes)}]`;
      }),
  });
  return plannedBy(sealedBy(folder, tool), async (wanted: Wanted) => {
    const found = await findForChange(folder, wanted.path);
    return { path: found.seat.name, before: found.file, after: edited(found, wanted).text };
  });
}

/** Throws `ToolError` when it cannot be: no such file, no text, another than expected, the text not there or too often. */
function edited({ seat: { name }, file }: Found, { expect, ...replacement }: Wanted) {
  if (file === undefined) throw new ToolError('missing', `there is no '${name}': write it`);
  if (file.text === undefined) throw noText(name, file);
  // what is no UTF-8 would come back as U+FFFD
  if (file.invalid > 0) throw binary(name, file);
  assertExpected(name, file, expect);
  const { text, count } = replaceText(name, file.text, replacement);
  return { text: file.hasMark ? `\uFEFF${text}` : text, count };
}
