/** `treblehook policy simulate`: the calls of a session against another policy than they had. */
import { existsSync } from 'node:fs';
import type { CallView, RunView } from '@treblehook/agent';
import { fullName, type PolicedCall } from '@treblehook/plugin-tool-policy';
import { visible } from '../visible.js';
import { givenOf } from '../given.js';
import { exitCodes, jsonText, oneLine, type Io } from '../io.js';
import { redactor } from '../redact.js';
import { findSession } from '../session/find.js';
import { openKept, type StoreFlags } from '../store-file.js';
import { UsageError } from '../usage-error.js';
import { kindsOf } from '../tools/kinds.js';
import { judgeOf, type Judge, type PolicyFlags } from './judge.js';
import { wordOf, type Word } from './report-text.js';

export interface SimulateFlags extends PolicyFlags, StoreFlags {
  readonly session: string;
}

/** A call whose verdict would be another one. */
export interface Difference {
  readonly callId: string;
  readonly runId: string;
  readonly tool: string;
  readonly args: unknown;
  readonly was: Word;
  readonly now: Word;
  readonly rule?: string;
}

export interface SimulationDocument {
  readonly sessionId: string;
  /** Calls that were judged anew. */
  readonly calls: number;
  /** Calls that were never sealed, so that no guard has seen them. */
  readonly unsealed: number;
  readonly differences: readonly Difference[];
}

export async function simulatePolicy(flags: SimulateFlags, io: Io): Promise<number> {
  if (flags.policy === undefined)
    throw new UsageError("'policy simulate' needs the policy to try: --policy=<file.yaml>");
  const kept = openKept(flags, io);
  try {
    const { view } = await findSession(kept, flags.session);
    // Where the run stood its paths were meant from.
    const dir = flags.dir ?? view.runs.map((run) => givenOf(run)?.dir).find((one) => one !== undefined);
    const judge = await judgeOf({ ...flags, dir }, io, personalitiesOf(view.runs, flags, io));
    const document = await simulate(flags.session, view.runs, judge);
    const redact = redactor(io.env);
    io.stdout.write(
      flags.json
        ? `${jsonText(redact.data(document), 2)}\n`
        : `${redact.data(document).differences.map(lineOf).concat(summaryOf(document)).join('\n')}\n`,
    );
    return exitCodes.done;
  } finally {
    await kept?.store.close();
  }
}

/** The files of the personalities that the runs had; what is gone is told, and its policy does not count. */
function personalitiesOf(runs: readonly RunView[], { personality }: SimulateFlags, io: Io): readonly string[] {
  if (personality !== undefined) return [];
  const files = new Set(runs.flatMap((run) => givenOf(run)?.personality ?? []));
  return [...files].filter((file) => {
    if (existsSync(file)) return true;
    const text = `treblehook: warning: the personality of the session, '${file}', is not there any more: its policy does not count; name one by --personality`;
    io.stderr.write(`${oneLine(redactor(io.env).text(text))}\n`);
    return false;
  });
}

async function simulate(sessionId: string, runs: readonly RunView[], judge: Judge): Promise<SimulationDocument> {
  const calls = runs.flatMap(({ runId, personality, turns }) =>
    turns.flatMap(({ calls: asked }) => asked.map((call) => ({ runId, personality, call }))),
  );
  const judged: Difference[] = [];
  for (const { runId, personality, call } of calls) {
    const policed = policedOf(call, personality, judge);
    if (policed === undefined) continue;
    const verdict = (await judge.policyFor(personality)).decide(policed);
    judged.push({
      callId: call.callId,
      runId,
      tool: fullName(policed.tool),
      args: policed.args,
      was: wasOf(call),
      now: wordOf(verdict),
      ...(verdict && { rule: verdict.rule }),
    });
  }
  return {
    sessionId,
    calls: judged.length,
    unsealed: calls.length - judged.length,
    differences: judged.filter(({ was, now }) => was !== now),
  };
}

/** The call as the guards saw it; of a tool that is known here also which arguments are what. */
function policedOf(call: CallView, personality: string, { tools }: Pick<Judge, 'tools'>): PolicedCall | undefined {
  const identity = call.sealed?.tool ?? (call.end?.record.digest === undefined ? undefined : call.end.record.tool);
  if (identity === undefined) return undefined;
  const { source, name } = identity;
  const tool = tools.find((one) => one.name === name && (one.source ?? 'host') === source);
  return {
    tool: { source, name, ...kindsOf(tool) },
    args: call.sealed?.args ?? call.args,
    personality,
  };
}

/** What the policy said then; of a call that still waits, that it asked. */
function wasOf({ end, questions }: CallView): Word {
  const said = end?.record.verdicts.find(({ by }) => by.id === 'tool-policy')?.verdict;
  if (said !== undefined) return said === 'pass' ? 'silent' : said;
  return questions.some(({ by }) => by === 'guards') ? 'ask' : 'silent';
}

const lineOf = ({ callId, tool, args, was, now, rule }: Difference): string =>
  visible(
    oneLine(
      `${callId} ${tool} ${JSON.stringify(args)}: was ${was}, would be ${now}${rule === undefined ? '' : ` by ${rule}`}`,
    ),
  );

function summaryOf({ calls, unsealed, differences }: SimulationDocument): string {
  const left = unsealed === 0 ? '' : `; ${unsealed} more never reached the guards`;
  return `${calls} ${calls === 1 ? 'call' : 'calls'} judged, ${differences.length} would differ${left}`;
}
