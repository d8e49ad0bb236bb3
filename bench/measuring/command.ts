// Owns what the commands of the benches have in common: their options, their progress, their exit codes.
import { parseArgs } from 'node:util';
import { judge, slack } from './judging.js';
import { asJson, asMarkdown, asTable, settingOf } from './printing.js';
import type { Question, Room } from './questions.js';
import { measureAll } from './rounds.js';

export interface Command {
  readonly room: Room;
  /** Lines of the help on what is measured. */
  readonly about: string;
  /** How long each process warms up, and how long it measures, unless the option says otherwise. */
  readonly ms: number;
  /** Made before the first measurement: the room as far as it can be measured here, and why it is not the whole. */
  readonly prepare?: (asked: Room) => Promise<{ readonly room: Room; readonly without?: string }>;
}

const helpOf = ({ room, about, ms }: Command): string => `npm run bench:${room.name} -- [options]

${about}

  --case <name>   one question, or all whose name begins so; may be given more than once
  --rounds <n>    rounds, 5 unless given; ratios of fewer are a hint
  --ms <n>        how long each process warms up, and how long it measures; ${ms} unless given
  --json          the table as data
  --markdown      the table as it stands in bench/README.md
  --assert        exit 1 when a ratio is beyond ${slack} times its target, or a count beyond its target
  --list          the names of the questions
  --help          this text
`;

/** Something that the caller can mend. */
class Usage extends Error {}

/** Runs the command that this process was started for, and sets its exit code. */
export async function runCommand(command: Command): Promise<void> {
  try {
    process.exitCode = await run(command, process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof Usage ? 2 : 1;
  }
}

async function run(command: Command, argv: readonly string[]): Promise<number> {
  const { questions, name } = command.room;
  const { asked, rounds, ms, json, markdown, assert, list, help } = read(argv, command);
  if (help || list) {
    const names = questions.map((question) => `${question.name.padEnd(30)} ${question.asks}\n`);
    process.stdout.write(help ? helpOf(command) : names.join(''));
    return 0;
  }
  const whole: Room = { name, questions: asked };
  const { room, without } = (await command.prepare?.(whole)) ?? { room: whole };
  const samples = await measureAll(room, { rounds, ms, onStep: progress() });
  const lines = room.questions.flatMap((question) => judge(question, samples.get(question)!));
  const print = json ? asJson : markdown ? asMarkdown : asTable;
  process.stdout.write(print(settingOf(rounds, ms, without), lines));
  return assert && lines.some(({ broken }) => broken) ? 1 : 0;
}

function read(argv: readonly string[], { room: { questions }, ms: usual }: Command) {
  const { values } = parsed(argv);
  const { case: names = [], rounds = '5', ms = String(usual), ...flags } = values;
  const asked = new Set(names.flatMap((name) => named(name, questions)));
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

function named(name: string, questions: readonly Question[]): readonly Question[] {
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
