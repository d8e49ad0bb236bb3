// Every fixture of `conformance/`, through every entry, streaming and not; and that all of them observe the same.
import { describe, expect, it } from 'vitest';
import { agentEntry, runCase, runtimeEntry, type CaseReport } from '../src/index.js';
import { fixtures } from './fixtures.js';

const ways = [agentEntry, runtimeEntry].flatMap((entry) => (['run', 'stream'] as const).map((how) => ({ entry, how })));

describe.each(fixtures)('$fixture', (fixture) => {
  it.each(fixture.cases)('$name', async (one) => {
    const reports: CaseReport[] = [];
    for (const { entry, how } of ways) reports.push(await runCase(fixture, one, entry, how));
    expect(reports.flatMap(({ faults }) => faults).join('\n')).toBe('');
    for (const { observed } of reports) expect(observed).toEqual(reports[0]!.observed);
  });
});
