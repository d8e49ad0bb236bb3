/** For any scenario the kernel does what the reference does: the same calls, results, reports and verdicts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fakeClock } from '../support/clock.js';
import { scenario } from './arbitrary.js';
import { drive, type Driven } from './drive.js';
import { reference } from './reference.js';
import type { Entry, Report, Scenario } from './scenario.js';

const runs = Number(process.env['TH_RUNS'] ?? 2500);
const seed = Number(process.env['TH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

fakeClock();

const sorted = (reports: readonly Report[]): string[] => reports.map((r) => JSON.stringify(r)).toSorted();
/** Who was at fault, in order; the keys of one answer have none. */
const inOrder = (reports: readonly Report[]): string[] =>
  reports
    .filter((r) => !r.late)
    .map((r) => r.id)
    .filter((id, i, all) => id !== all[i - 1]);

/** The comparable part of an entry. What runs when the caller aborts is abandoned: what it says later is nobody's. */
function comparable(s: Scenario, i: number, entry: Entry, { aborted, reports }: Driven): object {
  const step = s.steps[i]!;
  const silent = step.do === 'fire' && s.points.find((p) => p.name === step.point)!.discipline === 'observe';
  const said = aborted ? reports.filter((r) => sorted(entry.reports).includes(JSON.stringify(r))) : entry.reports;
  return {
    step,
    result: entry.result,
    saw: entry.saw,
    refused: entry.refused,
    reports: sorted(said),
    order: silent ? [] : inOrder(said),
    told: aborted ? [] : entry.told,
  };
}

test('for any catalogue, handlers, order, edges, locks and lists the kernel does what the law says', async () => {
  console.log(
    `kernel against reference: ${runs} scenarios, seed ${seed} (run again: TH_SEED=${seed} npx vitest run reference)`,
  );
  await fc.assert(
    fc.asyncProperty(scenario, async (s) => {
      const wanted = reference(s);
      const found = await drive(s);
      for (const [i, entry] of found.entries()) {
        expect(comparable(s, i, entry, entry)).toEqual(comparable(s, i, wanted[i]!, entry));
      }
    }),
    { numRuns: runs, seed },
  );
}, 120_000);
