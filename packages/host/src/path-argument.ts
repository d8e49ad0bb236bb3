/** The argument of a tool that is a path: sealed in its normal form, so that a policy compares what will be opened. */
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
