/** The one `Message` type. Dialects exist only inside providers. */
import type { JsonValue } from './json.js';
import type { ProviderData } from './model-port.js';

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  /** What the provider needs back with it (a signature, an id); sent back unread. */
  readonly provider?: ProviderData;
}
export interface FilePart {
  readonly type: 'file';
  /** IANA media type. */
  readonly mediaType: string;
  /** Bytes, base64 text, or a URL. */
  readonly data: Uint8Array | string | URL;
  readonly filename?: string;
}
export interface ToolCallPart {
  readonly type: 'tool-call';
  /** Ours, unique in the session. */
  readonly callId: string;
  /** The name of the tool here, not on the wire. */
  readonly name: string;
  /** As the model gave them; a text that was no JSON stands as a string. */
  readonly args: JsonValue;
  /** The provider's id of the call and its metadata: serve the wire only. */
  readonly wireId?: string;
  readonly provider?: ProviderData;
}
export interface ToolResultPart {
  readonly type: 'tool-result';
  readonly callId: string;
  readonly name: string;
  readonly output: string;
  readonly isError: boolean;
}
export type Part = TextPart | ReasoningPart | FilePart | ToolCallPart | ToolResultPart;

export interface Message {
  /** The loop gives ids to messages that have none. */
  readonly id?: string;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: readonly Part[];
  /** A pinned message survives compaction byte for byte. */
  readonly pinned?: true;
}
