// Owns the command `npm run bench:loop`.
import { withPeers } from './loop/with-peers.js';
import { loop } from './loop/questions.js';
import { runCommand } from './measuring/command.js';

await runCommand({
  room: loop,
  ms: 800, // below that the compiler has not seen enough of a loop
  about: `Measures the loop against a floor and peers in the same run: a fresh process for each contender of each question,
shuffled rounds, medians. All questions take about ten minutes. Peers are installed into bench/peers the first time, from
a lock file; where that fails the bench goes on without them and says so.`,
  prepare: (asked) => withPeers(asked),
});
