/** Text of others as a person can see all of it. */
import { printable } from './io.js';

/** Control characters, and those that have no width or turn the direction, are shown by their number. */
export const visible = (text: string): string =>
  printable(text).replaceAll(/[\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
