/** What makes a message one: its role, and the parts that it can carry. */
import type { Message, Part } from './message.js';
import { ownFields } from './own-fields.js';

type Unread<T> = { readonly [K in keyof T]?: unknown };
type AnyPart = Unread<Extract<Part, { type: 'reasoning' }>> &
  Unread<Extract<Part, { type: 'file' }>> &
  Unread<Extract<Part, { type: 'tool-call' }>> &
  Unread<Extract<Part, { type: 'tool-result' }>>;

const roles: ReadonlySet<unknown> = new Set<Message['role']>(['system', 'user', 'assistant', 'tool']);
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** A log may say `null` for what is not there. */
const isData = (value: unknown): boolean => value == null || isObject(value);
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Says what is wrong with a message, read as the end of a sentence (`is no message`), or `undefined`. */
export function messageFault(message: unknown): string | undefined {
  if (!isObject(message)) return 'is no message: write { role, content }';
  const { role, content, id, pinned } = ownFields(message) as Unread<Message>;
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
  const own: AnyPart = ownFields(isObject(part) ? part : {});
  const { type, text, provider, mediaType, data, filename, callId, name, args, wireId, output, isError } = own;
  if (typeof type !== 'string') return "has a part that is none: write { type: 'text', text }";
  switch (type) {
    case 'text':
      return typeof text === 'string' ? undefined : 'has a text part without a text';
    case 'reasoning':
      if (typeof text !== 'string') return 'has a reasoning part without a text';
      return isData(provider) ? undefined : "has a reasoning part whose 'provider' is no object";
    case 'file':
      if (!isText(mediaType)) return 'has a file part without a mediaType';
      if (filename != null && typeof filename !== 'string') return "has a file part whose 'filename' is no text";
      return typeof data === 'string' || data instanceof Uint8Array || data instanceof URL
        ? undefined
        : 'has a file part whose data are neither bytes, nor base64 text, nor a URL';
    case 'tool-call':
      if (!isText(callId) || !isText(name)) return 'has a tool call without a callId or a name';
      if (wireId !== undefined && typeof wireId !== 'string') return 'has a tool call whose wireId is no text';
      if (!isData(provider)) return `has the call '${callId as string}' with a 'provider' that is no object`;
      return args === undefined ? `has the call '${callId as string}' without args` : undefined;
    case 'tool-result':
      if (!isText(callId) || !isText(name)) return 'has a tool result without a callId or a name';
      return typeof output === 'string' && typeof isError === 'boolean'
        ? undefined
        : `has a result of the call '${callId as string}' that is no { output: string, isError: boolean }`;
    default:
      return `has a part of the unknown type '${type}'`;
  }
}
