/** The built-in tools of the command line: which there are, and which of them are offered. */
import {
  deleteFileTool,
  editFileTool,
  fetchUrlTool,
  listFilesTool,
  readFileTool,
  runCommandTool,
  searchFilesTool,
  writeFileTool,
} from '@treblehook/tools';
import { matchName, nearestName, type Tool } from '@treblehook/types';
import { UsageError } from '../usage-error.js';

/** What people are asked before the tool runs; `nothing` of one that looks into the folder and changes nothing. */
export type AskedAs = 'changes' | 'commands' | 'fetches' | 'nothing';

/** By their names, over a folder. */
const tools: Readonly<Record<string, { readonly make: (dir: string) => Tool; readonly asked: AskedAs }>> = {
  list_files: { make: listFilesTool, asked: 'nothing' },
  read_file: { make: readFileTool, asked: 'nothing' },
  search_files: { make: searchFilesTool, asked: 'nothing' },
  write_file: { make: writeFileTool, asked: 'changes' },
  edit_file: { make: editFileTool, asked: 'changes' },
  delete_file: { make: deleteFileTool, asked: 'changes' },
  run_command: { make: (dir) => runCommandTool(dir), asked: 'commands' },
  fetch_url: { make: () => fetchUrlTool(), asked: 'fetches' },
};

export const builtInNames: readonly string[] = Object.keys(tools);
export const namesAskedAs = (asked: AskedAs): readonly string[] =>
  builtInNames.filter((name) => tools[name]!.asked === asked);
/** What is offered when nothing is said. */
export const readingNames: readonly string[] = namesAskedAs('nothing');

export interface ToolFlags {
  /** Names and globs with commas between; `all` is each. */
  readonly tools?: string | undefined;
}

/** The names that are meant, in the order of the list above. Throws `UsageError` for one that is nobody's. */
export function namesIn({ tools: given }: ToolFlags): readonly string[] {
  if (given === undefined) return readingNames;
  const words = given.split(',').map((word) => word.trim());
  if (words.includes('')) throw new UsageError(`--tools '${given}' has an empty name: write names with commas between`);
  const globs = words.map((word) => (word === 'all' ? '*' : word));
  for (const glob of globs) {
    if (builtInNames.some((name) => matchName(glob, name))) continue;
    const near = nearestName(glob, [...builtInNames, 'all']);
    const mend = near === undefined ? `there is ${builtInNames.join(', ')}, or all` : `did you mean '${near}'?`;
    throw new UsageError(`--tools has '${glob}', which is no built-in tool: ${mend}`);
  }
  return builtInNames.filter((name) => globs.some((glob) => matchName(glob, name)));
}

/** The tools of these names, each one of `builtInNames`. Throws `TH_OPTION_INVALID` for a folder that is not there. */
export const builtInTools = (dir: string, names: readonly string[] = builtInNames): readonly Tool[] =>
  names.map((name) => tools[name]!.make(dir));

/** Those that are not offered, each with the flag that offers it beside the others. */
export const spareTools = (offered: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    builtInNames
      .filter((name) => !offered.includes(name))
      .map((name) => [name, `add it by --tools ${[...offered, name].join(',')}`]),
  );
