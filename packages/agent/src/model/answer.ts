/** Putting a model's answer together from the parts of its stream. */
import { adopt, append, closeClass, frozen } from '@treblehook/core';
import {
  HookError,
  ownFields,
  textOf,
  type JsonValue,
  type LLMAnswer,
  type Message,
  type ModelFinishReason,
  type ModelStreamPart,
  type ModelUsage,
  type Part,
  type ProviderData,
} from '@treblehook/types';
import type { Ids } from '../contract.js';
import { plainJson } from '../door/plain-json.js';
import type { RegisteredTool } from '../door/registered-tool.js';
import { finishReasonOf, usageOf } from './stream-part.js';

/** Frozen; it inherits nothing. A call as the model wrote it, its name resolved to the registration that the call will have to its end. */
export interface ModelToolCall {
  readonly callId: string;
  /** The tool's name here; of a tool that is not known, the name that the model wrote. */
  readonly name: string;
  readonly tool: RegisteredTool | undefined;
  readonly args: JsonValue;
  /** What is wrong with the arguments: `are no JSON: …`, `cannot be sealed: …`. */
  readonly fault: string | undefined;
}

/** Frozen, and it inherits nothing: it goes through promises, and its calls carry their tools. */
export interface ModelAnswer extends LLMAnswer {
  /** The provider ran tools of its own; such calls are passed over here. */
  readonly ranAtProvider: boolean;
  /** All text blocks together. */
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  readonly finishReason: ModelFinishReason;
  readonly usage: ModelUsage;
}

export interface Block {
  readonly type: 'text' | 'reasoning';
  readonly id: string;
  text: string;
  provider: ProviderData | undefined;
  isOpen: boolean;
  /** It has passed `beforeOutput`. */
  hasPassed: boolean;
}
type WireCall = Extract<ModelStreamPart, { type: 'tool-call' }>;

export class Assembly {
  readonly #blocks: (Block | WireCall)[] = [];
  #raw: unknown[] | undefined;
  /** The open blocks, by type and id. */
  readonly #open = new Map<string, Block>();
  /** The block of the part before: most parts belong to the same one. */
  #last: Block | undefined;
  #ranAtProvider = false;

  constructor(keepsRaw: boolean) {
    this.#raw = keepsRaw ? [] : undefined;
  }

  /** Takes a part that is neither `error` nor `finish`. */
  take(part: ModelStreamPart): void {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta': {
        const block = this.#block(part.type === 'text-delta' ? 'text' : 'reasoning', part.id);
        block.text += part.delta;
        block.provider = sentWith(part) ?? block.provider;
        return;
      }
      case 'text-start':
      case 'reasoning-start':
      case 'text-end':
      case 'reasoning-end': {
        const block = this.#block(part.type.startsWith('text') ? 'text' : 'reasoning', part.id);
        block.provider = sentWith(part) ?? block.provider;
        if (part.type.endsWith('end')) this.#close(block);
        return;
      }
      case 'tool-call':
        if (part.providerExecuted === true) this.#ranAtProvider = true;
        else append(this.#blocks, part);
        return;
      case 'raw':
        if (this.#raw !== undefined) append(this.#raw, plainOrNothing(part.rawValue));
        return;
      default:
    }
  }

  #block(type: Block['type'], id: string): Block {
    const last = this.#last;
    if (last?.type === type && last.id === id && last.isOpen) return last;
    const key = `${type} ${id}`;
    let block = this.#open.get(key);
    if (block === undefined) {
      block = { type, id, text: '', provider: undefined, isOpen: true, hasPassed: false };
      this.#open.set(key, block);
      append(this.#blocks, block);
    }
    this.#last = block;
    return block;
  }

