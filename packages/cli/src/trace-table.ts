/** The trace as a table. */
import { table, type Style } from './table.js';
import type { TraceRow } from './trace.js';

const columns = [
  { title: 'turn', align: 'right' },
  { title: 'hook' },
  { title: 'handler' },
  { title: 'verdict' },
  { title: 'ms', align: 'right' },
  { title: 'what it changed, or why' },
] as const;

/** One line for each handler of each fire, in the order in which the fires ended. */
export function traceTable(rows: readonly TraceRow[], head?: Style): readonly string[] {
  if (rows.length === 0) return ['no handler took part'];
  return table(
    columns,
    rows.map(({ turn, hook, about, by, outcome, ms, what }) => [
      turn === undefined ? '' : String(turn),
      about === undefined ? hook : `${hook} ${about}`,
      by,
      outcome,
      ms.toFixed(1),
      what,
    ]),
    head,
  );
}
