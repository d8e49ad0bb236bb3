/** What makes a history well-formed, and the check that keeps `beforeLLM` from breaking one. */
import type { LLMAmendment, LLMRequest } from './hooks-llm.js';
import type { Message, Part } from './message.js';

/**
 * Says what is wrong with a history, or `undefined`: each tool result follows its call in the message right behind it,
 * no call stays open, and at most one result answers a call. Linear.
 */
export function historyFault(messages: readonly Message[]): string | undefined {
  let open: Set<string> | undefined;
  for (const [at, message] of messages.entries()) {
    const fault = contentFault(message);
    if (fault !== undefined) return `message ${at} ${fault}`;
    if (message.role === 'tool') {
      for (const part of message.content) {
        if (part.type !== 'tool-result') return `message ${at} is a tool message with a '${part.type}' part`;
        if (!open?.delete(part.callId)) return `message ${at} answers the call '${part.callId}', which is not open`;
      }
      continue;
    }
    if (open !== undefined && open.size > 0) return `message ${at} comes before the result of call '${first(open)}'`;
    open = undefined;
    for (const part of message.content) {
      if (part.type === 'tool-result') return `message ${at} carries a tool result outside a tool message`;
      if (part.type !== 'tool-call') continue;
      if (message.role !== 'assistant') return `message ${at} carries a tool call and is no assistant message`;
      open ??= new Set();
      if (open.has(part.callId)) return `message ${at} has the call '${part.callId}' twice`;
      open.add(part.callId);
    }
  }
  return open !== undefined && open.size > 0 ? `the call '${first(open)}' has no result` : undefined;
}

/** What is wrong with the content of a message, whatever its role. */
function contentFault({ content }: Message): string | undefined {
  if (!Array.isArray(content)) return "has no list of parts as content: write content: [{ type: 'text', text }]";
  for (const part of content as readonly (Part | undefined)[]) {
    if (typeof part?.type !== 'string') return "has a part that is none: write { type: 'text', text }";
    if ((part.type === 'text' || part.type === 'reasoning') && typeof part.text !== 'string') {
      return `has a ${part.type} part without a text`;
    }
  }
  return undefined;
}

const first = (ids: Set<string>): string => ids.values().next().value as string;

/** The front system text, or `undefined` when the first message is no system message. */
export function frontSystem(messages: readonly Message[]): string | undefined {
  const front = messages[0];
  if (front?.role !== 'system') return undefined;
  return front.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

const settingKeys = new Set<string>([
  'temperature',
  'topP',
  'maxOutputTokens',
  'stop',
  'seed',
  'toolChoice',
  'reasoning',
  'responseFormat',
]);

/** The `check` of `beforeLLM`. A fault that the payload has already is not the stage's. */
export function checkLLMAmendment(payload: LLMRequest, amendment: Partial<LLMAmendment>): string | undefined {
  const { messages, tools, inject, model, settings } = amendment;
  if (messages && messages !== payload.messages) {
    if (frontSystem(messages) !== frontSystem(payload.messages)) {
      return 'it drops or alters the front system text, which beforePromptBuild alone gives';
    }
    const fault = historyFault(messages);
    if (fault !== undefined && historyFault(payload.messages) === undefined) return fault;
  }
  if (tools) {
    for (const tool of tools) {
      if (!payload.toolSet.includes(tool?.name))
        return `it adds the tool '${tool?.name}', which is outside the tool set`;
    }
  }
  if (inject) {
    for (const message of inject) {
      if (message?.role !== 'user' && message?.role !== 'system') {
        return `it injects a message of role '${message?.role}': only user and system messages can be injected`;
      }
      const fault = contentFault(message);
      if (fault !== undefined) return `it injects a message that ${fault}`;
    }
  }
  if (model != null && !payload.models.includes(model)) {
    return `it names the model '${model}'; the agent has ${payload.models.map((key) => `'${key}'`).join(', ')}`;
  }
  if (settings) {
    for (const key of Object.keys(settings)) {
      if (!settingKeys.has(key)) return `'${key}' is no setting; settings are ${[...settingKeys].join(', ')}`;
    }
  }
  return undefined;
}