  #close(block: Block): void {
    block.isOpen = false;
    this.#open.delete(`${block.type} ${block.id}`);
  }

  /** The blocks that are finished, or at the end of the stream all of them, and have not passed. */
  unpassed(isAtEnd: boolean): readonly Block[] {
    return this.#blocks.filter(
      (one): one is Block => one.type !== 'tool-call' && !one.hasPassed && (isAtEnd || !one.isOpen),
    );
  }

  /** A block has passed, as `text`; `undefined`: it is kept back. What the provider sent with another text is gone. */
  pass(block: Block, text: string | undefined): void {
    block.hasPassed = true;
    this.#close(block);
    if (text === block.text) return;
    block.text = text ?? '';
    block.provider = undefined;
    this.#raw = undefined;
  }

  /** The whole answer. `resolve` gives the tool that a name on the wire stands for. */
  finish(
    { usage, finishReason }: Extract<ModelStreamPart, { type: 'finish' }>,
    resolve: (wireName: string) => RegisteredTool | undefined,
    ids: Ids,
  ): ModelAnswer {
    const content: Part[] = [];
    const calls: ModelToolCall[] = [];
    const wireIds = new Set<string>();
    let text = '';
    for (const block of this.#blocks) {
      if (block.type === 'tool-call') {
        const { toolCallId, toolName, input } = block;
        const tool = resolve(toolName);
        const { args, fault } = readArgs(input);
        const name = tool?.name ?? toolName;
        const call: ModelToolCall = Object.freeze(ownFields({ callId: ids('call'), name, tool, args, fault }));
        append(calls, call);
        append(content, partOf(call, wireIds.has(toolCallId) ? undefined : toolCallId, sentWith(block)));
        wireIds.add(toolCallId);
      } else if (block.type === 'text') {
        if (block.text === '') continue;
        text += block.text;
        append(content, adopt({ type: 'text', text: block.text }));
      } else if (block.text !== '' || block.provider !== undefined) {
        append(content, adopt({ type: 'reasoning', text: block.text, ...providerOf(block.provider) }));
      }
    }
    const message: Message = adopt({ id: ids('message'), role: 'assistant', content: adopt(content) });
    const raw = this.#raw === undefined ? {} : { raw: this.#raw };
    const reported = usageOf(usage);
    return Object.freeze(
      ownFields({
        message,
        text,
        calls: Object.freeze(calls),
        finishReason: finishReasonOf(finishReason),
        usage: reported.raw === undefined ? reported : { ...reported, raw: plainOrNothing(reported.raw) },
        ranAtProvider: this.#ranAtProvider,
        ...raw,
      }),
    );
  }
}

closeClass(Assembly);

/** What a provider sent unread may hold anything; a cycle or an accessor in it is no fault of the answer. */
function plainOrNothing(sent: unknown): unknown {
  try {
    return frozen(sent);
  } catch {
    return undefined; // swallows TH_PAYLOAD_INVALID: no handler can be shown such a value
  }
}

/** The call as it stands in the history. A provider's id that it has used before in the answer serves nothing. */
function partOf(
  { callId, name, args }: ModelToolCall,
  wireId: string | undefined,
  metadata: ProviderData | undefined,
): Part {
  const ids = wireId === undefined ? {} : { wireId };
  return adopt({ type: 'tool-call', callId, name, args, ...ids, ...providerOf(metadata) });
}

/** What the provider wants back. A list names no provider: there is nobody to give it back to. */
const sentWith = ({ providerMetadata }: { readonly providerMetadata?: ProviderData }): ProviderData | undefined =>
  providerMetadata == null || Array.isArray(providerMetadata) ? undefined : providerMetadata;

const providerOf = (metadata: ProviderData | undefined): { provider?: ProviderData } =>
  metadata === undefined ? {} : { provider: frozen(metadata) };

/** Arguments as frozen plain JSON; a text that is none stands as it was written. Nothing at all means none. */
function readArgs(input: unknown): Pick<ModelToolCall, 'args' | 'fault'> {
  let value = input;
  const raw = typeof input === 'string' ? input : textOf(input);
  try {
    if (typeof input === 'string') value = JSON.parse(input.trim() === '' ? '{}' : input);
  } catch (error) {
    return { args: raw, fault: `are no JSON: ${textOf(error)}` };
  }
  try {
    return { args: plainJson(value), fault: undefined };
  } catch (error) {
    return { args: raw, fault: `cannot be sealed: ${textOf(error)}` };
  }
}

/** Why an answer that was ended is not an answer, or `undefined`. */
export function faultOf({ finishReason, calls, ranAtProvider }: ModelAnswer, endpoint: string): HookError | undefined {
  const { unified, raw } = finishReason;
  const refuse = (what: string): HookError => new HookError('TH_MODEL_STREAM', { endpoint, what });
  if (unified === 'error' || unified === 'interrupted')
    return refuse(`the model ended its answer with '${raw ?? unified}'`);
  if (unified === 'other' && raw === undefined) return refuse('it ended without saying why');
  if (unified === 'tool-calls' && calls.length === 0 && !ranAtProvider)
    return refuse('it announced tool calls and sent none');
  return undefined;
}
