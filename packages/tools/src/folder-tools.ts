/** The tools that look around in one folder and change nothing. */
import type { Tool } from '@treblehook/types';
import { listFilesTool } from './list-files.js';
import { readFileTool } from './read-file.js';
import { searchFilesTool } from './search-files.js';

/** `list_files`, `read_file`, `search_files` over a folder; `TH_OPTION_INVALID` when there is none. */
export const folderTools = (dir: string): readonly Tool[] => [
  listFilesTool(dir),
  readFileTool(dir),
  searchFilesTool(dir),
];
