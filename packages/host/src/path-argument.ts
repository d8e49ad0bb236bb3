/** The argument of a tool that is a path: sealed in its normal form, so that a policy compares what will be opened. */
import type { Tool } from '@treblehook/types';
import { z } from 'zod';
import type { Folder } from './folder.js';

/** `itself`: a link is not followed, because the tool is about the link. */
export const pathIn = (folder: Folder, what: string, itself = false) =>
  z
    .string()
    .min(1)
    .refine((path) => !folder.misspells(path), 'it is a file: leave out what stands behind its name')
    .overwrite((path) => folder.normal(path, itself))
    .describe(`${what}, relative to the folder`);

/** How a path, or a glob of paths, would have to be spelled to match what is sealed. */
type Spelling = (text: string, isGlob: boolean) => string;

/** By tool, what its paths are sealed by: a fact of the very value, which no name or shape tells. */
const spellings = new WeakMap<Tool, Spelling>();
export const sealsPaths = (tool: Tool): Spelling | undefined => spellings.get(tool);

/** Remembers of a tool that each of its `paths` is a `pathIn` of this folder. */
export function sealedBy(folder: Folder, tool: Tool, itself = false): Tool {
  spellings.set(tool, (text, isGlob) => (isGlob ? normalGlob(folder, text) : folder.normal(text, itself)));
  return tool;
}

/** The folder in front of the first `*` in its normal form; behind it, what no normal path contains is left out. */
function normalGlob(folder: Folder, glob: string): string {
  const [, head = '', rest = ''] = /^((?:[^*]*\/)?)(.*)$/s.exec(glob) ?? [];
  const tail = rest.replaceAll(/\/(?:\.?\/)+/g, '/').replace(/\/\.?$/, '');
  const normal = head === '' ? '.' : folder.normal(head);
  if (normal === head) return head + tail; // it leads out: such a path is sealed as it is written
  return normal === '.' ? tail : `${normal}/${tail}`;
}
