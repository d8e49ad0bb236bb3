/** The tool `run_command`: a program with its arguments, or a line for a shell when that is asked for. */
import { constants } from 'node:os';
import { defineTool, didYouMean, HookError, type Tool, type ToolResult } from '@treblehook/types';
import { z } from 'zod';
import { Folder } from './folder.js';
import { KeptOutput } from './kept-output.js';
import { pathIn, sealedBy } from './path-argument.js';
import { runGroup, type Ended } from './process-group.js';
import { strictArguments } from './strict-arguments.js';
import { onOneLine } from './visible.js';

export interface CommandOptions {
  /** Names of the variables that a command gets beside those it always does (`PATH`, `LANG`, `LC_ALL`, `TZ`, `TMPDIR`). */
  readonly env?: readonly string[];
  /** Where they are taken from; default `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The shell of the form `{ shell: line }`, called with `-c`; `false` refuses that form. Default `/bin/sh`. */
  readonly shell?: string | false;
  /** What a command may take when a call does not say, in ms; default 120,000. */
  readonly timeoutMs?: number;
  /** What a call may ask for, in ms; default 600,000. */
  readonly maxTimeoutMs?: number;
  /** Bytes of the output that are kept, half from its beginning and half from its end; default 40,000. */
  readonly maxOutputBytes?: number;
  /** Between SIGTERM and SIGKILL, in ms; default 500, so that an aborted run, which waits a second, sees the end. */
  readonly graceMs?: number;
}

/** What programs cannot do without; neither keys nor a home, where keys are kept. */
const always = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SystemRoot', 'PATHEXT'];

const known: Readonly<Record<keyof CommandOptions, (value: unknown) => boolean>> = {
  env: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  environment: (value) => typeof value === 'object' && value !== null,
  shell: (value) => value === false || (typeof value === 'string' && value !== ''),
  timeoutMs: isCount,
  maxTimeoutMs: isCount,
  maxOutputBytes: isCount,
  graceMs: isCount,
};

/** A word of a command line: what no program can be given is refused. */
const word = z
  .string({ error: 'each word is a text: put it in quotes' })
  .refine((text) => !text.includes('\0'), 'it has a NUL character in it: leave it out');

function inputOf(folder: Folder, { shell, timeoutMs, maxTimeoutMs }: Required<CommandOptions>) {
  const asList = 'write the program and its arguments as a list of texts, such as ["ls", "-l"]';
  const argv = z
    .array(word, { error: asList })
    .min(1, `it names no program: ${asList}`)
    .refine(([program]) => program !== '', `the program has no name: ${asList}`);
  const line = strictArguments({
    shell: word.min(1, 'the line is empty: write what the shell is to run').describe(`A line for ${String(shell)}`),
  });
  const command =
    shell === false
      ? argv
      : z.union([argv, line], { error: `${asList}, or a line for a shell as { "shell": "ls -l" }` });
  const time = `write a whole number of milliseconds, from 1 to ${maxTimeoutMs}`;
  return strictArguments({
    command: command.describe(
      `The program and its arguments, one text each; no shell reads them${shell === false ? '' : '. Or { "shell": line }'}`,
    ),
    cwd: pathIn(folder, 'The folder to run in').default('.'),
    timeoutMs: z.int(time).min(1, time).max(maxTimeoutMs, time).default(timeoutMs).describe('When it is ended'),
  });
}

/** Runs commands in a folder. It confines none of them: put a policy in front of it. Throws `TH_OPTION_INVALID`. */
export function runCommandTool(dir: string, given: CommandOptions = {}): Tool {
  const options = optionsOf(given);
  const folder = new Folder(dir);
  const env = environmentOf(options);
  const tool = defineTool({
    name: 'run_command',
    description:
      'Runs a program to its end and gives what it says. It has no input and no terminal; what it leaves running in the background is ended with it.',
    input: inputOf(folder, options),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    concurrency: 'exclusive',
    paths: ['cwd'],
    commands: ['command'],
    execute: async ({ command, cwd, timeoutMs }, { signal }) => {
      const argv = Array.isArray(command) ? command : [String(options.shell), '-c', command.shell];
      const at = await folder.find(cwd);
      const kept = new KeptOutput(options.maxOutputBytes);
      const began = performance.now();
      const ended = await folder.holding(at, at.name, (path) =>
        runGroup({
          argv,
          cwd: path,
          env,
          timeoutMs,
          graceMs: options.graceMs,
          signal,
          onOutput: (chunk) => kept.add(chunk),
        }),
      );
      return resultOf(ended, kept, timeoutMs, Math.round(performance.now() - began));
    },
  });
  return sealedBy(folder, tool);
}

function resultOf(ended: Ended, kept: KeptOutput, timeoutMs: number, ms: number): ToolResult {
  const { code, signal, timedOut, leftOver, escaped } = ended;
  const how = timedOut
    ? `ended after its ${timeoutMs} ms`
    : code === null
      ? `ended by ${signal} (${constants.signals[signal!]})`
      : `exit code ${code}`;
  const notes = [
    how,
    ...(leftOver && !timedOut ? ['what it left running was ended'] : []),
    ...(escaped ? ['something has left its process group, and may still be running'] : []),
  ];
  const text = kept.text();
  return {
    output: `${text === '' ? '(no output)' : text.replace(/\n$/, '')}\n[${notes.join('; ')}]`,
    isError: timedOut || code !== 0,
    metadata: { exitCode: code, signal, timedOut, leftOver, escaped, bytes: kept.bytes, ms },
  };
}

function environmentOf({ env, environment }: Required<CommandOptions>): Record<string, string> {
  const names = [...always, ...env];
  const taken = names.flatMap((name) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return { ...(Object.fromEntries(taken) as Record<string, string>), TERM: 'dumb' };
}

function optionsOf(given: CommandOptions): Required<CommandOptions> {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(known, name)) {
      const names = Object.keys(known);
      throw invalid(
        `'${name}' is no option of run_command`,
        didYouMean(name, names) ?? `there are ${names.join(', ')}`,
      );
    }
    if (value !== undefined && !known[name as keyof CommandOptions](value)) {
      throw invalid(`'${name}' of run_command cannot be ${onOneLine(JSON.stringify(value) ?? 'that')}`, 'see its type');
    }
  }
  const { maxTimeoutMs = 600_000, timeoutMs = Math.min(120_000, maxTimeoutMs) } = given;
  if (timeoutMs > maxTimeoutMs) throw invalid("'timeoutMs' is more than 'maxTimeoutMs'", 'raise the latter');
  return {
    env: given.env ?? [],
    environment: given.environment ?? process.env,
    shell: given.shell ?? '/bin/sh',
    timeoutMs,
    maxTimeoutMs,
    maxOutputBytes: given.maxOutputBytes ?? 40_000,
    graceMs: given.graceMs ?? 500,
  };
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31;
}

const invalid = (what: string, mend: string): HookError =>
  new HookError('TH_OPTION_INVALID', { what: `${what}: ${mend}` });
