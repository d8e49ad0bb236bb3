// Owns what a question is: what is asked, against what, and what is to be reached.

/** `ns` per operation, `B` allocated per operation, `ms` and `MB` as a whole. */
export type Unit = 'ns' | 'B' | 'ms' | 'MB';

/** One comparison of a question: a line of the printed table. */
export interface Comparison {
  /** The contender that ours is measured against; absent: our value stands alone. */
  readonly against?: string;
  /** `ratio`: ours over the other; `more`: ours less the other. */
  readonly as: 'ratio' | 'more' | 'value';
  /** The most that is allowed; absent: told, not judged. */
  readonly reach?: number;
}

export interface Question {
  readonly name: string;
  readonly asks: string;
  /** The file below `cases/` of its room that has its contenders. */
  readonly file: string;
  readonly unit: Unit;
  readonly compares: readonly Comparison[];
  /** Flags of node for all contenders alike. */
  readonly flags?: readonly string[];
  /** The same every time: one round is enough. */
  readonly constant?: boolean;
}

/** A folder of contenders, with what is asked of them. */
export interface Room {
  /** Of the folder, and of the command `bench:<name>`. */
  readonly name: string;
  readonly questions: readonly Question[];
}

export const ratio = (against: string, reach?: number): Comparison => ({
  against,
  as: 'ratio',
  ...(reach === undefined ? {} : { reach }),
});
export const value = (reach: number): Comparison => ({ as: 'value', reach });
export const more = (against: string, reach?: number): Comparison => ({ ...ratio(against, reach), as: 'more' });

/** A young generation that a whole round of counting fits into. */
export const roomy: readonly string[] = ['--min-semi-space-size=256', '--max-semi-space-size=256'];

/** The contenders of a question, ours first. */
export const contendersOf = ({ compares }: Question): readonly string[] => [
  ...new Set(['ours', ...compares.flatMap(({ against }) => against ?? [])]),
];
