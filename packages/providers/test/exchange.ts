/** Calling a model in tests: the whole answer, the fault of a call, the history that a loop would send next. */
import { inspect } from 'node:util';
import type {
  ModelCallOptions,
  ModelMessage,
  ModelReasoningPart,
  ModelStreamPart,
  ModelTextPart,
  ModelToolCallPart,
  ProviderData,
} from '@treblehook/types';
import type { ProviderModel } from '../src/index.js';

type Part<T extends ModelStreamPart['type']> = Extract<ModelStreamPart, { type: T }>;

export interface Answered {
  readonly parts: readonly ModelStreamPart[];
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly Part<'tool-call'>[];
  readonly finish: Part<'finish'>;
}

export const says = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });
export const hello: ModelCallOptions = { prompt: [says('hello')] };

export async function open(
  port: ProviderModel,
  options: ModelCallOptions = hello,
): Promise<AsyncIterator<ModelStreamPart>> {
  const { stream } = await port.doStream(options);
  return stream[Symbol.asyncIterator]();
}

/** Reads an answer to its end, into `parts` as it comes. */
export async function ask(
  port: ProviderModel,
  options: ModelCallOptions = hello,
  parts: ModelStreamPart[] = [],
): Promise<Answered> {
  const { stream } = await port.doStream(options);
  for await (const part of stream) parts.push(part);
  const joined = (type: 'text-delta' | 'reasoning-delta'): string =>
    parts.map((part) => (part.type === type ? part.delta : '')).join('');
  return {
    parts,
    text: joined('text-delta'),
    reasoning: joined('reasoning-delta'),
    calls: parts.filter((part) => part.type === 'tool-call'),
    finish: parts.at(-1) as Part<'finish'>,
  };
}

/** What a call fails with, be it before the stream or in it. */
export async function faultOf(
  port: ProviderModel,
  options: ModelCallOptions = hello,
  parts: ModelStreamPart[] = [],
): Promise<any> {
  try {
    await ask(port, options, parts);
  } catch (error) {
    return error;
  }
  throw new Error('the call did not fail');
}

/** The answer as the assistant's message of the next request; metadata of a block's parts is joined. */
export function messageOf({ parts }: Answered): ModelMessage {
  const content: (ModelTextPart | ModelReasoningPart | ModelToolCallPart)[] = [];
  const blocks = new Map<string, { type: 'text' | 'reasoning'; text: string; providerOptions?: ProviderData }>();
  for (const part of parts) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
      case 'text-delta':
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end': {
        let block = blocks.get(part.type + part.id);
        const type = part.type.startsWith('text') ? 'text' : 'reasoning';
        const key = type + part.id;
        block = blocks.get(key);
        if (block === undefined) {
          block = { type, text: '' };
          blocks.set(key, block);
          content.push(block);
        }
        if ('delta' in part) block.text += part.delta;
        if (part.providerMetadata !== undefined) {
          block.providerOptions = { ...block.providerOptions, ...part.providerMetadata };
        }
        break;
      }
      case 'tool-call': {
        const { toolCallId, toolName, input, providerMetadata } = part;
        const call = { type: 'tool-call', toolCallId, toolName, input: jsonOr(input) } as const;
        content.push(providerMetadata === undefined ? call : { ...call, providerOptions: providerMetadata });
        break;
      }
      default:
    }
  }
  return { role: 'assistant', content };
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // swallows that it is no JSON: it stands as a text
  }
}

export function results(
  ...outputs: [id: string, name: string, value: string, type?: 'text' | 'error-text'][]
): ModelMessage {
  return {
    role: 'tool',
    content: outputs.map(([toolCallId, toolName, value, type = 'text']) => ({
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type, value },
    })),
  };
}

/** Everything that can be printed of an error, one text. */
export function allOf(error: any): string {
  const inspected = inspect(error, { depth: Infinity, showHidden: true, getters: true, maxStringLength: Infinity });
  return [
    String(error),
    error?.stack,
    error?.message,
    JSON.stringify(error),
    JSON.stringify(error?.cause),
    inspected,
  ].join('\n');
}

export const weather = {
  type: 'function',
  name: 'weather',
  description: 'The weather of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
} as const;
