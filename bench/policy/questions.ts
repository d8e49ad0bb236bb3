// Owns the table of the policy's benches: what is asked, against what, and what is to be reached.
import { ratio, value, type Question, type Room } from '../measuring/questions.js';

const questions: readonly Question[] = [
  {
    name: 'verdict-200',
    asks: 'a verdict over 200 rules, 40 of them about the tool, for a call that names no path',
    file: 'verdict',
    unit: 'ns',
    compares: [value(10_000), ratio('200 regular expressions')],
  },
  {
    name: 'verdict-200-path',
    asks: 'the same for a file that is read, which is followed on the disk',
    file: 'verdict',
    unit: 'ns',
    compares: [value(10_000), ratio('200 regular expressions'), ratio('following the path')],
  },
  {
    name: 'verdict-200-command',
    asks: 'the same for a shell line',
    file: 'verdict',
    unit: 'ns',
    compares: [ratio('200 regular expressions'), ratio('reading the line')],
  },
  {
    name: 'verdict-10k',
    asks: 'a verdict over 10,000 rules, 40 of them about the tool',
    file: 'verdict',
    unit: 'ns',
    compares: [ratio('200 rules', 1.2)],
  },
  {
    name: 'command',
    asks: 'a shell line of three commands, a pipe and a redirection is taken apart',
    file: 'command',
    unit: 'ns',
    compares: [value(60_000), ratio('a regular expression')],
  },
  {
    name: 'command-wrapped',
    asks: 'a shell line behind `sudo`, `env` and `bash -c`, with a substitution',
    file: 'command',
    unit: 'ns',
    compares: [ratio('a regular expression')],
  },
];

export const policy: Room = { name: 'policy', questions };
