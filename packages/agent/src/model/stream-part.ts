/** What an untyped model may send in place of a part, and what of its usage is a report. */
import { textOf, type ModelFinishReason, type ModelStreamPart, type ModelUsage } from '@treblehook/types';

/** Says why a part is none, or `undefined`. A kind that is not known is passed over, whatever it carries. */
export function partFault(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null)
    return `it sent ${part === null ? 'null' : `a ${typeof part}`} as a part`;
  const { type, delta, toolName, toolCallId, providerMetadata } = part as { readonly [key: string]: unknown };
  if (typeof type !== 'string') return 'it sent a part without a type';
  if ((type === 'text-delta' || type === 'reasoning-delta') && typeof delta !== 'string') {
    return `it sent a ${type} without a text`;
  }
  if (type === 'tool-call') {
    if (typeof toolName !== 'string' || toolName === '') return 'it sent a tool call without the name of a tool';
    if (typeof toolCallId !== 'string' || toolCallId === '') return `it sent a call of '${toolName}' without an id`;
  }
  if (type === 'finish') return finishFault(part);
  return carriesData.has(type) && providerMetadata != null && typeof providerMetadata !== 'object'
    ? `it sent a ${type} whose providerMetadata are no object`
    : undefined;
}
const carriesData: ReadonlySet<string> = new Set<ModelStreamPart['type']>([
  'text-start',
  'text-delta',
  'text-end',
  'reasoning-start',
  'reasoning-delta',
  'reasoning-end',
  'tool-call',
]);

function finishFault({ usage, finishReason }: { readonly usage?: unknown; readonly finishReason?: unknown }) {
  if (typeof usage !== 'object' || usage === null) return 'its finish has no usage';
  const { unified } = (finishReason ?? {}) as Partial<ModelFinishReason>;
  return typeof unified === 'string' ? undefined : 'its finish has no unified reason';
}

/** The finish reason as data: words of the provider that are no text are none. */
export function finishReasonOf({ unified, raw }: ModelFinishReason): ModelFinishReason {
  return { unified, raw: typeof raw === 'string' ? raw : undefined };
}

/** The usage as reported: what is no count of tokens, such as `NaN` or a negative number, was not reported. */
export function usageOf({ inputTokens, outputTokens, raw }: ModelUsage): ModelUsage {
  const input = (inputTokens ?? {}) as Partial<ModelUsage['inputTokens']>;
  const output = (outputTokens ?? {}) as Partial<ModelUsage['outputTokens']>;
  return {
    inputTokens: {
      total: count(input.total),
      noCache: count(input.noCache),
      cacheRead: count(input.cacheRead),
      cacheWrite: count(input.cacheWrite),
    },
    outputTokens: { total: count(output.total), text: count(output.text), reasoning: count(output.reasoning) },
    ...(raw === undefined ? {} : { raw }),
  };
}

const count = (tokens: unknown): number | undefined =>
  typeof tokens === 'number' && tokens >= 0 && tokens <= Number.MAX_SAFE_INTEGER ? tokens : undefined;

/** Kinds of faults that do not pass by themselves, as endpoints call them in an error that they stream. */
const lasting = /invalid|auth|permission|forbidden|not.?found|billing|quota|unsupported/i;

/** What an error that is no `Error` says, and whether it may pass by itself. */
export function saidBy(error: unknown): { readonly what: string; readonly retryable: boolean } {
  if (typeof error !== 'object' || error === null) {
    return { what: typeof error === 'string' ? error : 'it sent an error', retryable: true };
  }
  const inner = (error as { readonly error?: unknown }).error;
  const { message, type, code } = (typeof inner === 'object' && inner !== null ? inner : error) as {
    readonly [key: string]: unknown;
  };
  return {
    what: typeof message === 'string' ? message : 'it sent an error',
    retryable: !lasting.test(`${textOf(type ?? '')} ${textOf(code ?? '')}`),
  };
}
