/** What a provider gives: its package, loaded on use, and how a request and a usage report are spelled for it. */
import type { ModelCallOptions, ModelMessage, ModelPort, ModelUsage, ProviderData } from '@treblehook/types';
import type { Fetch } from './transport.js';

declare global {
  /** Of the DOM library; the declarations of the provider packages name it, and Node's types lack it. */
  type HeadersInit = NonNullable<RequestInit['headers']>;
}

export interface Connection {
  readonly modelId: string;
  readonly url: string;
  /** `''`: no key is sent. */
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
}

export interface Dialect {
  /** Where requests go when the model string names no URL. */
  readonly url?: string;
  /** An answer ends with `[DONE]`; the package would wait for the end of the body. */
  readonly endsAtDone?: boolean;
  /** Names of headers, any of which can stand for the key. */
  readonly keyHeaders: readonly string[];
  /** Imports the provider package. Every setting is passed, so that the package looks up none in the environment. */
  readonly load: (connection: Connection) => Promise<ModelPort>;
  readonly spell: (call: ModelCallOptions, modelId: string) => ModelCallOptions;
  readonly usage: (usage: ModelUsage) => ModelUsage;
}

/** Provider options of the call, with `own` in place where the host has set nothing. */
export function withOptions(call: ModelCallOptions, provider: string, own: Record<string, unknown>): ProviderData {
  return { ...call.providerOptions, [provider]: { ...own, ...call.providerOptions?.[provider] } };
}

/**
 * Both dialects want a JSON object as the input of a call. One that the model spelled otherwise (a text that is no JSON, a
 * list) is sent back under `input`: a provider would refuse the history for ever after.
 */
export function withObjectInputs(message: ModelMessage): ModelMessage {
  if (message.role !== 'assistant') return message;
  if (message.content.every((part) => part.type !== 'tool-call' || isObject(part.input))) return message;
  const content = message.content.map((part) =>
    part.type === 'tool-call' && !isObject(part.input) ? { ...part, input: objectOf(part.input) } : part,
  );
  return { ...message, content };
}

function objectOf(input: unknown): Record<string, unknown> {
  if (input === undefined || input === null || input === '') return {};
  if (typeof input === 'string') {
    try {
      const value: unknown = JSON.parse(input);
      if (isObject(value)) return value;
    } catch {
      // swallows that it is no JSON: the text itself is sent back
    }
  }
  return { input };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
