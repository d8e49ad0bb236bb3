/** The command line: from words to a command, from any fault to one line and an exit code. */
import { parseArgs, renderUsage, type ArgsDef, type CommandDef, type ParsedArgs } from 'citty';
import { isHookError, nearestName, type ErrorCode, type HookError } from '@treblehook/types';
import {
  argsOf,
  auditArgs,
  checkArgs,
  explainArgs,
  exportArgs,
  listArgs,
  newArgs,
  planArgs,
  pluginCheckArgs,
  pluginListArgs,
  resumeArgs,
  revokeArgs,
  runArgs,
  showArgs,
  simulateArgs,
  testArgs,
  trustArgs,
  trustListArgs,
  trustRevokeArgs,
  whyArgs,
} from './command-flags.js';
import {
  auditCommand,
  checkCommand,
  explainCommand,
  exportCommand,
  listCommand,
  mainCommand,
  newCommand,
  planCommand,
  pluginCheckCommand,
  pluginCommand,
  pluginListCommand,
  policyCommand,
  resumeCommand,
  revokeCommand,
  runCommand,
  sessionCommand,
  showCommand,
  simulateCommand,
  testCommand,
  trustCommand,
  trustListCommand,
  trustRevokeCommand,
  whyCommand,
} from './commands.js';
import { asCalled } from './called-as.js';
import { assertFlags } from './flags.js';
import { toldOf, type RefusalDocument, type Told } from './ending.js';
import { exitCodes, jsonText, oneLine, wantsColor, type Io } from './io.js';
import { everywhere, lessons } from './lessons.js';
import { plan } from './plan.js';
import { checkPackage } from './plugin/check.js';
import { listPlugins } from './plugin/list.js';
import { newPlugin } from './plugin/new.js';
import { checkPolicy } from './policy/check.js';
import { explainPolicy } from './policy/explain.js';
import { simulatePolicy } from './policy/simulate.js';
import { testPolicy } from './policy/test.js';
import { redactor } from './redact.js';
import { run } from './run.js';
import { audit } from './session/audit.js';
import { exportSession } from './session/export.js';
import { listSessions } from './session/list.js';
import { resumeSession } from './session/resume.js';
import { revokeGrant } from './session/revoke.js';
import { showSession } from './session/show.js';
import { trustFolder } from './trust/grant.js';
import { listTrust, revokeTrust } from './trust/records.js';
import { UsageError } from './usage-error.js';
import { why } from './why/why.js';
import { version } from './version.js';

interface Command {
  readonly def: CommandDef;
  readonly start: (argv: string[], io: Io) => Promise<number>;
}

/** A command whose flags are read by their names. A flag that `--no-…` has taken back is `false`. */
const command = <A extends ArgsDef>(
  def: CommandDef,
  args: A,
  start: (flags: ParsedArgs<A>, io: Io) => Promise<number>,
): Command => ({ def, start: (argv, io) => start(parseArgs<A>(argv, args), io) });

const commands: Readonly<Record<string, Command>> = {
  run: command(runCommand, runArgs, run),
  'session list': command(listCommand, listArgs, listSessions),
  'session show': command(showCommand, showArgs, showSession),
  'session resume': command(resumeCommand, resumeArgs, resumeSession),
  'session revoke': command(revokeCommand, revokeArgs, revokeGrant),
  'session export': command(exportCommand, exportArgs, exportSession),
  audit: command(auditCommand, auditArgs, audit),
  'policy check': command(checkCommand, checkArgs, checkPolicy),
  'policy explain': command(explainCommand, explainArgs, explainPolicy),
  'policy test': command(testCommand, testArgs, testPolicy),
  'policy simulate': command(simulateCommand, simulateArgs, simulatePolicy),
  'plugin new': command(newCommand, newArgs, newPlugin),
  'plugin list': command(pluginListCommand, pluginListArgs, listPlugins),
  'plugin check': command(pluginCheckCommand, pluginCheckArgs, checkPackage),
  trust: command(trustCommand, trustArgs, trustFolder),
  'trust list': command(trustListCommand, trustListArgs, listTrust),
  'trust revoke': command(trustRevokeCommand, trustRevokeArgs, revokeTrust),
  why: command(whyCommand, whyArgs, why),
  plan: command(planCommand, planArgs, plan),
};

/** First words that a second one belongs to. */
const groups: Readonly<Record<string, CommandDef>> = {
  session: sessionCommand,
  policy: policyCommand,
  plugin: pluginCommand,
  trust: trustCommand,
};

/** Codes of faults that are in what the person gave, and not in what happened. */
const wrongInput: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'TH_CONFIG_INVALID',
  'TH_UNTRUSTED',
  'TH_STALE',
  // before a run without a plugin that the config names
  'TH_PLUGIN_FAILED',
  // a strict host throws these, and a command about plugins
  'TH_PLUGIN_INVALID',
  'TH_PLUGIN_TAKEN',
  'TH_PLUGIN_UNDECLARED',
  'TH_PLUGIN_SETUP_TIMEOUT',
  'TH_MODEL_INVALID',
  // only before a run
  'TH_MCP_FAILED',
  // only a strict host throws it
  'TH_MATCHES_NOTHING',
  'TH_ROUTE_UNKNOWN',
  // of a run that began, it stands in its result
  'TH_STORE_FAILED',
  'TH_SESSION_UNKNOWN',
  // of what did not begin; a run that has lost its session has a result
  'TH_SESSION_BUSY',
  'TH_WRONG_AGENT',
  'TH_NOTHING_OPEN',
  'TH_ANSWER_REFUSED',
]);

