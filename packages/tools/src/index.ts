/** The public names of `@treblehook/tools`. */
export { deleteFileTool } from './delete-file.js';
export { folderTools } from './folder-tools.js';
export { listFilesTool } from './list-files.js';
export { readFileTool } from './read-file.js';
export { searchFilesTool } from './search-files.js';
export { ToolError } from './tool-error.js';
export type { ToolErrorCode } from './tool-error.js';
export { editFileTool } from './edit-file.js';
export { diffOf, previewOf } from './preview.js';
export type { Preview } from './preview.js';
export { writeFileTool } from './write-file.js';
export { runCommandTool } from './run-command.js';
export type { CommandOptions } from './run-command.js';
export { fetchUrlTool } from './fetch-url.js';
export type { FetchOptions } from './fetch-url.js';
export type { ResolveHost } from './exchange.js';
