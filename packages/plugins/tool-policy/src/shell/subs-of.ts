/** Where the sub-command of a program stands. */
import type { ShellWord } from './shell-word.js';

/**
 * Which words may be the sub-command: each up to the first that no option in front can have taken. Options that are
 * `valued` surely take the word behind them.
 */
export function subsOf(words: readonly ShellWord[], valued?: RegExp): readonly number[] {
  const found: number[] = [];
  for (const [at, { start, solid }] of words.entries()) {
    if (start[0] === '-') continue;
    const front = words[at - 1];
    if (solid && front?.text !== undefined && valued?.test(front.text) === true) continue;
    found.push(at);
    const mayTake = front !== undefined && front.start[0] === '-' && front.text !== '--' && !front.start.includes('=');
    if (!mayTake && solid) return found;
  }
  return found;
}
