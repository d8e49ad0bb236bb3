/** The command line: from words to a command, from any fault to one line and an exit code. */
import { parseArgs, renderUsage, type ArgsDef, type CommandDef } from 'citty';
import { didYouMean, isHookError, textOf, type ErrorCode } from '@treblehook/types';
import { lessons, mainCommand, planArgs, planCommand, runArgs, runCommand } from './commands.js';
import { assertFlags } from './flags.js';
import { toldOf, type RefusalDocument } from './ending.js';
import { exitCodes, oneLine, wantsColor, type Io } from './io.js';
import { plan } from './plan.js';
import { redactor } from './redact.js';
import { run } from './run.js';
import { UsageError } from './usage-error.js';
import { version } from './version.js';

interface Command {
  readonly def: CommandDef;
  readonly args: ArgsDef;
  readonly start: (argv: string[], io: Io) => Promise<number>;
}
const commands: Readonly<Record<string, Command>> = {
  run: { def: runCommand, args: runArgs, start: (argv, io) => run(parseArgs<typeof runArgs>(argv, runArgs), io) },
  plan: { def: planCommand, args: planArgs, start: (argv, io) => plan(parseArgs<typeof planArgs>(argv, planArgs), io) },
};

/** Codes of faults that are in what the person gave, and not in what happened. */
const wrongInput: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'TH_CONFIG_INVALID',
  'TH_MODEL_INVALID',
  // only a strict host throws it
  'TH_MATCHES_NOTHING',
  'TH_ROUTE_UNKNOWN',
]);

/** Runs one command line (without node and script) and resolves to its exit code; it never rejects. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    const redact = redactor(io.env);
    io.stderr.write(`treblehook: ${oneLine(redact.text(textOf(error)))}\n`);
    if (wantsDocument(argv)) {
      const document: RefusalDocument = { error: toldOf(error) };
      io.stdout.write(`${JSON.stringify(redact.data(document), undefined, 2)}\n`);
    }
    if (error instanceof UsageError || (isHookError(error) && wrongInput.has(error.code))) return exitCodes.wrongInput;
    return io.signal.aborted ? exitCodes.interrupted : exitCodes.failed;
  }
}

/** A script that asked for a document reads one, also when its command was refused. */
function wantsDocument(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).includes('--json');
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [name = '', ...rest] = argv;
  if (name === '--version' || name === '-v') {
    io.stdout.write(`${await version()}\n`);
    return exitCodes.done;
  }
  if (name === '' || name === '--help' || name === '-h' || name === 'help') return help(mainCommand, io, 'treblehook');
  const command = Object.hasOwn(commands, name) ? commands[name]! : undefined;
  if (command === undefined) throw unknownCommand(name);
  const end = rest.indexOf('--');
  const asksHelp = (word: string): boolean => word === '--help' || word === '-h';
  if (rest.slice(0, end < 0 ? undefined : end).some(asksHelp)) return help(command.def, io, name);
  assertFlags(name, rest, command.args);
  return command.start(rest, io);
}

async function help(def: CommandDef, io: Io, name: string): Promise<number> {
  const usage = await renderUsage(def, def === mainCommand ? undefined : mainCommand);
  const colored = wantsColor(io.stdout, io.env);
  // oxlint-disable-next-line no-control-regex
  const text = colored ? usage : usage.replaceAll(/\u001B\[[0-9;]*m/g, '');
  io.stdout.write(`${text.replaceAll(/ +$/gm, '').trimEnd()}\n\n${lessons[name]}\n`);
  return exitCodes.done;
}

function unknownCommand(name: string): UsageError {
  const mend = didYouMean(name, Object.keys(commands));
  if (mend !== undefined) return new UsageError(`there is no command '${name}': ${mend}`);
  if (name.startsWith('-')) return new UsageError(`there is no flag ${name} before a command: see treblehook --help`);
  return new UsageError(
    `there is no command '${name}': write treblehook run "${oneLine(name)}", or see treblehook --help`,
  );
}
