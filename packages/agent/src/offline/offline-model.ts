/** The embedded default model: rules, no weights, no network. */
import {
  charsPerToken,
  estimateTokens,
  HookError,
  type Message,
  type ModelCallOptions,
  type ModelMessage,
  type ModelPort,
  type ModelStreamPart,
  type ModelUsage,
  type Part,
} from '@treblehook/types';
import { firstLine } from './answer.js';
import { replyTo, type Reply } from './reply.js';

export interface OfflineModelOptions {
  /** Default `offline`. */
  readonly modelId?: string;
  /** Files that are read for one question. Default 4. */
  readonly maxReads?: number;
  /** Tool calls for one question, of every kind. Default 16. */
  readonly maxCalls?: number;
}

/** Characters of one delta, about. */
const deltaChars = 24;

/**
 * A deterministic model of rules: it lists, searches and reads files through whatever tools are offered, calls tools that
 * the question names, and answers with extracts, file names and lines. It understands no language and says so in the
 * first line of each answer. What it knows it reads from the prompt alone; for one question it makes no call twice.
 * Throws `TH_MODEL_INVALID` for an option that is not valid.
 */
export function offlineModel(options: OfflineModelOptions = {}): ModelPort {
  const { modelId = 'offline', maxReads = 4, maxCalls = 16 } = options;
  for (const [name, value] of Object.entries({ maxReads, maxCalls })) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new HookError('TH_MODEL_INVALID', { model: modelId, what: `${name} must be a whole number from 0` });
    }
  }
  return {
    specificationVersion: 'v3',
    provider: 'treblehook',
    modelId,
    doStream: async (call) => {
      call.abortSignal?.throwIfAborted();
      return { stream: streamOf(call, replyTo(call, { maxReads, maxCalls })) };
    },
  };
}

async function* streamOf(call: ModelCallOptions, reply: Reply): AsyncGenerator<ModelStreamPart, void, undefined> {
  const usage = (text: string): ModelUsage => usageOf(call, reply, text);
  if (reply.calls.length > 0) {
    for (const { id, tool, input } of reply.calls) {
      call.abortSignal?.throwIfAborted();
      yield { type: 'tool-call', toolCallId: id, toolName: tool, input: JSON.stringify(input) };
    }
    yield { type: 'finish', usage: usage(''), finishReason: { unified: 'tool-calls', raw: 'tool-calls' } };
    return;
  }
  const { text, isWhole } = shaped(reply.text, call);
  yield { type: 'text-start', id: 'answer' };
  for (const delta of deltasOf(text)) {
    call.abortSignal?.throwIfAborted();
    yield { type: 'text-delta', id: 'answer', delta };
  }
  yield { type: 'text-end', id: 'answer' };
  const ending = isWhole ? 'stop' : 'length';
  yield { type: 'finish', usage: usage(text), finishReason: { unified: ending, raw: ending } };
}

/** The text as the call wants it: as JSON, up to a stop sequence, in so many tokens. */
function shaped(
  answer: string,
  { responseFormat, stopSequences, maxOutputTokens }: ModelCallOptions,
): { readonly text: string; readonly isWhole: boolean } {
  let text = answer;
  if (responseFormat?.type === 'json') {
    text = JSON.stringify({ model: firstLine, answer: answer.slice(firstLine.length).trim() });
  }
  for (const stop of stopSequences ?? []) {
    const at = stop === '' ? -1 : text.indexOf(stop);
    if (at >= 0) text = text.slice(0, at);
  }
  const most = maxOutputTokens === undefined ? Infinity : maxOutputTokens * charsPerToken;
  if (text.length <= most) return { text, isWhole: true };
  return { text: text.slice(0, most).replace(/[\uD800-\uDBFF]$/, ''), isWhole: false };
}

function* deltasOf(text: string): Generator<string, void, undefined> {
  let delta = '';
  for (const word of text.match(/\s*\S+|\s+$/g) ?? []) {
    delta += word;
    if (delta.length < deltaChars) continue;
    yield delta;
    delta = '';
  }
  if (delta !== '') yield delta;
}

function usageOf({ prompt, tools = [] }: ModelCallOptions, reply: Reply, text: string): ModelUsage {
  const input = estimateTokens(
    prompt.map(messageOf),
    tools.map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema })),
  );
  const content: Part[] =
    reply.calls.length === 0
      ? [{ type: 'text', text }]
      : reply.calls.map(({ id, tool, input }) => ({
          type: 'tool-call',
          callId: id,
          name: tool,
          args: input as Record<string, never>,
        }));
  const output = estimateTokens([{ role: 'assistant', content }]);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
}

/** As much of a message as the estimator reads. */
function messageOf(message: ModelMessage): Message {
  if (message.role === 'system') return { role: 'system', content: [{ type: 'text', text: message.content }] };
  const content = message.content.map((part): Part => {
    switch (part.type) {
      case 'tool-call':
        return {
          type: 'tool-call',
          callId: part.toolCallId,
          name: part.toolName,
          args: part.input as Record<string, never>,
        };
      case 'tool-result':
        return {
          type: 'tool-result',
          callId: part.toolCallId,
          name: part.toolName,
          output: part.output.value,
          isError: part.output.type === 'error-text',
        };
      default:
        return part;
    }
  });
  return { role: message.role, content };
}
