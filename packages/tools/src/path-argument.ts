/** The argument of a tool that is a path: sealed in its normal form, so that a policy compares what will be opened. */
import { withPathSpelling, type Tool } from '@treblehook/types';
import type { Folder } from './folder.js';
import { pathFault, saysFolder } from './path-text.js';
import { text } from './strict-arguments.js';

/**
 * `itself`: a link is not followed, because the tool is about the link. `file`: it may not be there yet, so no spelling of a
 * folder is taken, which would lose its meaning when it is sealed.
 */
export const pathIn = (folder: Folder, what: string, kind: 'any' | 'itself' | 'file' = 'any') =>
  text()
    .superRefine((path, context) => {
      const isFolder = kind === 'file' && saysFolder(path) ? aFolder : undefined;
      const fault = pathFault(path) ?? (folder.misspells(path) ? misspelt : isFolder);
      if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
    })
    .overwrite((path) => folder.normal(path, kind === 'itself'))
    .describe(`${what}, relative to the folder`);

const aFolder = 'it is the name of a folder: name a file';
const misspelt = 'it is a file: leave out what stands behind its name';

/** Remembers of a tool that each of its `paths` is a `pathIn` of this folder. */
export const sealedBy = (folder: Folder, tool: Tool, itself = false): Tool =>
  withPathSpelling(tool, (text, isGlob) => (isGlob ? normalGlob(folder, text) : folder.normal(text, itself)));

/** The folder in front of the first `*` in its normal form; behind it, what no normal path contains is left out. */
function normalGlob(folder: Folder, glob: string): string {
  const [, head = '', rest = ''] = /^((?:[^*]*\/)?)(.*)$/s.exec(glob) ?? [];
  const tail = rest.replaceAll(/\/(?:\.?\/)+/g, '/').replace(/\/\.?$/, '');
  const normal = head === '' ? '.' : folder.normal(head);
  if (normal === head) return head + tail; // it leads out: such a path is sealed as it is written
  return normal === '.' ? tail : `${normal}/${tail}`;
}
