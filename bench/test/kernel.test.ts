import { describe, expect, test } from 'vitest';
import { contender, isNothing } from '../kernel/contender.mjs';
import { Tally } from '../kernel/handlers.mjs';
import { kernel } from '../kernel/questions.js';
import type { Question } from '../measuring/questions.js';
import { measureAll } from '../measuring/rounds.js';
import { allCases, command } from './rooms.js';

const question = (name: string): Question => kernel.questions.find((one) => one.name === name)!;

describe('the command', () => {
  test('measures one case in processes of its own and gives it as data', async () => {
    const { code, stdout, stderr } = await command(
      'kernel',
      '--case',
      'observe-10-sync',
      '--rounds',
      '1',
      '--ms',
      '1',
      '--json',
    );
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
    const { code, stdout } = await command('kernel', '--case', 'list-reused', '--rounds', '1', '--ms', '1');
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
    const { code, stdout, stderr } = await command('kernel', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(why);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('the contenders', () => {
  /** The engine without its facade is put together from the modules of the build, in a process of its own. */
  const ofTheBuild = ['empty-internal', 'empty-internal-bytes'];

  test('each does the work that it is timed for', async () => {
    let checked = 0;
    for (const [file, cases] of Object.entries(await allCases('kernel'))) {
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
    const samples = await measureAll({ ...kernel, questions: [question(name)] }, { rounds: 1, ms: 1 });
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
  await expect(measureAll({ ...kernel, questions: [absent] }, { rounds: 1, ms: 1 })).rejects.toThrow(
    /list-reused, nobody: .*has no 'nobody'/s,
  );
});
