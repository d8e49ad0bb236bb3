/** `treblehook run`: one run, its answer streamed, its ending told. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { RunResult } from '@treblehook/agent';
import { createHost, folderTools, loadPersonality } from '@treblehook/host';
import { isHookError } from '@treblehook/types';
import { createColors } from './colors.js';
import { codeOf, documentOf, endingOf, toldOf, type Told } from './ending.js';
import { fileFrom, oneLine, wantsColor, type Io } from './io.js';
import { keysOf } from './keys.js';
import { withoutModel } from './personality.js';
import { redactor } from './redact.js';
import { eventWriter } from './show.js';
import { recordTrace } from './trace.js';
import { traceTable } from './trace-table.js';
import { UsageError } from './usage-error.js';

export interface RunFlags {
  readonly prompt: string;
  readonly dir?: string | undefined;
  readonly model?: string | undefined;
  readonly personality?: string | undefined;
  readonly policy?: string | undefined;
  readonly strict?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly trace?: boolean | undefined;
}

/** Resolves to the exit code. Rejects with `UsageError` or a `HookError` when nothing could be run. */
export async function run(flags: RunFlags, io: Io): Promise<number> {
  if (flags.prompt.trim() === '') throw new UsageError('the prompt is empty: say in quotes what to do');
  const dir = await folderAt(flags.dir, io.cwd);
  const redact = redactor(io.env);
  const say = (line: string): void => void io.stderr.write(`treblehook: ${oneLine(redact.text(line))}\n`);
  const warnings: Told[] = [];
  const warn = (warning: Told): void => {
    warnings.push(warning);
    say(`warning: ${warning.message}`);
  };
  const personality =
    flags.personality === undefined ? undefined : await loadPersonality(fileFrom(io, flags.personality));
  const fromVariable = flags.model === undefined && io.env['TREBLEHOOK_MODEL']?.trim();
  const host = await createHost({
    model: flags.model ?? (fromVariable || 'offline'),
    modelOptions: keysOf(io.env, (message) => warn({ message })),
    tools: folderTools(dir),
    cwd: dir,
    onAsk: 'deny',
    ...(personality && { personality: flags.model === undefined ? personality : withoutModel(personality) }),
    ...(flags.policy !== undefined && { policy: fileFrom(io, flags.policy) }),
    strict: flags.strict === true,
    onWarning: (warning) => warn(toldOf(warning)),
  }).catch((error: unknown) => {
    const isOfModel = error instanceof UsageError || (isHookError(error) && error.code === 'TH_MODEL_INVALID');
    throw fromVariable && isOfModel ? new UsageError(`$TREBLEHOOK_MODEL: ${error.message}`) : error;
  });
  const trace = flags.trace ? recordTrace(host.registry) : undefined;
  const show = flags.json ? () => {} : eventWriter(io, redact);
  let result: RunResult | undefined;
  for await (const event of host.agent.stream(flags.prompt, { signal: io.signal })) {
    show(event);
    if (event.type === 'done') result = event.result;
  }
  await host.close();
  const ended = result!;
  trace?.stop(ended.error);
  if (flags.json) {
    io.stdout.write(`${JSON.stringify(redact.data(documentOf(ended, warnings, trace?.rows)), undefined, 2)}\n`);
  } else if (trace !== undefined) {
    const { bold } = createColors(wantsColor(io.stdout, io.env));
    io.stdout.write(`\n${traceTable(redact.data(trace.rows), bold).join('\n')}\n`);
  }
  const ending = endingOf(ended);
  if (ending !== undefined) say(ending);
  return codeOf(ended.status);
}

async function folderAt(dir: string | undefined, cwd: string): Promise<string> {
  const folder = resolve(cwd, dir ?? '.');
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) throw new UsageError(`there is no folder '${dir ?? folder}': check --dir`);
  if (!found.isDirectory()) throw new UsageError(`'${dir ?? folder}' is no folder: give --dir a folder`);
  await access(folder, constants.R_OK | constants.X_OK).catch(() => {
    throw new UsageError(`the folder '${dir ?? folder}' may not be read: check its permissions, or --dir`);
  });
  return folder;
}
