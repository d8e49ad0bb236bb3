/** What the laws of the suite are given: how a provider spells things, and servers to try them on. */

import type { ModelOptions, ProviderModel } from '../../src/index.js';
import type { Script, Wire, WireOptions } from '../wire/index.js';

/** How a provider spells on the wire what the suite means. */
export interface Spelling {
  readonly wire: (script: Script, options?: WireOptions) => Promise<Wire>;
  /** A model string for the base URL. */
  readonly model: (url: string) => string;
  readonly endpoint: string;
  /** The header with the key, as it is sent. */
  readonly keyHeader: (key: string) => readonly [string, string];
  readonly overloaded: number;
  /** The finish reasons of the wire, by ours. */
  readonly finish: Readonly<Record<'stop' | 'length' | 'tool-calls' | 'content-filter', string>>;
  /** The whole recorded body, but for tools, of a request with these messages. */
  readonly bodies: {
    /** system "Be brief.", user "hello". */
    readonly system: unknown;
    /** As `system`, and behind the user a system message "Today is Monday.". */
    readonly laterSystem: unknown;
    /** user "Compare.", both calls of the answer, their results, the second an error. */
    readonly calls: unknown;
  };
  /** The inputs of the calls in the second message of a recorded body. */
  readonly inputsOf: (body: any) => unknown[];
  readonly tools: unknown;
  readonly settings: { readonly body: Record<string, unknown> };
  /** Events of an answer with one text delta that come before its finish reason; the text is in the last of them. */
  readonly eventsToText: number;
}

/** A key with characters that JSON and URLs spell in more than one way. */
export const key = 'sk-live/9f2c+Q="q\\0123456789abcdef';

export interface Bench extends Spelling {
  /** A server with that script, and a model on it. Closed after the test. */
  readonly start: (
    script: Script,
    options?: ModelOptions,
    wire?: WireOptions,
  ) => Promise<{ wire: Wire; port: ProviderModel }>;
}
