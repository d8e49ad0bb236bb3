/** Pins what a handler sees of plain and of opaque data. */
import { estimateTokens, type Frozen, type Message } from '../src/index.js';

interface Carried {
  tags: string[];
  pair: [a: number, b: { deep: string }];
  bytes: Uint8Array;
  url: URL;
  signal: AbortSignal;
  made?: Date;
  any: unknown;
}
declare const seen: Frozen<Carried>;

export const url: URL = seen.url;
export const bytes: Uint8Array = seen.bytes;
export const signal: AbortSignal = seen.signal;
export const made: Date | undefined = seen.made;
export const second: string = seen.pair[1].deep;

// @ts-expect-error an array is read-only
seen.tags.push('x');
// @ts-expect-error so is what lies deeper
seen.pair[1].deep = 'x';
// @ts-expect-error and an optional field
seen.made = new Date();

declare const messages: Frozen<Message[]>;
export const tokens: number = estimateTokens(messages);
