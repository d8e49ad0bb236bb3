/** How a tool spells the paths that it seals: a fact of the very value, which no name or shape tells. */
import type { Tool } from './tool.js';

/** How a path, or a glob of paths (`isGlob`), would have to be spelled to match what the tool seals. */
export type PathSpelling = (text: string, isGlob: boolean) => string;

const spellings = new WeakMap<Tool, PathSpelling>();

/** Says of a tool that each of its `paths` is sealed in one normal form; gives the tool back. */
export function withPathSpelling<T extends Tool>(tool: T, spelling: PathSpelling): T {
  spellings.set(tool, spelling);
  return tool;
}

/** `undefined`: nothing is known of how the tool seals its paths. */
export const pathSpellingOf = (tool: Tool): PathSpelling | undefined => spellings.get(tool);
