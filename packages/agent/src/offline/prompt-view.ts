/** What a prompt tells: the question in hand, what was done for it, what an earlier summary says. */
import type { ModelMessage } from '@treblehook/types';
import { stableKey } from './stable-key.js';

export interface Exchange {
  readonly tool: string;
  readonly input: unknown;
  /** Tool and arguments as one text. */
  readonly key: string;
  /** `undefined`: no result stands in the prompt. */
  readonly output: string | undefined;
  readonly isError: boolean;
}

export interface PromptView {
  readonly question: string;
  /** The calls since the question, oldest first. */
  readonly done: readonly Exchange[];
  /** Calls since the question of which only a line of a summary is left: `<tool> <arguments>`. */
  readonly folded: readonly string[];
  /** Summaries of what is no longer in the prompt. */
  readonly summaries: readonly string[];
  /** What was said before, with who said it. */
  readonly said: readonly { readonly who: string; readonly text: string }[];
  /** Calls since the question, as the ids count them: those that a compaction took away included. */
  readonly calls: number;
  /** The largest number in an id of ours. */
  readonly lastId: number;
}

/** Ids of ours: a number that grows over the conversation, and which call since the question it is. */
const ownId = /^offline-(\d+)-(\d+)$/;
const summaryHead = /^\[Summary of \d+ earlier messages\./;

/** Reads a prompt from its messages alone; nothing is remembered between two calls. Linear. */
export function viewOf(prompt: readonly ModelMessage[]): PromptView {
  const at = questionAt(prompt);
  const question = at < 0 ? '' : textOf(prompt[at]!);
  const calls = new Map<string, Omit<Exchange, 'output' | 'isError'>>();
  const results = new Map<string, { output: string; isError: boolean }>();
  const summaries: string[] = [];
  const said: { who: string; text: string }[] = [];
  let counted = 0;
  let lastId = 0;
  for (const [index, message] of prompt.entries()) {
    if (message.role === 'user' && isSummary(message)) summaries.push(textOf(message));
    else if (index < at && (message.role === 'user' || message.role === 'assistant')) {
      const text = textOf(message);
      if (text !== '') said.push({ who: message.role, text });
    }
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type === 'tool-call') {
        const id = ownId.exec(part.toolCallId);
        lastId = Math.max(lastId, Number(id?.[1] ?? 0));
        if (index < at) continue;
        counted = Math.max(counted + 1, Number(id?.[2] ?? 0));
        calls.set(part.toolCallId, {
          tool: part.toolName,
          input: part.input,
          key: stableKey(part.toolName, part.input),
        });
      } else if (part.type === 'tool-result' && index > at) {
        results.set(part.toolCallId, { output: part.output.value, isError: part.output.type === 'error-text' });
      }
    }
  }
  const folded = foldedCalls(summaries.at(-1));
  return {
    question,
    done: [...calls].map(([id, call]) => ({ ...call, ...(results.get(id) ?? { output: undefined, isError: false }) })),
    folded,
    summaries,
    said,
    calls: Math.max(counted, calls.size + folded.length),
    lastId,
  };
}

/**
 * The question is the newest user message, behind the last finished answer, that asks or orders; where none does, the
 * oldest of them: what follows it was put there by a stage.
 */
function questionAt(prompt: readonly ModelMessage[]): number {
  const open: number[] = [];
  let any = -1;
  for (let at = prompt.length - 1; at >= 0; at--) {
    const message = prompt[at]!;
    if (message.role === 'user' && !isSummary(message)) {
      any = Math.max(any, at);
      open.push(at);
    } else if (
      message.role === 'assistant' &&
      open.length > 0 &&
      !message.content.some(({ type }) => type === 'tool-call')
    ) {
      break;
    }
  }
  return open.find((at) => asks(textOf(prompt[at]!))) ?? open.at(-1) ?? any;
}

const asks = (text: string): boolean =>
  /\?|^\W*(?:please|now|then|and|also|first|can|could|would|will|what|which|who|whose|where|when|why|how|is|are|was|were|do|does|did|has|have|list|read|show|find|search|look|open|explain|describe|tell|give|sum|summari[sz]e|compare|count|check|use|call|run|execute|delete|remove|write|create|move|rename|copy|send|fetch|hi|hello|hey)\b/i.test(
    text,
  ) || /^\W*[a-z0-9]+_\w+\b/.test(text);

export function isSummary(message: ModelMessage): boolean {
  return summaryHead.test(textOf(message));
}

/** A summary ends with the calls of the turn in hand when that turn was too long to stay whole. */
function foldedCalls(summary: string | undefined): readonly string[] {
  const folded: string[] = [];
  for (const line of summary?.split('\n').reverse() ?? []) {
    const call = /^- called (.*?)(?: → .*)?$/.exec(line);
    if (call !== null) folded.push(call[1]!);
    else if (line.trim() !== '') break;
  }
  return folded.reverse();
}

export function textOf(message: ModelMessage): string {
  if (message.role === 'system') return message.content;
  if (message.role === 'tool') return '';
  return message.content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')
    .trim();
}
