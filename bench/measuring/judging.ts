// Owns what becomes of the samples: medians, ratios, and whether a target was reached.
import type { Comparison, Question, Unit } from './questions.js';
import type { Samples } from './rounds.js';

/** What a busy machine may add to a ratio before it counts as a regression. */
export const slack = 1.5;

/** One line of the table. */
export interface Line {
  readonly question: string;
  readonly asks: string;
  readonly unit: Unit;
  /** Median over the rounds. */
  readonly ours: number;
  readonly against: string | undefined;
  /** Median of the other contender. */
  readonly theirs: number | undefined;
  readonly as: Comparison['as'];
  /** What is judged: the median of the rounds' ratios or differences, or our value. */
  readonly measured: number;
  /** The least and the greatest of the rounds. */
  readonly spread: readonly [number, number];
  readonly reach: number | undefined;
  /** `undefined`: nothing was to be reached. */
  readonly met: boolean | undefined;
  /** Worse than any noise explains: a ratio beyond the slack, a count beyond the target. */
  readonly broken: boolean;
}

export function judge({ name, asks, unit, compares }: Question, samples: Samples): readonly Line[] {
  const ours = samples['ours']!;
  return compares.map(({ against, as, reach }): Line => {
    const theirs = against === undefined ? undefined : samples[against]!;
    const rounds = ours.map((value, round) =>
      as === 'value' ? value : as === 'ratio' ? value / theirs![round]! : value - theirs![round]!,
    );
    const measured = rounded(median(rounds), as, unit);
    const isSteady = as === 'value' && (unit === 'B' || unit === 'MB');
    const limit = reach === undefined ? Infinity : as === 'ratio' ? reach * slack : isSteady ? reach : Infinity;
    return {
      question: name,
      asks,
      unit,
      ours: median(ours),
      against,
      theirs: theirs && median(theirs),
      as,
      measured,
      spread: [Math.min(...rounds), Math.max(...rounds)],
      reach,
      met: reach === undefined ? undefined : measured <= reach,
      broken: measured > limit,
    };
  });
}

/** What stands beside a target is judged as it is printed: two digits of a ratio, whole bytes. */
function rounded(value: number, as: Comparison['as'], unit: Unit): number {
  if (as === 'ratio') return Number(value.toPrecision(value < 1 ? 2 : 3));
  return unit === 'B' ? Math.round(value) : value;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
