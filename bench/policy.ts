// Owns the command `npm run bench:policy`.
import { policy } from './policy/questions.js';
import { runCommand } from './measuring/command.js';

await runCommand({
  room: policy,
  ms: 300,
  about: `Measures what a policy costs each call, beside regular expressions over its text: a fresh process for each contender
of each question, shuffled rounds, medians. All questions take about a minute.`,
});
