// Owns the questions of what it costs to take a shell line apart.
import assert from 'node:assert/strict';
import { readCommand } from '@treblehook/plugin-tool-policy';
import { line, wrapped } from '../lines.mjs';

/** @param {string} text @param {string[]} programs */
const ours = (text, programs) => () => ({
  run: () => readCommand(text),
  check: () => {
    const { commands, unknown } = readCommand(text);
    assert.deepEqual(unknown, []);
    for (const one of programs)
      assert.ok(
        commands.some(({ program }) => program === one),
        one,
      );
  },
});

/** Finds a program where a command may begin, and is wrong about quotes. @param {string} text @param {string} program */
const expression = (text, program) => () => {
  const found = new RegExp(`(?:^|[;&|(\`'"]|\\$\\()\\s*(?:\\w+=\\S*\\s+)*(?:\\S*/)?(${program}|rm)\\b`);
  return { run: () => found.test(text), check: () => assert.equal(found.test(text), true) };
};

export const cases = {
  command: { ours: ours(line, ['cd', 'npm', 'tail']), 'a regular expression': expression(line, 'npm') },
  'command-wrapped': {
    ours: ours(wrapped, ['git', 'date', 'npm', 'bash']),
    'a regular expression': expression(wrapped, 'git'),
  },
};
