/** `treblehook session list`: what is kept, the newest first. */
import { readSession } from '@treblehook/agent';
import type { Request, SessionSummary } from '@treblehook/types';
import { pathText } from '../approval-text.js';
import { asCalled } from '../called-as.js';
import { createColors } from '../colors.js';
import { exitCodes, jsonText, wantsColor, type Io } from '../io.js';
import { redactor } from '../redact.js';
import { defaultStore, openKept, type StoreFlags } from '../store-file.js';
import { table } from '../table.js';
import { lastText, openRequests, stateOf, stateText, type SessionState } from './state.js';
import { timeText } from './time.js';

export interface ListFlags extends StoreFlags {
  readonly json?: boolean | undefined;
}

/** One entry of the document; times are ms since the epoch. */
export interface SessionEntry {
  readonly sessionId: string;
  readonly openedAt: number;
  readonly changedAt: number;
  readonly records: number;
  readonly state: SessionState;
  /** How its last run has ended; `open` of one that has not. Absent without a run. */
  readonly last?: SessionSummary['last'];
  /** Requests of its open run without an answer. */
  readonly pending: number;
  /** Which those are; the rest of each is in `session show`. */
  readonly open: readonly Pick<Request, 'id' | 'prompt' | 'path'>[];
  /** The run that has it now. */
  readonly holder?: string;
  /** Of its first run. */
  readonly input: string;
}

const columns = [
  { title: 'session' },
  { title: 'changed' },
  { title: 'records', align: 'right' },
  { title: 'state' },
  { title: 'last run' },
  { title: 'first input', max: 60 },
] as const;

export async function listSessions(flags: ListFlags, io: Io): Promise<number> {
  const kept = openKept(flags, io);
  const redact = redactor(io.env);
  const entries: SessionEntry[] = [];
  try {
    for (const { sessionId, openedAt, changedAt, records, last, holder } of (await kept?.store.list()) ?? []) {
      const view = readSession(await kept!.store.read(sessionId));
      const held = holder === undefined ? {} : { holder };
      const stand = { state: stateOf(view, held), ...(last && { last }) };
      const open = openRequests(view).map(({ request: { id, prompt, path } }) => ({
        id,
        prompt,
        ...(path && { path }),
      }));
      const input = view.runs[0]?.input ?? '';
      entries.push({ sessionId, openedAt, changedAt, records, ...stand, pending: open.length, open, ...held, input });
    }
  } finally {
    await kept?.store.close();
  }
  if (flags.json) {
    io.stdout.write(`${jsonText(redact.data({ store: kept?.shown ?? defaultStore, sessions: entries }), 2)}\n`);
    return exitCodes.done;
  }
  if (entries.length === 0) {
    const text = `no sessions in ${redact.text(kept?.shown ?? defaultStore)}: treblehook run "…" makes one`;
    io.stdout.write(`${asCalled(text, io.env)}\n`);
    return exitCodes.done;
  }
  const rows = redact
    .data(entries)
    .map(({ sessionId, changedAt, records, state, last, open, holder, input }) => [
      sessionId,
      timeText(changedAt),
      String(records),
      `${stateText(state, open.length, holder)}${waysText(open)}`,
      lastText(last),
      input,
    ]);
  const { bold } = createColors(wantsColor(io.stdout, io.env));
  io.stdout.write(`${table(columns, rows, bold).join('\n')}\n`);
  return exitCodes.done;
}

/** On which ways children ask; nothing of what the root asks itself. */
function waysText(open: readonly Pick<Request, 'path'>[]): string {
  const ways = new Set(open.flatMap((request) => pathText(request) ?? []));
  return ways.size === 0 ? '' : ` (${[...ways].join(', ')})`;
}
