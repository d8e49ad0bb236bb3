/** Plans as tables: who runs, in which order, why there, what each locks, who is silenced. */
import type { PlanRow, PointDescription } from '@treblehook/types';
import { table, type Style } from './table.js';

const columns = [
  { title: '#', align: 'right' },
  { title: 'handler' },
  { title: 'owner' },
  { title: 'runs' },
  { title: 'on a fault' },
  { title: 'budget', align: 'right' },
  { title: 'locks' },
  { title: 'why there' },
] as const;

/** What makes a plan readable. */
export interface PlanStyle {
  readonly title: Style;
  readonly head: Style;
}
const plain: PlanStyle = { title: (text) => text, head: (text) => text };

/** One block for each point that somebody sits on, and one line that names the others. */
export function planTables(points: readonly PointDescription[], style: PlanStyle = plain): readonly string[] {
  const seated = points.filter(({ plan }) => plan.length > 0);
  const empty = points.filter(({ plan }) => plan.length === 0).map(({ name }) => name);
  const blocks = seated.flatMap((point) => [...pointTable(point, style), '']);
  return empty.length === 0 ? blocks.slice(0, -1) : [...blocks, `nobody sits on ${empty.join(', ')}`];
}

/** One point, the empty one included. */
export function pointTable(point: PointDescription, style: PlanStyle = plain): readonly string[] {
  const { name, model, discipline, summary, order, plan } = point;
  return [
    `${style.title(name)} (${model}, ${discipline}): ${summary}`,
    `order: ${order.join(', ')}`,
    ...(plan.length === 0 ? ['nobody sits here'] : table(columns, plan.map(cells), style.head)),
  ];
}

function cells(row: PlanRow, at: number): readonly string[] {
  return [
    String(at + 1),
    row.id,
    row.owner,
    row.silenced ? 'silenced' : 'yes',
    row.onError,
    row.budgetMs === undefined ? 'caller' : `${row.budgetMs} ms`,
    row.locks.join(', ') || '-',
    [row.why, ...row.edges.map(({ kind, id, state }) => `${kind} ${id} (${state})`)].join('; '),
  ];
}
