/** Text tables: columns as wide as their widest cell, nothing drawn between them. */
import { oneLine } from './io.js';

/** How wide a cell of this column may be; what is longer is cut and ends with `…`. */
export interface Column {
  readonly title: string;
  readonly max?: number;
  readonly align?: 'right';
}
export type Style = (text: string) => string;

/** Lines of a table; the last column is not padded. Control characters in cells are shown, not sent. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  head: Style = (text) => text,
): readonly string[] {
  const cells = rows.map((row) => columns.map(({ max }, at) => cut(oneLine(row[at] ?? ''), max)));
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...cells.map((row) => row[at]!.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => {
        if (columns[at]!.align === 'right') return cell.padStart(widths[at]!);
        return at === row.length - 1 ? cell : cell.padEnd(widths[at]!);
      })
      .join('  ')
      .trimEnd();
  return [head(line(columns.map(({ title }) => title))), ...cells.map(line)];
}

/** At most `max` characters. */
export function cut(text: string, max = Infinity): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
