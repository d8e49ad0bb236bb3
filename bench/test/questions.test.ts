import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { kernel } from '../kernel/questions.js';
import { loop } from '../loop/questions.js';
import { policy } from '../policy/questions.js';
import { contendersOf } from '../measuring/questions.js';
import { allCases } from './rooms.js';

describe.each([kernel, loop, policy])('the questions of $name', ({ name: room, questions }) => {
  test('each comparison has a contender, and each contender of a case is compared', async () => {
    const known = Object.entries(await allCases(room)).flatMap(([file, cases]) =>
      Object.entries(cases).map(([name, contenders]) => [`${file} ${name}`, Object.keys(contenders).sort()]),
    );
    const wanted = questions.map((one) => [`${one.file} ${one.name}`, [...contendersOf(one)].sort()]);
    expect(Object.fromEntries(known)).toEqual(Object.fromEntries(wanted));
  });

  test('each stands in the table of the README with what it asks, and no other does', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const chapter = readme.split(`## bench:${room}\n`)[1]!.split('\n## ')[0]!;
    const table = chapter.split('| question | what it asks |')[1]!.split('\n\n')[0]!;
    const rows = [...table.matchAll(/^\| `(.+?)` \| (.+?) \|/gm)].map(([, name, asks]) => `${name}: ${asks}`);
    expect(rows).toEqual(questions.map(({ name, asks }) => `${name}: ${asks}`));
  });
});