/** Runs one command line (without node and script) and resolves to its exit code; it never rejects. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    const redact = redactor(io.env);
    const tell = (fault: unknown): Told => {
      const told = toldOf(fault);
      return { ...told, message: asCalled(redact.fault(told.message), io.env) };
    };
    const told = tell(error);
    const faults = faultsOf(error).map(tell);
    for (const { message } of faults.length > 0 ? faults : [told]) io.stderr.write(`treblehook: ${oneLine(message)}\n`);
    if (wantsDocument(argv)) {
      const document: RefusalDocument = { error: { ...told, ...(faults.length > 0 && { faults }) } };
      io.stdout.write(`${jsonText(document, 2)}\n`);
    }
    if (error instanceof UsageError || (isHookError(error) && wrongInput.has(error.code))) return exitCodes.wrongInput;
    return io.signal.aborted ? exitCodes.interrupted : exitCodes.failed;
  }
}

/** Of a file of settings with several, and of several rules that match nothing: each. */
const faultsOf = (error: unknown): readonly HookError[] =>
  isHookError(error) && (error.code === 'TH_CONFIG_INVALID' || error.code === 'TH_MATCHES_NOTHING')
    ? (error.faults ?? [])
    : [];

/** A script that asked for a document reads one, also when its command was refused. */
function wantsDocument(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).includes('--json');
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [first = '', second = ''] = argv;
  if (first === '--version' || first === '-v') {
    io.stdout.write(`${await version()}\n`);
    return exitCodes.done;
  }
  if (first === '' || isHelp(first) || first === 'help') return help(mainCommand, io, 'treblehook');
  const group = Object.hasOwn(groups, first) ? groups[first] : undefined;
  // a group that is a command of its own: its flags stand behind the one word
  const isAlone = Object.hasOwn(commands, first) && (second === '' || second.startsWith('-'));
  if (group !== undefined && !isAlone && (second === '' || isHelp(second) || second === 'help'))
    return help(group, io, first);
  const name = group === undefined || isAlone ? first : `${first} ${second}`;
  const rest = argv.slice(group === undefined || isAlone ? 1 : 2);
  const command = Object.hasOwn(commands, name) ? commands[name]! : undefined;
  if (command === undefined) throw unknownCommand(name, first, second);
  const end = rest.indexOf('--');
  if (rest.slice(0, end < 0 ? undefined : end).some(isHelp)) return help(command.def, io, name);
  assertFlags(name, rest, argsOf[name]!);
  return command.start(rest, io);
}

const isHelp = (word: string): boolean => word === '--help' || word === '-h';

async function help(def: CommandDef, io: Io, name: string): Promise<number> {
  const usage = await renderUsage(def, def === mainCommand ? undefined : mainCommand);
  const colored = wantsColor(io.stdout, io.env);
  // oxlint-disable-next-line no-control-regex
  const text = colored ? usage : usage.replaceAll(/\u001B\[[0-9;]*m/g, '');
  io.stdout.write(
    `${asCalled(`${text.replaceAll(/ +$/gm, '').trimEnd()}\n\n${lessons[name]}\n\n${everywhere}`, io.env)}\n`,
  );
  return exitCodes.done;
}

/** The words behind the first one of a group. */
const wordsOf = (group: string): readonly string[] =>
  Object.keys(commands).flatMap((one) => (one.startsWith(`${group} `) ? [one.slice(group.length + 1)] : []));

function unknownCommand(name: string, first: string, second: string): UsageError {
  const group = Object.keys(groups).find((one) => name.startsWith(`${one} `));
  if (group !== undefined) {
    const before = `${group} `;
    const words = wordsOf(group);
    // the word alone: what all of them begin with makes no two of them near
    const near = nearestName(name.slice(before.length), words);
    const mend =
      near === undefined
        ? `there is ${words.map((one) => `${before}${one}`).join(', ')}`
        : `did you mean '${before}${near}'?`;
    return new UsageError(`there is no command '${oneLine(name)}': ${mend}`);
  }
  const near = nearestName(first, [...Object.keys(commands), ...Object.keys(groups)]);
  if (near !== undefined) {
    const word = Object.hasOwn(groups, near) ? nearestName(second, wordsOf(near)) : undefined;
    const meant = word === undefined ? near : `${near} ${word}`;
    return new UsageError(`there is no command '${name}': did you mean '${meant}'?`);
  }
  if (name.startsWith('-')) return new UsageError(`there is no flag ${name} before a command: see treblehook --help`);
  return new UsageError(
    `there is no command '${name}': write treblehook run "${oneLine(name)}", or see treblehook --help`,
  );
}
