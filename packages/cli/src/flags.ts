/** The check of a command line before it is parsed: citty passes over what it does not know. */
import type { ArgsDef } from 'citty';
import { nearestName } from '@treblehook/types';
import { argsOf } from './command-flags.js';
import { oneLine } from './io.js';
import { UsageError } from './usage-error.js';

/**
 * Throws `UsageError` for an unknown flag, a flag without its value, given twice or together with its opposite, and a word
 * too many or too few.
 */
export function assertFlags(command: string, argv: readonly string[], args: ArgsDef): void {
  const flags = Object.keys(args).filter((name) => args[name]!.type !== 'positional');
  const words = Object.keys(args).filter((name) => args[name]!.type === 'positional');
  const seen = new Set<string>();
  const given: string[] = [];
  /** Switches that a word like `false` follows: a value, when there is a word too many. */
  const valued: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const arg = argv[at]!;
    if (arg === '--') {
      given.push(...argv.slice(at + 1));
      break;
    }
    if (!arg.startsWith('-') || arg === '-') {
      given.push(arg);
      continue;
    }
    const [flag = '', ...rest] = arg.split('=');
    const name = flag.replace(/^--/, '');
    if (!flag.startsWith('--') || !flags.includes(name)) throw unknown(command, flag, flags);
    if (seen.has(name)) throw new UsageError(`${flag} is given twice: give it once`);
    seen.add(name);
    const opposite = name.startsWith('no-') ? name.slice(3) : `no-${name}`;
    if (seen.has(opposite)) throw new UsageError(`${flag} and --${opposite}: give one of them`);
    const isSwitch = args[name]!.type === 'boolean';
    if (isSwitch && rest.length > 0) throw takesNoValue(flag);
    if (isSwitch) {
      if (/^(?:true|false|yes|no|on|off|0|1)$/.test(argv[at + 1] ?? '')) valued.push(flag);
      continue;
    }
    const value = rest.length > 0 ? rest.join('=') : argv[++at];
    if (value === undefined || value === '' || (rest.length === 0 && value.startsWith('--'))) {
      throw new UsageError(`${flag} needs a value: ${flag}=<${args[name]!.valueHint ?? name}>`);
    }
  }
  const found = given.length;
  const missing = words.find((name, at) => at >= found && args[name]!.required !== false);
  if (missing !== undefined) {
    throw new UsageError(`'${command}' needs a ${missing}: treblehook ${command} ${exampleOf[missing] ?? '"…"'}`);
  }
  if (found > words.length) {
    if (valued[0] !== undefined) throw takesNoValue(valued[0]);
    throw new UsageError(
      command === 'run'
        ? `'run' takes one prompt, and got ${found} words: put it in quotes, treblehook run "${oneLine(given.join(' '))}"`
        : `'${command}' takes ${words.length === 0 ? 'no words' : `one ${words.join(' and one ')}`}, and got ${found === 1 ? 'one' : `${found} words`}: ${oneLine(given.join(' '))}`,
    );
  }
}

const takesNoValue = (flag: string): UsageError =>
  new UsageError(`${flag} takes no value: write ${flag} alone, or leave it out`);

/** What a missing word looks like, when it is no text of the person's own. */
const exampleOf: Readonly<Record<string, string>> = {
  session: '<id>; treblehook session list shows them',
  file: '<file.yaml>',
  name: '<name>, such as acme-notes',
  tool: `<tool> '<args as JSON>'`,
  cases: '<cases.yaml>',
  path: '<folder or tarball>',
  grant: '<session> <grant>; treblehook session show tells them',
};

/** What a flag is called where it goes by another name. */
const insteadOf: Readonly<Record<string, string>> = {
  'session export --json': '--format json',
};

const isFlagOf = (command: string, name: string): boolean =>
  Object.hasOwn(argsOf[command]!, name) && argsOf[command]![name]!.type !== 'positional';

function unknown(command: string, flag: string, flags: readonly string[]): UsageError {
  const name = flag.replace(/^--/, '');
  const near = nearestName(flag.replace(/^-+/, ''), [...flags, 'help']);
  if (flag === '--version' || flag === '-v')
    return new UsageError(`${flag} stands in place of a command: treblehook ${flag}`);
  const instead = insteadOf[`${command} ${flag}`];
  if (instead !== undefined) return new UsageError(`'${command}' takes no ${flag}: write ${instead}`);
  const others = Object.keys(argsOf).filter((one) => one !== command && isFlagOf(one, name));
  if (flag.startsWith('--') && others.length > 0) {
    const who = others.map((one) => `'${one}'`).join(' and ');
    return new UsageError(
      `'${command}' takes no ${flag}, only ${who} ${others.length === 1 ? 'does' : 'do'}: leave it out`,
    );
  }
  const mend = near === undefined ? `see treblehook ${command} --help` : `did you mean --${near}?`;
  return new UsageError(`there is no flag ${flag}: ${mend}`);
}
