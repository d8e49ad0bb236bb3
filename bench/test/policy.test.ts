import { expect, test } from 'vitest';
import { policy } from '../policy/questions.js';
import { measureAll } from '../measuring/rounds.js';
import { allCases } from './rooms.js';

test('each contender does the work that it is timed for', async () => {
  let checked = 0;
  for (const cases of Object.values(await allCases('policy'))) {
    for (const [name, contenders] of Object.entries(cases)) {
      for (const [one, make] of Object.entries(contenders)) {
        await expect(
          Promise.resolve(make()).then(({ check }) => check?.()),
          `${name} ${one}`,
        ).resolves.not.toThrow();
        checked++;
      }
    }
  }
  expect(checked).toBe(14);
});

test('a question is measured in processes of its own', async () => {
  const question = policy.questions.find(({ name }) => name === 'command')!;
  const samples = await measureAll({ ...policy, questions: [question] }, { rounds: 1, ms: 1 });
  expect(samples.get(question)).toEqual({ ours: [expect.any(Number)], 'a regular expression': [expect.any(Number)] });
});
