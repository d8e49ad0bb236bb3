/** The suite that every provider passes, over real sockets. */
import { afterEach, describe } from 'vitest';
import { resolveModel } from '../src/index.js';
import { abortLaws } from './suite/abort-laws.js';
import { answerLaws } from './suite/answer-laws.js';
import { key, type Bench, type Spelling } from './suite/bench.js';
import { historyLaws } from './suite/history-laws.js';
import { secretLaws } from './suite/secret-laws.js';
import { statusLaws } from './suite/status-laws.js';
import { streamLaws } from './suite/stream-laws.js';
import type { Wire } from './wire/index.js';

export function dialectSuite(name: string, spelling: Spelling): void {
  const wires: Wire[] = [];
  afterEach(async () => {
    await Promise.all(wires.splice(0).map((wire) => wire.close()));
  });
  const bench: Bench = {
    ...spelling,
    start: async (script, options = {}, wireOptions) => {
      const wire = await spelling.wire(script, wireOptions);
      wires.push(wire);
      return { wire, port: await resolveModel(spelling.model(wire.url), { apiKey: key, ...options }) };
    },
  };
  describe(`${name}: answers`, () => {
    answerLaws(bench);
  });
  describe(`${name}: histories`, () => {
    historyLaws(bench);
  });
  describe(`${name}: error statuses`, () => {
    statusLaws(bench);
  });
  describe(`${name}: broken streams`, () => {
    streamLaws(bench);
  });
  describe(`${name}: aborts`, () => {
    abortLaws(bench);
  });
  describe(`${name}: secrets`, () => {
    secretLaws(bench);
  });
}
