/** The trace of a run: what each handler did, told from the events of the registry. */
import {
  isHookError,
  type AgentHooks,
  type ErrorCode,
  type HookEvents,
  type HookRegistry,
  type StageOutcome,
  type VerdictRecord,
} from '@treblehook/types';
import { changesOf } from './changes.js';

export interface TraceRow {
  /** Model calls of the run before it, from 0; absent of a fire that was rejected. */
  readonly turn?: number;
  readonly hook: string;
  /** The tool that a call is of. */
  readonly about?: string;
  /** The full id of the handler. */
  readonly by: string;
  readonly outcome: StageOutcome;
  /** What it changed, the reason of a denial, the text of a fault. */
  readonly what: string;
  readonly ms: number;
}

export interface Trace {
  readonly rows: readonly TraceRow[];
  /** Ends the recording. The error of a rejected fire that no event told makes the row of its handler. */
  readonly stop: (error?: unknown) => void;
}

type Fault = HookEvents['handlerFailed'];

/** Records every stage of every fire from now on. Fires that nobody took part in leave no row. */
export function recordTrace(registry: Pick<HookRegistry<AgentHooks>, 'catalogue' | 'events'>): Trace {
  const { catalogue, events } = registry;
  const rows: TraceRow[] = [];
  // Told before the fire that they belong to; the fault of a fire that is rejected has no fire behind it.
  let faults: Fault[] = [];
  const heard = new WeakSet<object>();

  const settleFaults = (hook: string, id?: string): string[] => {
    const ours = faults.filter((fault) => fault.hook === hook && (id === undefined || fault.by.id === id));
    faults = faults.filter((fault) => !ours.includes(fault));
    return ours.map(({ error }) => error.message);
  };
  const flushFaults = (): void => {
    for (const { hook, by, code, error } of faults) {
      rows.push(Object.freeze({ hook, by: by.id, outcome: outcomeOf(code), what: error.message, ms: 0 }));
    }
    faults = [];
  };
  const onFired = ({ hook, payload, result, stages }: HookEvents['fired']): void => {
    const point = catalogue[hook as keyof AgentHooks];
    const given = payload as Readonly<Record<string, unknown>>;
    const view = { ...given };
    for (const { by, outcome, amendment, ms } of stages) {
      const said = amendment === undefined ? [] : changesOf(point, view, amendment);
      if (point.discipline === 'guard') said.push(...wordsOf(result as VerdictRecord, by.id));
      said.push(...settleFaults(hook, by.id));
      if (amendment !== undefined && point.discipline === 'pipeline') Object.assign(view, amendment);
      const { turn, about } = subjectOf(given);
      rows.push(
        Object.freeze({
          ...(turn !== undefined && { turn }),
          hook,
          ...(about !== undefined && { about }),
          by: by.id,
          outcome,
          what: said.join('; '),
          ms,
        }),
      );
    }
  };
  const onFault = (fault: Fault): void => {
    heard.add(fault.error);
    faults.push(fault);
  };
  const off = [
    events.on('fired', onFired),
    events.on('handlerFailed', onFault),
    events.on('handlerTimedOut', onFault),
    events.on('amendmentRefused', onFault),
    events.on('keyShadowed', onFault),
  ];
  return {
    get rows() {
      flushFaults();
      return rows;
    },
    stop: (error) => {
      flushFaults();
      if (isHookError(error) && !heard.has(error) && error.hook !== undefined && error.handlerId !== undefined) {
        const { hook, handlerId, message } = error;
        rows.push(Object.freeze({ hook, by: handlerId, outcome: outcomeOf(error.code), what: message, ms: 0 }));
      }
      for (const stop of off) stop();
    },
  };
}

const outcomeOf = (code: ErrorCode): StageOutcome =>
  code === 'TH_HANDLER_TIMEOUT' ? 'timeout' : code === 'TH_HANDLER_FAILED' ? 'failed' : 'refused';

/** What a guard said, out of the record of its fire. */
function wordsOf({ by, reason, rule, halt, asks }: VerdictRecord, id: string): string[] {
  const words = asks.filter((ask) => ask.by.id === id).map(({ ask }) => ask);
  if (by?.id === id && reason !== undefined) {
    words.push(`${reason}${rule === undefined ? '' : ` (rule ${rule})`}${halt ? '; the run ends' : ''}`);
  }
  return words;
}

interface Subject {
  readonly turn: number | undefined;
  readonly about: string | undefined;
}
function subjectOf(payload: Readonly<Record<string, unknown>>): Subject {
  const { origin, name, tool } = payload as {
    readonly origin?: { readonly turn?: unknown };
    readonly name?: unknown;
    readonly tool?: { readonly name?: unknown };
  };
  const about = name ?? tool?.name;
  return {
    turn: typeof origin?.turn === 'number' ? origin.turn : undefined,
    about: typeof about === 'string' ? about : undefined,
  };
}
