/** The fixtures of `conformance/`, as they stand there. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fixture } from '../src/index.js';

const folder = join(import.meta.dirname, '../../../conformance');
const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));

export const schema = read('fixture.schema.json') as object;
export const files = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'fixture.schema.json');
export const fixtures = files.map((name) => read(name) as Fixture);
