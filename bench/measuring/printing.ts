// Owns how lines look: as a table for people, as data for programs.
import { arch, cpus, platform } from 'node:os';
import type { Comparison, Unit } from './questions.js';
import { slack, type Line } from './judging.js';

/** Where and how it was measured. */
export interface Setting {
  readonly date: string;
  readonly node: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cpus: number;
  readonly rounds: number;
  readonly ms: number;
  /** Why peers are missing; absent: all were measured. */
  readonly without?: string;
}

export const settingOf = (rounds: number, ms: number, without?: string): Setting => ({
  date: new Date().toISOString(),
  node: process.version,
  platform: `${platform()} ${arch()}`,
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cpus: cpus().length,
  rounds,
  ms,
  ...(without === undefined ? {} : { without }),
});

export const asJson = (setting: Setting, lines: readonly Line[]): string =>
  `${JSON.stringify({ setting, slack, lines }, undefined, 2)}\n`;

export function asTable(setting: Setting, lines: readonly Line[]): string {
  const head = ['question', 'what it asks', 'ours', 'against', 'theirs', 'measured', 'spread', 'reach', ''];
  let before = '';
  const rows = lines.map((line) => {
    const isFirst = line.question !== before;
    before = line.question;
    return [
      isFirst ? line.question : '',
      isFirst ? line.asks : '',
      isFirst ? quantity(line.ours, line.unit) : '',
      line.against ?? '',
      line.theirs === undefined ? '' : quantity(line.theirs, line.unit),
      comparison(line.measured, line),
      line.spread.map((end) => comparison(end, line).replace(/ .*/, '')).join('–'),
      line.reach === undefined ? '' : `≤ ${comparison(line.reach, line)}`,
      verdict(line),
    ];
  });
  return [headline(setting, lines), '', ...columns([head, ...rows]), ''].join('\n');
}

/** One row per question, as it stands in the README. */
export function asMarkdown(setting: Setting, lines: readonly Line[]): string {
  const names = [...new Set(lines.map(({ question }) => question))];
  const rows = names.map((name) => {
    const of = lines.filter(({ question }) => question === name);
    const { asks, ours, unit } = of[0]!;
    return `| \`${name}\` | ${asks} | ${quantity(ours, unit)} | ${of.map(inWords).join('<br>')} |`;
  });
  return [
    headline(setting, lines),
    '',
    '| question | what it asks | ours | came out |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function inWords(line: Line): string {
  const { against, as, measured, reach, met } = line;
  const what =
    against === undefined ? '' : `${comparison(measured, line)} ${as === 'more' ? 'beside' : 'of'} ${against}`;
  if (reach === undefined) return what;
  const judged = `≤ ${comparison(reach, line)}: ${met ? 'met' : `**${verdict(line)}**`}`;
  return what === '' ? judged : `${what}, ${judged}`;
}

function headline({ date, node, platform, cpus, rounds, without }: Setting, lines: readonly Line[]): string {
  const judged = lines.filter(({ met }) => met !== undefined);
  const reached = judged.filter(({ met }) => met).length;
  const when = date.slice(0, 16).replace('T', ' ');
  const missing = without === undefined ? '' : `; ${without}`;
  return `${when} UTC, node ${node}, ${platform}, ${cpus} CPUs, medians of ${rounds} rounds: ${reached} of ${judged.length} targets reached${missing}`;
}

function verdict({ met, measured, reach, broken, as, unit }: Line): string {
  if (met === undefined) return '';
  if (met) return 'met';
  const by =
    as === 'ratio' || (reach !== 0 && as === 'value')
      ? `${Math.ceil((measured / reach! - 1) * 100)} %`
      : quantity(measured - reach!, unit);
  return `missed by ${by}${broken ? ', beyond the slack' : ''}`;
}

function comparison(value: number, { as, unit }: { readonly as: Comparison['as']; readonly unit: Unit }): string {
  if (as === 'ratio') return `${value < 1 ? value.toPrecision(2) : digits(value)} ×`;
  return as === 'more' && value >= 0 ? `+${quantity(value, unit)}` : quantity(value, unit);
}

function quantity(value: number, unit: Unit): string {
  if (unit === 'B') return `${Math.round(value)} B`;
  if (unit === 'ns' && Math.abs(value) >= 10_000) return `${digits(value / 1_000)} µs`;
  return `${digits(value)} ${unit}`;
}

const digits = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));

/** Pads cells to columns, two spaces apart. */
function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  );
}
