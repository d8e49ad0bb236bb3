// Every fixture of `conformance/`, through every entry, streaming and not; and that all of them observe the same.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentEntry, runCase, runtimeEntry, type Fixture } from '../src/index.js';

const folder = join(import.meta.dirname, '../../../conformance');
const fixtures = readdirSync(folder)
  .filter((name) => name.endsWith('.json') && !name.endsWith('.schema.json'))
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Fixture);
const entries = [agentEntry, runtimeEntry];

describe.each(fixtures)('$fixture', (fixture) => {
  it.each(fixture.cases)('$name', async (one) => {
    const reports = [];
    for (const entry of entries) {
      for (const how of ['run', 'stream'] as const) reports.push(await runCase(fixture, one, entry, how));
    }
    expect(reports.flatMap(({ faults }) => faults).join('\n')).toBe('');
    for (const { observed } of reports) expect(observed).toEqual(reports[0]!.observed);
  });
});
