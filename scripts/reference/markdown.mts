// Owns the few pieces of markdown that the reference pages are made of.

/** A name or a piece of code. */
export const code = (text: string): string => `\`${text}\``;
export const codes = (texts: readonly string[]): string => texts.map(code).join(', ');

/** A table; a bar inside a cell would end the cell, so it is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/** Paragraphs, tables and headings with an empty line between; what is missing leaves no gap. */
export const page = (blocks: readonly (string | undefined)[]): string =>
  `${blocks.filter((block) => block !== undefined).join('\n\n')}\n`;

/** Said at the head of each page. */
export const generated = (from: string): string => `<!-- Written by \`npm run docs\` from ${from}: do not edit. -->`;

/** A declaration as it is written; the comment in front names its file, against which a test holds it. */
export const source = ({ file, text }: { readonly file: string; readonly text: string }): string =>
  `<!-- from ${file} -->\n\`\`\`ts\n${text}\n\`\`\``;
