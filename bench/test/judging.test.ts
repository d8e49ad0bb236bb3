import { describe, expect, test } from 'vitest';
import { judge, median } from '../measuring/judging.js';
import type { Question } from '../measuring/questions.js';

/** Something to measure without a process. */
const asked: Question = {
  name: 'made up',
  asks: 'nothing',
  file: 'none',
  unit: 'ns',
  compares: [
    { as: 'ratio', against: 'floor', reach: 0.5 },
    { as: 'more', against: 'floor', reach: 10 },
    { as: 'value', reach: 100 },
    { as: 'ratio', against: 'floor' },
  ],
};

describe('judging', () => {
  test('a ratio is the median of the ratios of each round, not the ratio of medians', () => {
    const [line] = judge(asked, { ours: [10, 100, 40], floor: [100, 100, 100] });
    expect(line).toMatchObject({ measured: 0.4, met: true, broken: false, spread: [0.1, 1] });
    const [other] = judge(asked, { ours: [1, 2, 30], floor: [1, 20, 100] });
    expect(other?.measured).toBe(0.3);
  });

  test('a target is missed by a little within the slack, and broken beyond it', () => {
    expect(judge(asked, { ours: [70], floor: [100] })[0]).toMatchObject({ met: false, broken: false });
    expect(judge(asked, { ours: [76], floor: [100] })[0]).toMatchObject({ met: false, broken: true });
  });

  test('a difference and an absolute time are told and judged, and never break the run', () => {
    const [, more, value] = judge(asked, { ours: [900], floor: [100] });
    expect(more).toMatchObject({ measured: 800, met: false, broken: false });
    expect(value).toMatchObject({ measured: 900, met: false, broken: false });
  });

  test('bytes and sizes do not drift: beyond the target is broken', () => {
    const bytes: Question = { ...asked, unit: 'B', compares: [{ as: 'value', reach: 0 }] };
    expect(judge(bytes, { ours: [0.2] })[0]).toMatchObject({ measured: 0, met: true });
    expect(judge(bytes, { ours: [16] })[0]).toMatchObject({ met: false, broken: true });
  });

  test('a comparison without a target is not judged', () => {
    expect(judge(asked, { ours: [900], floor: [1] })[3]).toMatchObject({ met: undefined, broken: false });
  });

  test('the median of an even number of rounds lies between the two in the middle', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([9, 1, 5])).toBe(5);
  });
});
