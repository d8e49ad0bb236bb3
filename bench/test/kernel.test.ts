import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { contender, isNothing } from '../kernel/contender.mjs';
import { Tally } from '../kernel/handlers.mjs';
import { judge, median } from '../kernel/judging.js';
import { contendersOf, questions, type Question } from '../kernel/questions.js';
import { measureAll } from '../kernel/rounds.js';

const bench = fileURLToPath(new URL('..', import.meta.url));
const loader = pathToFileURL(fileURLToPath(new URL('../../node_modules/tsx/dist/loader.mjs', import.meta.url))).href;

/** The command as the script of the root runs it. */
function command(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', loader, 'kernel.ts', ...args], { cwd: bench });
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => (said[stream] += text));
    }
    child.on('close', (code) => resolve({ code, ...said }));
  });
}
const question = (name: string): Question => questions.find((one) => one.name === name)!;

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

describe('the command', () => {
  test('measures one case in processes of its own and gives it as data', async () => {
    const { code, stdout, stderr } = await command('--case', 'observe-10-sync', '--rounds', '1', '--ms', '1', '--json');
    expect(stderr).toContain('round 1 of 1: observe-10-sync');
    expect(code).toBe(0);
    const { setting, lines } = JSON.parse(stdout);
    expect(setting).toMatchObject({ node: process.version, rounds: 1, ms: 1 });
    expect(lines.map((line: { against?: string }) => line.against)).toEqual(
      question('observe-10-sync').compares.map(({ against }) => against),
    );
    for (const line of lines) {
      expect(line).toMatchObject({ question: 'observe-10-sync', unit: 'ns', as: 'ratio' });
      expect(line.ours).toBeGreaterThan(0);
      expect(line.theirs).toBeGreaterThan(0);
    }
    expect(lines[0]).toMatchObject({ against: 'allSettled', reach: 0.1, met: expect.any(Boolean) });
  });

  test('prints the same as a table', async () => {
    const { code, stdout } = await command('--case', 'list-reused', '--rounds', '1', '--ms', '1');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^question +what it asks +ours +against/m);
    expect(stdout).toMatch(/^list-reused .* ≤ \+10 ns /m);
    expect(stdout).toMatch(/\d of 1 targets reached/);
  });

  test.each([
    [['--case', 'nothing-like-it'], "there is no question 'nothing-like-it'"],
    [['--rounds', '0'], '--rounds must be a whole number'],
    [['--fast'], "Unknown option '--fast'"],
  ])('refuses %j in one line', async (args, why) => {
    const { code, stdout, stderr } = await command(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(why);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('the questions', () => {
  test('each comparison has a contender, and each contender of a case is compared', async () => {
    const known = Object.entries(await allCases()).flatMap(([file, cases]) =>
      Object.entries(cases).map(([name, contenders]) => [`${file} ${name}`, Object.keys(contenders).sort()]),
    );
    const wanted = questions.map((one) => [`${one.file} ${one.name}`, [...contendersOf(one)].sort()]);
    expect(Object.fromEntries(known)).toEqual(Object.fromEntries(wanted));
  });

  test('each stands in the table of the README with what it asks, and no other does', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const table = readme.split('| question | what it asks |')[1]!.split('\n\n')[0]!;
    const rows = [...table.matchAll(/^\| `(.+?)` \| (.+?) \|/gm)].map(([, name, asks]) => `${name}: ${asks}`);
    expect(rows).toEqual(questions.map(({ name, asks }) => `${name}: ${asks}`));
  });
});

/** Imports the contenders of all files: file → case → contender → how it is made. */
async function allCases() {
  const files = readdirSync(new URL('../kernel/cases/', import.meta.url));
  const modules = files.map(async (file) => {
    const { cases } = (await import(/* @vite-ignore */ new URL(`../kernel/cases/${file}`, import.meta.url).href)) as {
      cases: Cases;
    };
    return [file.replace('.mjs', ''), cases] as const;
  });
  return Object.fromEntries(await Promise.all(modules));
}
type Cases = Record<string, Record<string, () => Promise<{ check?: () => unknown }>>>;

describe('the contenders', () => {
  /** The engine without its facade is put together from the modules of the build, in a process of its own. */
  const ofTheBuild = ['empty-internal', 'empty-internal-bytes'];

  test('each does the work that it is timed for', async () => {
    let checked = 0;
    for (const [file, cases] of Object.entries(await allCases())) {
      for (const [name, contenders] of Object.entries(cases)) {
        if (ofTheBuild.includes(name)) continue;
        for (const [one, make] of Object.entries(contenders)) {
          await expect(
            Promise.resolve(make()).then(({ check }) => check?.()),
            `${file} ${name} ${one}`,
          ).resolves.not.toThrow();
          checked++;
        }
      }
    }
    expect(checked).toBeGreaterThan(80);
  });

  test.each(ofTheBuild)('%s does so with the modules of the build', async (name) => {
    const samples = await measureAll([question(name)], { rounds: 1, ms: 1 });
    expect(samples.get(question(name))).toEqual({ ours: [expect.any(Number)] });
  });

  test('one that skips a handler is found out', async () => {
    const tally = new Tally();
    const skipping = contender(() => tally.calls++, tally, 2);
    await expect(skipping.check()).rejects.toThrow('handlers called by the first operation');
  });

  test('one whose result is wrong is found out', async () => {
    await expect(contender(() => 1, new Tally(), 0, isNothing).check()).rejects.toThrow();
  });
});

test('a contender that fails its check stops the run and is named', async () => {
  const absent: Question = { ...question('list-reused'), compares: [{ as: 'ratio', against: 'nobody' }] };
  await expect(measureAll([absent], { rounds: 1, ms: 1 })).rejects.toThrow(/list-reused, nobody: .*has no 'nobody'/s);
});

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
