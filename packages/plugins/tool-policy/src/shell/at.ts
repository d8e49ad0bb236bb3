/** The state of the way through a parsed script. */
import type { SyntaxNode } from 'unbash';
import type { Place, Reader } from './reader.js';

/** What a node is read with. */
export interface At {
  readonly reader: Reader;
  readonly place: Place;
  /** The text that positions are counted in. */
  readonly source: string;
  /** How many nodes are above it. */
  readonly level: number;
  /** Inside of `[[ ]]` or a pattern of `case`, where extended globs are always read. */
  readonly pattern: boolean;
  /** Inside of `$(( ))`. */
  readonly computed: boolean;
  /** Reads a node, and all below it. */
  readonly visit: (node: SyntaxNode, at: At) => void;
}
