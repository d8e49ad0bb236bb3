/** What makes a message one: its role, and the parts that it can carry. */
import type { Message, Part } from './message.js';

type Unread<T> = { readonly [K in keyof T]?: unknown };
type AnyPart = Unread<Extract<Part, { type: 'file' }>> &
  Unread<Extract<Part, { type: 'tool-call' }>> &
  Unread<Extract<Part, { type: 'tool-result' }>> & { readonly text?: unknown };

const roles: ReadonlySet<unknown> = new Set<Message['role']>(['system', 'user', 'assistant', 'tool']);
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Says what is wrong with a message, read as the end of a sentence (`is no message`), or `undefined`. */
export function messageFault(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null) return 'is no message: write { role, content }';
  const { role, content, id, pinned } = message as Unread<Message>;
  if (!roles.has(role)) {
    return `is no message: its role is ${typeof role === 'string' ? `'${role}'` : 'no text'}, not system, user, assistant or tool`;
  }
  if (id !== undefined && typeof id !== 'string') return 'has an id that is no text';
  if (pinned !== undefined && pinned !== true) return "has a 'pinned' that is not true";
  return contentFault(content);
}

/** What is wrong with the content of a message, whatever its role. */
function contentFault(content: unknown): string | undefined {
  if (!Array.isArray(content)) return "has no list of parts as content: write content: [{ type: 'text', text }]";
  for (const part of content as readonly unknown[]) {
    const fault = partFault(part);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function partFault(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null || typeof (part as AnyPart).type !== 'string') {
    return "has a part that is none: write { type: 'text', text }";
  }
  const { type, text, mediaType, data, callId, name, args, wireId, output, isError } = part as AnyPart;
  switch (type) {
    case 'text':
    case 'reasoning':
      return typeof text === 'string' ? undefined : `has a ${type} part without a text`;
    case 'file':
      if (!isText(mediaType)) return 'has a file part without a mediaType';
      return typeof data === 'string' || data instanceof Uint8Array || data instanceof URL
        ? undefined
        : 'has a file part whose data are neither bytes, nor base64 text, nor a URL';
    case 'tool-call':
      if (!isText(callId) || !isText(name)) return 'has a tool call without a callId or a name';
      if (wireId !== undefined && typeof wireId !== 'string') return 'has a tool call whose wireId is no text';
      return args === undefined ? `has the call '${callId as string}' without args` : undefined;
    case 'tool-result':
      if (!isText(callId) || !isText(name)) return 'has a tool result without a callId or a name';
      return typeof output === 'string' && typeof isError === 'boolean'
        ? undefined
        : `has a result of the call '${callId as string}' that is no { output: string, isError: boolean }`;
    default:
      return `has a part of the unknown type '${type as string}'`;
  }
}
