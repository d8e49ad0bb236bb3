/** Keys that a value of a stage has and its type lacks: a misspelt one would be passed over in silence. */
import type { FilePart, Message, ReasoningPart, TextPart, ToolCallPart, ToolResultPart } from './message.js';
import { didYouMean } from './nearest-name.js';
import type { ToolResult } from './tool.js';

type Keys<T> = Readonly<Record<keyof T, true>>;

const ofMessage: Keys<Message> = { id: true, role: true, content: true, pinned: true };
const ofResult: Keys<ToolResult> = { output: true, isError: true, metadata: true };
const ofPart = {
  text: { type: true, text: true } satisfies Keys<TextPart>,
  reasoning: { type: true, text: true, provider: true } satisfies Keys<ReasoningPart>,
  file: { type: true, mediaType: true, data: true, filename: true } satisfies Keys<FilePart>,
  'tool-call': {
    type: true,
    callId: true,
    name: true,
    args: true,
    wireId: true,
    provider: true,
  } satisfies Keys<ToolCallPart>,
  'tool-result': { type: true, callId: true, name: true, output: true, isError: true } satisfies Keys<ToolResultPart>,
};

function unknownKey(value: object, known: object, what: string): string | undefined {
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(known, key)) continue;
    const names = Object.keys(known);
    return `${what} has the unknown key '${key}': ${didYouMean(key, names) ?? `keys are ${names.join(', ')}`}`;
  }
  return undefined;
}

/** Of a tool result. */
export const unknownResultKey = (result: object): string | undefined => unknownKey(result, ofResult, 'its result');

/** Of a message that is one, and of its parts. */
export function unknownMessageKey(message: Message): string | undefined {
  const fault = unknownKey(message, ofMessage, 'a message');
  if (fault !== undefined) return fault;
  for (const part of message.content) {
    const inPart = unknownKey(part, ofPart[part.type], `a ${part.type} part`);
    if (inPart !== undefined) return inPart;
  }
  return undefined;
}
