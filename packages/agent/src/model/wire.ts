/** The wire: messages, tools and settings as a model port takes them. */
import {
  ownFields,
  type Message,
  type ModelCallOptions,
  type ModelMessage,
  type ModelSettings,
  type ModelTool,
  type ModelToolChoice,
  type Part,
  type ToolDescriptor,
} from '@treblehook/types';
import { append, closeClass } from '@treblehook/core';
import { messageText } from '../session/message-text.js';
import { wireNameOf } from './wire-name.js';

/** Of one assistant message: our call ids and those of the provider. */
export type WireIds = ReadonlyMap<string, string>;
const noIds: WireIds = new Map();

/** A list of messages, or what keeps one. */
type Messages = Pick<readonly Message[], 'length' | 'at'>;

/**
 * A history in the form of the wire, kept beside it: each message is converted once, when it is first sent. The kind of
 * a port decides how files are spelled; when it changes, all is converted anew.
 */
export class WireHistory {
  #sent: ModelMessage[] = [];
  #isV4 = false;
  #ids = noIds;

  /** The wire form of `messages`, which begin with those of the last call. */
  of(messages: Messages, isV4: boolean): readonly ModelMessage[] {
    if (isV4 !== this.#isV4) {
      this.#sent = [];
      this.#isV4 = isV4;
    }
    for (let at = this.#sent.length; at < messages.length; at++) {
      const message = messages.at(at)!;
      if (message.role === 'assistant') this.#ids = wireIdsOf(message);
      append(this.#sent, toWire(message, isV4, this.#ids));
    }
    return this.#sent;
  }
}

closeClass(WireHistory);

function wireIdsOf({ content }: Message): WireIds {
  let ids: Map<string, string> | undefined;
  for (const part of content) {
    if (part.type === 'tool-call' && part.wireId !== undefined) (ids ??= new Map()).set(part.callId, part.wireId);
  }
  return ids ?? noIds;
}

/**
 * One message on the wire. It is frozen, all but the bytes and the URL of a file: it is sent again with each later call, whatever a
 * port writes into it.
 */
export function toWire(message: Message, isV4: boolean, ids: WireIds = noIds): ModelMessage {
  const { role, content } = message;
  if (role === 'system') return Object.freeze({ role, content: messageText(message) });
  const parts = content.map((part) => Object.freeze(partOf(part, isV4, ids)));
  return Object.freeze({ role, content: Object.freeze(parts) }) as unknown as ModelMessage;
}

function partOf(part: Part, isV4: boolean, ids: WireIds): object {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'reasoning':
      return { type: 'reasoning', text: part.text, ...optionsOf(part.provider) };
    case 'file': {
      const { mediaType, data, filename } = part;
      const asV4 = (): object => (data instanceof URL ? { type: 'url', url: data } : { type: 'data', data });
      const spelled = isV4 ? Object.freeze(asV4()) : data;
      return { type: 'file', mediaType, data: spelled, ...(filename === undefined ? {} : { filename }) };
    }
    case 'tool-call': {
      const { callId, wireId = callId, name, args, provider } = part;
      return {
        type: 'tool-call',
        toolCallId: wireId,
        toolName: wireNameOf(name),
        // providers take an object; what the model wrote in place of one is shown to it as it was
        input:
          typeof args === 'object' && args !== null && !Array.isArray(args)
            ? args
            : Object.freeze({ unreadable: args }),
        ...optionsOf(provider),
      };
    }
    case 'tool-result': {
      const { callId, name, output, isError } = part;
      return {
        type: 'tool-result',
        toolCallId: ids.get(callId) ?? callId,
        toolName: wireNameOf(name),
        output: Object.freeze({ type: isError ? 'error-text' : 'text', value: output }),
      };
    }
  }
}

const optionsOf = (provider: object | undefined): object =>
  provider === undefined ? {} : { providerOptions: provider };

/**
 * Marks messages of a prompt, whose first `count` are those of the request, for a provider whose cache has to be marked. The
 * mark is spelled as the AI SDK's Anthropic model reads it, of whatever package the port is; the others pass over it.
 */
export function markCache(prompt: ModelMessage[], positions: readonly number[], count: number): void {
  for (const at of positions) if (at < count) prompt[at] = Object.freeze({ ...prompt[at]!, providerOptions: cached });
}

const cached = Object.freeze({ anthropic: Object.freeze({ cacheControl: Object.freeze({ type: 'ephemeral' }) }) });

/** A name that stands twice is sent once: providers refuse a request with two tools of one name. */
export function toolsOnWire(tools: readonly ToolDescriptor[]): ModelTool[] {
  const byName = new Map<string, ModelTool>();
  for (const { name, description, inputSchema } of tools) {
    byName.set(name, {
      type: 'function',
      name: wireNameOf(name),
      description,
      inputSchema: inputSchema as ModelTool['inputSchema'],
    });
  }
  return [...byName.values()];
}

/** The settings of a call. Without tools there is nothing to choose from, and providers refuse a choice. */
export function settingsOnWire(settings: ModelSettings, hasTools: boolean): Partial<ModelCallOptions> {
  const { stop, toolChoice, responseFormat, temperature, topP, maxOutputTokens, seed, reasoning } = ownFields(settings);
  return {
    ...(temperature == null ? {} : { temperature }),
    ...(topP == null ? {} : { topP }),
    ...(maxOutputTokens == null ? {} : { maxOutputTokens }),
    ...(seed == null ? {} : { seed }),
    ...(reasoning == null ? {} : { reasoning }),
    ...(stop == null ? {} : { stopSequences: [...stop] }),
    ...(toolChoice == null || !hasTools ? {} : { toolChoice: choiceOf(toolChoice) }),
    ...(responseFormat == null ? {} : { responseFormat }),
  };
}

const choiceOf = (choice: NonNullable<ModelSettings['toolChoice']>): ModelToolChoice =>
  typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: wireNameOf(choice.tool) };
