/** What one pass would do to a request: cut long results, fold a span into a summary, or both. */
import type { Message, ToolDescriptor } from '@treblehook/types';
import { cutOf } from './cut.js';
import type { Settings } from './options.js';
import { prune } from './prune.js';
import type { RunState } from './run-states.js';
import { newestPrompt, unitsOf, type Unit } from './units.js';

export interface Request {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescriptor[];
  readonly inject: readonly Message[];
}

export interface Plan {
  /** What a summary replaces, as it was, an earlier summary included; empty when cutting results is enough. */
  readonly dropping: readonly Message[];
  /** The same for the summariser: long results are cut. */
  readonly older: readonly Message[];
  /** What loses text, cut or dropped, as it was. */
  readonly losing: readonly Message[];
  readonly keptTail: number;
  /** `summary`: the message in place of `dropping`; `undefined` when nothing is dropped. */
  readonly build: (summary: Message | undefined) => readonly Message[];
}

/** `minimal`: keep as little as may be kept. `undefined`: there is nothing to drop and nothing to cut. */
export function planOf(
  settings: Settings,
  request: Request,
  minimal: boolean,
  state: RunState,
  total: (messages: readonly Message[]) => number,
): Plan | undefined {
  const front = request.messages[0]?.role === 'system' ? request.messages.slice(0, 1) : [];
  const whole = unitsOf(request.messages.slice(front.length));
  const { units, originalOf } = pruned(whole, settings.pruneChars, minimal);
  const wasOf = (message: Message): Message => originalOf.get(message) ?? message;
  const messages = flatten(units);
  const pruneOnly: Plan | undefined =
    originalOf.size === 0
      ? undefined
      : {
          dropping: [],
          older: [],
          losing: [...originalOf.values()],
          keptTail: messages.length,
          build: () => [...front, ...messages],
        };
  if (pruneOnly !== undefined && total([...front, ...messages]) <= settings.maxTokens) return pruneOnly;

  const newest = new Set(newestPrompt(request.messages));
  const summaries = units.filter((unit) => unit.kind === 'summary').flatMap((unit) => unit.messages);
  const cut = cutOf(
    units,
    settings.count,
    (message) => newest.has(message) || (message.id !== undefined && state.promptIds.has(message.id)),
    {
      maxTokens: settings.maxTokens,
      keepTail: minimal ? 0 : settings.keepTail,
      summary: minimal ? Math.max(settings.summaryShare, settings.count(summaries)) : settings.summaryShare,
      fixed: total(front),
    },
  );
  if (cut === undefined) return pruneOnly;
  const dropped = new Set(cut.dropping);
  return {
    dropping: cut.dropping.map(wasOf),
    older: cut.dropping,
    losing: messages.filter((message) => dropped.has(message) || originalOf.has(message)).map(wasOf),
    keptTail: cut.tail.length,
    build: (summary) => {
      const folded = summary === undefined ? [] : [summary];
      // A system message that comes to stand first would pass for the front system text.
      const behind = front.length > 0 || cut.kept[0]?.role !== 'system';
      return [...front, ...(behind ? [...cut.kept, ...folded] : [...folded, ...cut.kept]), ...cut.tail];
    },
  };
}

function pruned(
  whole: readonly Unit[],
  maxChars: number | undefined,
  minimal: boolean,
): { readonly units: readonly Unit[]; readonly originalOf: ReadonlyMap<Message, Message> } {
  const originalOf = new Map<Message, Message>();
  if (maxChars === undefined) return { units: whole, originalOf };
  const units = prune(whole, maxChars, minimal);
  if (units !== whole) {
    const before = flatten(whole);
    for (const [at, message] of flatten(units).entries())
      if (message !== before[at]) originalOf.set(message, before[at]!);
  }
  return { units, originalOf };
}

const flatten = (units: readonly Unit[]): readonly Message[] => units.flatMap((unit) => unit.messages);
