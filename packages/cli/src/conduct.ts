/** A run from its stream to its exit code: shown as it goes, told how it ended, and how to go on. */
import type { AgentStream, RunResult } from '@treblehook/agent';
import type { Host } from '@treblehook/host';
import { pathText } from './approval-text.js';
import { asCalled } from './called-as.js';
import { createColors } from './colors.js';
import { codeOf, documentOf, endingOf, type Told } from './ending.js';
import { jsonText, oneLine, shellWord, wantsColor, type Io } from './io.js';
import { redactor, type Redactor } from './redact.js';
import { flagsBeside, type Given } from './given.js';
import type { HostFlags } from './run-host.js';
import { eventWriter } from './show.js';
import { recordTrace } from './trace.js';
import { traceTable } from './trace-table.js';
import { visible } from './visible.js';
import type { Kept } from './store-file.js';

/** What a run says beside its answer. */
export interface Voice {
  readonly io: Io;
  readonly redact: Redactor;
  readonly warnings: readonly Told[];
  readonly say: (line: string) => void;
  readonly warn: (warning: Told) => void;
}

export function voiceOf(io: Io): Voice {
  const redact = redactor(io.env);
  const warnings: Told[] = [];
  const say = (line: string): void =>
    void io.stderr.write(`treblehook: ${oneLine(asCalled(redact.text(line), io.env))}\n`);
  const warn = (warning: Told): void => {
    warnings.push(warning);
    say(`warning: ${warning.message}`);
  };
  return { io, redact, warnings, say, warn };
}

export interface Conducted {
  readonly host: Host;
  readonly close: () => Promise<void>;
  readonly kept: Kept | undefined;
  readonly start: () => AgentStream;
  /** It goes on with a run that was left open, and these requests of it had an answer before. */
  readonly answered?: ReadonlySet<string>;
  /** What the run is given now, and what its log says that it was given. */
  readonly given: Given;
  readonly logged: Given | undefined;
}

/** Closes what it was given. Resolves to the exit code. */
export async function conduct(
  flags: HostFlags,
  { io, redact, warnings, say }: Voice,
  { host, close, kept, start, answered, given, logged }: Conducted,
): Promise<number> {
  const trace = flags.trace ? recordTrace(host.registry) : undefined;
  const show = flags.json ? () => {} : eventWriter(io, redact, answered);
  let result: RunResult | undefined;
  for await (const event of start()) {
    show(event);
    if (event.type === 'done') result = event.result;
  }
  await close();
  const ended = result!;
  trace?.stop(ended.error);
  if (flags.json) {
    io.stdout.write(`${jsonText(redact.data(documentOf(ended, warnings, trace?.rows, redact.fault)), 2)}\n`);
  } else if (trace !== undefined) {
    const { bold } = createColors(wantsColor(io.stdout, io.env));
    io.stdout.write(`\n${traceTable(redact.data(trace.rows), bold).join('\n')}\n`);
  }
  const ending = ended.status === 'failed' ? redact.fault(endingOf(ended)!) : endingOf(ended);
  const again = {
    resume: flagsBeside(logged, given, flags, io.cwd),
    run: flagsBeside(undefined, given, flags, io.cwd) + (isLeft(flags) ? ' --no-config' : ''),
  };
  if (ending !== undefined) say(ending);
  const unasked = ended.status === 'pending' ? unaskedText(flags, io) : undefined;
  if (unasked !== undefined) say(unasked);
  for (const line of await goOnLines(flags, ended, kept, again)) say(line);
  return codeOf(ended.status);
}

/** Whoever left the config of the folder unread means to leave it again; a run that is resumed has what its log says. */
const isLeft = ({ config }: HostFlags): boolean => config === false;

/** Why nobody was asked; nothing when somebody was, and when `--on-ask` has said so. */
function unaskedText({ json, 'on-ask': way }: HostFlags, { terminal }: Io): string | undefined {
  if (way !== undefined) return undefined;
  if (json) return 'nobody was asked: with --json stdout has the document alone';
  return terminal === undefined ? 'nobody was asked: that takes a terminal at both stdin and stdout' : undefined;
}

/** What to type next. With `--json` the document has the ids, and only what waits is told. */
async function goOnLines(
  flags: HostFlags,
  { status, sessionId, pending = [] }: RunResult,
  kept: Kept | undefined,
  again: { readonly resume: string; readonly run: string },
): Promise<readonly string[]> {
  if (kept === undefined) return [];
  const session = shellWord(sessionId);
  if (status === 'pending') {
    return pending.flatMap(({ id, prompt, path }) => [
      `${id}${path === undefined ? '' : ` (${pathText({ path })})`}: ${visible(prompt)}`,
      `go on by treblehook session resume ${session} --yes ${id}${again.resume}, or --no ${id}${again.resume} --reason "…"`,
    ]);
  }
  if (flags.json || (await kept.store.read(sessionId)).length === 0) return [];
  return [`session ${sessionId}: go on by treblehook run "…" --session ${session}${again.run}`];
}
