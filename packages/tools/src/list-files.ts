/** The tool `list_files`: what stands in a folder, by name. */
import { defineTool, type Tool } from '@treblehook/types';
import { Folder, type Inside } from './folder.js';
import { withNotes } from './notes.js';
import { pathIn, sealedBy } from './path-argument.js';
import { globFault, matchesGlob } from './path-glob.js';
import { strictArguments, flag, text } from './strict-arguments.js';
import { ToolError } from './tool-error.js';
import { onOneLine } from './visible.js';
import { entriesBelow, entriesOf, passedOver, type Entry } from './walk.js';

/** Entries of one listing. */
const maxListed = 500;

/** Lists one folder, or all that is below it, or what of that matches a glob. Throws `TH_OPTION_INVALID` without the folder. */
export function listFilesTool(dir: string): Tool {
  const folder = new Folder(dir);
  const tool = defineTool({
    name: 'list_files',
    description: 'Lists a folder: one path a line, folders end with "/", links with "@".',
    input: strictArguments({
      path: pathIn(folder, 'The folder to list').default('.'),
      recursive: flag().default(false).describe('List what is below its folders too'),
      glob: globArgument.optional(),
    }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    concurrency: 'safe',
    paths: ['path'],
    execute: ({ path, recursive, glob }, { signal }) => list(folder, path, recursive, glob, signal),
  });
  return sealedBy(folder, tool);
}

/** A glob of files below the folder of a call. */
export const globArgument = text()
  .min(1, 'it is empty: write a glob, such as "*.ts", or leave it out')
  .superRefine((glob, context) => {
    const fault = globFault(glob);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  })
  .describe('Only what matches, below the folder: "*.ts" by name, "src/**/*.ts" by path; * ** ? are known');

async function list(
  folder: Folder,
  path: string,
  recursive: boolean,
  glob: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const at = await folderAt(folder, path);
  const notes = new Set<string>();
  const lines: string[] = [];
  if (recursive || glob !== undefined) {
    for await (const entry of entriesBelow(folder, at, signal, (what) => notes.add(what))) {
      if (glob !== undefined && !matchesGlob(glob, below(at, entry))) continue;
      if (lines.length === maxListed) {
        notes.add(`more than ${maxListed} entries: list a folder further down`);
        break;
      }
      lines.push(lineOf(entry));
    }
    notes.add(`not entered: ${[...passedOver].join(', ')}`);
  } else {
    const { entries, cut } = await entriesOf(folder, at);
    lines.push(...entries.slice(0, maxListed).map(lineOf));
    if (cut || entries.length > maxListed) {
      notes.add(`${maxListed} of ${cut ? 'more than ' : ''}${entries.length} entries are shown`);
    }
  }
  const none = glob === undefined ? '(empty)' : `(nothing matches '${onOneLine(glob)}')`;
  return withNotes(lines.length === 0 ? [none] : lines, notes);
}

const lineOf = ({ name, kind }: Entry): string =>
  `${onOneLine(name)}${kind === 'folder' ? '/' : kind === 'link' ? '@' : ''}`;

/** The path of an entry from the folder that a call names. */
export const below = (folder: Inside, { name }: Inside): string =>
  folder.name === '.' ? name : name.slice(folder.name.length + 1);

async function folderAt(folder: Folder, path: string): Promise<Inside> {
  const at = await folder.find(path);
  if (await folder.isFolder(at)) return at;
  throw new ToolError('kind', `'${at.name}' is a file: read it`);
}
