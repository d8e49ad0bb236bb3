/** What somebody did in the last run that is kept: verdicts of its guards, calls of its tools, results that it gave. */
import { auditSession, type AuditedCall } from '@treblehook/agent';
import { findSession } from '../session/find.js';
import { openKept, type StoreFlags } from '../store-file.js';
import type { Io } from '../io.js';

export interface LastRun {
  readonly sessionId: string;
  readonly runId: string;
  readonly verdicts: readonly { readonly guard: string; readonly verdict: string; readonly tool: string }[];
  readonly calls: readonly { readonly tool: string; readonly outcome: string }[];
  /** Results in place of the body's own, and refusals: by which handler. */
  readonly supplied: readonly { readonly by: string; readonly tool: string; readonly outcome: string }[];
}

/** Whose doings: handlers by their full ids, tools by their names. */
export interface Whose {
  readonly isHandler: (id: string, owner?: string, hook?: string) => boolean;
  readonly isTool: (name: string, source?: string) => boolean;
}

/** `undefined`: no run is kept. The store is read, and nothing in it is changed. */
export async function lastRunOf(flags: StoreFlags, io: Io, whose: Whose): Promise<LastRun | undefined> {
  const kept = openKept(flags, io);
  if (kept === undefined) return undefined;
  try {
    const newest = (await kept.store.list()).find(({ last }) => last !== undefined);
    if (newest === undefined) return undefined;
    const { view, records } = await findSession(kept, newest.sessionId);
    const run = view.runs.at(-1);
    if (run === undefined) return undefined;
    const calls = auditSession(records).calls.filter(({ runId }) => runId === run.runId);
    return { sessionId: newest.sessionId, runId: run.runId, ...doingsOf(calls, whose) };
  } finally {
    await kept.store.close();
  }
}

function doingsOf(all: readonly AuditedCall[], { isHandler, isTool }: Whose): Omit<LastRun, 'sessionId' | 'runId'> {
  const outcomeOf = ({ outcome }: AuditedCall): string => outcome ?? 'not ended';
  return {
    verdicts: all.flatMap((call) =>
      call.guards
        .filter(({ by }) => isHandler(by.id, by.owner, by.hook))
        .map(({ by, verdict }) => ({ guard: by.id, verdict, tool: call.name })),
    ),
    calls: all
      .filter(({ name, tool }) => isTool(name, tool?.source))
      .map((call) => ({ tool: call.name, outcome: outcomeOf(call) })),
    supplied: all.flatMap((call) => {
      const { by, name } = call;
      const isGuard = call.guards.some((guard) => guard.by.id === by);
      return by !== undefined && !isGuard && isHandler(by) ? [{ by, tool: name, outcome: outcomeOf(call) }] : [];
    }),
  };
}

/** The same in lines. */
export function lastRunLines(last: LastRun | undefined): readonly string[] {
  if (last === undefined) return ['last run: none is kept'];
  const { sessionId, verdicts, calls, supplied } = last;
  const lines = [
    ...counted(verdicts.map(({ guard, verdict, tool }) => `${guard} said ${verdict} of ${tool}`)),
    ...counted(calls.map(({ tool, outcome }) => `${tool} was called: ${outcome}`)),
    ...counted(supplied.map(({ by, tool, outcome }) => `${by} answered for ${tool}: ${outcome}`)),
  ];
  return lines.length === 0
    ? [`last run (session ${sessionId}): nothing by it`]
    : [`last run (session ${sessionId}):`, ...lines.map((line) => `  ${line}`)];
}

function counted(lines: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, count]) => (count === 1 ? line : `${line} (${count} times)`));
}
