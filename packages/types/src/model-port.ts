/**
 * The model port: the structural type of a language model that the loop calls.
 *
 * It spells the parts of the AI SDK's `LanguageModelV3` and `LanguageModelV4` that the loop reads and writes, so every
 * model of those kinds is assignable (a type test pins it) and none of their packages is named by a declaration. Arrays
 * of a call are mutable in type because theirs are; the loop makes them for the call.
 */
/** Tokens of one model call. A field that the provider did not report is `undefined`, never zero. */
export interface ModelUsage {
  readonly inputTokens: {
    readonly total: number | undefined;
    readonly noCache: number | undefined;
    readonly cacheRead: number | undefined;
    readonly cacheWrite: number | undefined;
  };
  readonly outputTokens: {
    readonly total: number | undefined;
    readonly text: number | undefined;
    readonly reasoning: number | undefined;
  };
  readonly raw?: unknown;
}

export interface ModelFinishReason {
  readonly unified: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'interrupted' | 'other';
  readonly raw: string | undefined;
}

/** Options and metadata that belong to one provider, keyed by the provider's name; opaque to the loop. */
export type ProviderData = Record<string, Record<string, any>>;
type Carries = { readonly providerOptions?: ProviderData };

export type ModelTextPart = Carries & { readonly type: 'text'; readonly text: string };
export type ModelReasoningPart = Carries & { readonly type: 'reasoning'; readonly text: string };
export type ModelFilePart = Carries & {
  readonly type: 'file';
  readonly mediaType: string;
  /**
   * V3: bytes, base64 text or a `URL`; V4: `{ type: 'data', data }` or `{ type: 'url', url }`. No one type is accepted by
   * both, hence `any`; the loop spells it by `specificationVersion`.
   */
  readonly data: any;
  readonly filename?: string;
};
export type ModelToolCallPart = Carries & {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
};
export type ModelToolResultPart = Carries & {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: { readonly type: 'text' | 'error-text'; readonly value: string };
};

/** One message as the model gets it. */
export type ModelMessage = Carries &
  (
    | { readonly role: 'system'; readonly content: string }
    | { readonly role: 'user'; readonly content: (ModelTextPart | ModelFilePart)[] }
    | {
        readonly role: 'assistant';
        readonly content: (ModelTextPart | ModelReasoningPart | ModelFilePart | ModelToolCallPart)[];
      }
    | { readonly role: 'tool'; readonly content: ModelToolResultPart[] }
  );

export interface ModelTool {
  readonly type: 'function';
  /** The name on the wire. */
  readonly name: string;
  readonly description?: string;
  /** JSON Schema. */
  readonly inputSchema: Record<string, any>;
}

export type ModelToolChoice =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'tool'; readonly toolName: string };

/** One call of a model. */
export interface ModelCallOptions {
  readonly prompt: ModelMessage[];
  readonly tools?: ModelTool[];
  readonly toolChoice?: ModelToolChoice;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly stopSequences?: string[];
  readonly seed?: number;
  readonly reasoning?: 'provider-default' | 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  readonly responseFormat?:
    | { readonly type: 'text' }
    | {
        readonly type: 'json';
        readonly schema?: Record<string, any>;
        readonly name?: string;
        readonly description?: string;
      };
  readonly abortSignal?: AbortSignal;
  readonly headers?: Record<string, string | undefined>;
  readonly providerOptions?: ProviderData;
  /** Ask for `raw` parts: what the provider sent, chunk by chunk. */
  readonly includeRawChunks?: boolean;
}

/** The parts that the loop reads; a kind it does not know is one of `IgnoredPart` and passed over. */
export type ModelStreamPart =
  | { readonly type: 'text-start' | 'reasoning-start'; readonly id: string; readonly providerMetadata?: ProviderData }
  | {
      readonly type: 'text-delta' | 'reasoning-delta';
      readonly id: string;
      readonly delta: string;
      readonly providerMetadata?: ProviderData;
    }
  | { readonly type: 'text-end' | 'reasoning-end'; readonly id: string; readonly providerMetadata?: ProviderData }
  | {
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      /** The arguments as JSON text. */
      readonly input: string;
      readonly providerExecuted?: boolean;
      readonly providerMetadata?: ProviderData;
    }
  | {
      readonly type: 'finish';
      readonly usage: ModelUsage;
      readonly finishReason: ModelFinishReason;
      readonly providerMetadata?: ProviderData;
    }
  | { readonly type: 'response-metadata'; readonly id?: string; readonly modelId?: string; readonly timestamp?: Date }
  | { readonly type: 'raw'; readonly rawValue: unknown }
  | { readonly type: 'error'; readonly error: unknown }
  | IgnoredPart;

export interface IgnoredPart {
  readonly type:
    | 'stream-start'
    | 'ping'
    | 'tool-input-start'
    | 'tool-input-delta'
    | 'tool-input-end'
    | 'tool-result'
    | 'tool-approval-request'
    | 'source'
    | 'file'
    | 'reasoning-file'
    | 'custom';
}

/** What the loop needs of a `ReadableStream`. */
export interface ReadableLike<T> {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: T | undefined }>;
    cancel(reason?: unknown): Promise<unknown>;
    releaseLock(): void;
  };
}

export interface ModelStreamResult {
  readonly stream: AsyncIterable<ModelStreamPart> | ReadableLike<ModelStreamPart>;
  readonly request?: { readonly body?: unknown };
  readonly response?: { readonly headers?: Record<string, string> };
}

/** A language model. `doStream` rejects, or its stream throws or sends an `error` part, when the call fails. */
export interface ModelPort {
  /** `v4` changes how file bytes are spelled; anything else, or nothing, is read as `v3`. */
  readonly specificationVersion?: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: ModelCallOptions): PromiseLike<ModelStreamResult>;
}
