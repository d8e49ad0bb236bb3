/** What a tool gives: its lines, and in brackets behind them what was left out. */

export const withNotes = (lines: readonly string[], notes: ReadonlySet<string>): string =>
  [...lines, ...(notes.size === 0 ? [] : [`[${[...notes].join('; ')}]`])].join('\n');
