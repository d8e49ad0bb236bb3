// Owns the order of the measurements: a fresh process for each contender of each question, in shuffled rounds.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { contendersOf, type Question, type Room } from './questions.js';

const one = fileURLToPath(new URL('one.mjs', import.meta.url));
/** No single process takes nearly as long, ms. */
const tooLongMs = 120_000;

/** The values of one question: contender → one value per round. */
export type Samples = Readonly<Record<string, readonly number[]>>;

export interface Measuring {
  readonly rounds: number;
  /** How long each process warms up, and how long it measures, ms. */
  readonly ms: number;
  /** Told before each process. */
  readonly onStep?: (done: number, all: number, what: string) => void;
}

/**
 * Measures each question of a room in `rounds` rounds. In a round the questions come in random order; the contenders of one
 * question follow each other, in random order too, so that a ratio compares neighbours in time.
 * Rejects when a contender fails its check.
 */
export async function measureAll(
  { name: room, questions }: Room,
  { rounds, ms, onStep = () => {} }: Measuring,
): Promise<ReadonlyMap<Question, Samples>> {
  const samples = new Map(
    questions.map((question) => [
      question,
      Object.fromEntries(contendersOf(question).map((contender): [string, number[]] => [contender, []])),
    ]),
  );
  const plan = Array.from({ length: rounds }, (_, round) =>
    shuffled(questions.filter(({ constant }) => !constant || round === 0)).flatMap((question) =>
      shuffled(contendersOf(question)).map((contender) => ({ question, contender, round })),
    ),
  ).flat();
  for (const [done, { question, contender, round }] of plan.entries()) {
    onStep(done, plan.length, `round ${round + 1} of ${rounds}: ${question.name}, ${contender}`);
    samples.get(question)![contender]!.push(await measureOne(room, question, contender, ms));
  }
  return samples;
}

function measureOne(
  room: string,
  { name, file, unit, flags = [] }: Question,
  contender: string,
  ms: number,
): Promise<number> {
  const { NODE_OPTIONS: _options, NODE_V8_COVERAGE: _coverage, ...env } = process.env;
  const argv = ['--expose-gc', ...flags, one, room, file, name, contender, unit, String(ms)];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: tooLongMs });
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => (said[stream] += text));
    }
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) return resolve((JSON.parse(said.stdout) as { value: number }).value);
      const why = signal === null ? said.stderr.trim() : `ended by ${signal}`;
      reject(new Error(`${name}, ${contender}: ${why}`));
    });
  });
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
