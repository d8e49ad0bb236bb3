/** Text of others as a person can see all of it. */
import { printable } from './io.js';

/**
 * What has no width, turns the direction, or looks like a space and is none: all that a renderer may ignore, format
 * characters, separators but the space, and letters and signs that are blank (braille, a note's head, fillers of scripts).
 */
export const unseen =
  /(?! )(?:[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Z}]|\u2800|\u{13441}|\u{13442}|\u{16FE4}|\u{1D159})/gu;

/** Control characters and what is unseen are shown by their number; of a line break the return is left out. */
export const visible = (text: string): string =>
  printable(text.replaceAll(/\r(?!\n|$)/g, '\\x0d')).replaceAll(
    unseen,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
