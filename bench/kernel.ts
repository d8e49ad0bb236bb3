// Owns the command `npm run bench:kernel`: its options, its progress, its exit code.
import { parseArgs } from 'node:util';
import { judge, slack } from './kernel/judging.js';
import { asJson, asMarkdown, asTable, settingOf } from './kernel/printing.js';
import { questions, type Question } from './kernel/questions.js';
import { measureAll } from './kernel/rounds.js';

const help = `npm run bench:kernel -- [options]

Measures the kernel against floors and peers in the same run: a fresh process for each contender of each question,
shuffled rounds, medians. All questions take about five minutes.

  --case <name>   one question, or all whose name begins so; may be given more than once
  --rounds <n>    rounds, 5 unless given; ratios of fewer are a hint
  --ms <n>        how long each process warms up, and how long it measures; 150 unless given
  --json          the table as data
  --markdown      the table as it stands in bench/README.md
  --assert        exit 1 when a ratio is beyond ${slack} times its target, or a count beyond its target
  --list          the names of the questions
  --help          this text
`;

/** Something that the caller can mend. */
class Usage extends Error {}

function read(argv: readonly string[]) {
  const { values } = parsed(argv);
  const { case: names = [], rounds = '5', ms = '150', ...flags } = values;
  const asked = new Set(names.flatMap((name) => named(name)));
  return {
    ...flags,
    asked: names.length === 0 ? questions : questions.filter((question) => asked.has(question)),
    rounds: whole('--rounds', rounds),
    ms: whole('--ms', ms),
  };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        case: { type: 'string', multiple: true },
        rounds: { type: 'string' },
        ms: { type: 'string' },
        json: { type: 'boolean', default: false },
        markdown: { type: 'boolean', default: false },
        assert: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new Usage(`${(error as Error).message.split('. ')[0]}; --help tells the options`);
  }
}

function named(name: string): readonly Question[] {
  const exact = questions.filter((question) => question.name === name);
  const found = exact.length > 0 ? exact : questions.filter((question) => question.name.startsWith(name));
  if (name === '' || found.length === 0) throw new Usage(`there is no question '${name}'; --list tells the names`);
  return found;
}

function whole(option: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 10_000) return value;
  throw new Usage(`${option} must be a whole number from 1 to 10000, not '${text}'`);
}

async function main(argv: readonly string[]): Promise<number> {
  const { asked, rounds, ms, json, markdown, assert, list, help: helps } = read(argv);
  if (helps || list) {
    process.stdout.write(helps ? help : questions.map(({ name, asks }) => `${name.padEnd(30)} ${asks}\n`).join(''));
    return 0;
  }
  const setting = settingOf(rounds, ms);
  const samples = await measureAll(asked, { rounds, ms, onStep: progress() });
  const lines = asked.flatMap((question) => judge(question, samples.get(question)!));
  const print = json ? asJson : markdown ? asMarkdown : asTable;
  process.stdout.write(print(setting, lines));
  return assert && lines.some(({ broken }) => broken) ? 1 : 0;
}

/** One line that is written over on a terminal; elsewhere a line every ten seconds. */
function progress() {
  const began = performance.now();
  let last = began;
  return (done: number, all: number, what: string): void => {
    const now = performance.now();
    const left = done === 0 ? '' : `, about ${Math.ceil((((now - began) / done) * (all - done)) / 1_000)} s left`;
    const text = `bench: ${done + 1}/${all} ${what}${left}`;
    if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}${done + 1 === all ? '\n' : ''}`);
    else if (now - last >= 10_000 || done === 0) process.stderr.write(`${text}\n`);
    else return;
    last = now;
  };
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof Usage ? 2 : 1;
}
