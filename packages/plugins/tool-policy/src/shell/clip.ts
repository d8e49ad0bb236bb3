/** How much of a command is told when it is not known. */

/** A text on one line, without characters that cannot be seen, at most 60 of them. */
export function clip(text: string): string {
  const line = text.slice(0, 240).replaceAll(/[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
