// Owns the command `npm run bench:kernel`.
import { kernel } from './kernel/questions.js';
import { runCommand } from './measuring/command.js';

await runCommand({
  room: kernel,
  ms: 150,
  about: `Measures the kernel against floors and peers in the same run: a fresh process for each contender of each question,
shuffled rounds, medians. All questions take about five minutes.`,
});
