/** The `check` of `beforeLLM`: what a stage may not make of a request. */
import { frontSystem, historyFault } from './history.js';
import type { LLMAmendment, LLMRequest } from './hooks-llm.js';
import { messageFault } from './message-fault.js';
import { ownFields } from './own-fields.js';
import { settingsFault } from './settings-fault.js';
import type { ToolDescriptor } from './tool.js';
import { unknownMessageKey } from './unknown-key.js';

/** A fault that the payload has already is not the stage's. */
export function checkLLMAmendment(payload: LLMRequest, amendment: Partial<LLMAmendment>): string | undefined {
  const { messages, tools, inject, replaceInject, model, settings } = ownFields(amendment);
  if (messages && messages !== payload.messages) {
    const fault = historyFault(messages);
    if (fault !== undefined && historyFault(payload.messages) === undefined) return fault;
    if (frontSystem(messages) !== frontSystem(payload.messages)) {
      return 'it drops or alters the front system text, which beforePromptBuild alone gives';
    }
    const given = new Set(payload.messages);
    for (const message of messages) {
      const key = given.has(message) ? undefined : unknownMessageKey(message);
      if (key !== undefined && !payload.messages.some((one) => unknownMessageKey(one) !== undefined)) return key;
    }
  }
  if (tools) {
    for (const tool of tools) {
      const fault = toolFault(tool, payload);
      if (fault !== undefined) return fault;
    }
  }
  for (const list of [inject, replaceInject]) {
    for (const message of list ?? []) {
      if (message?.role !== 'user' && message?.role !== 'system') {
        return `it injects a message of role '${message?.role}': only user and system messages can be injected`;
      }
      const fault = messageFault(message);
      if (fault !== undefined) return `it injects a message that ${fault}`;
      const key = unknownMessageKey(message);
      if (key !== undefined) return `it injects what is no message: ${key}`;
    }
  }
  if (model != null && !payload.models.includes(model)) {
    return `it names the model '${model}'; the agent has ${payload.models.map((key) => `'${key}'`).join(', ')}`;
  }
  if (settings) {
    return settingsFault(
      settings,
      (tools ?? payload.tools).map(({ name }) => name),
    );
  }
  return undefined;
}

/** A stage may drop, reorder and take back tools. What a tool says of itself is its own. */
function toolFault(tool: ToolDescriptor, { tools, toolSet }: LLMRequest): string | undefined {
  const { name, description, inputSchema } = (tool ?? {}) as Partial<ToolDescriptor>;
  if (typeof name !== 'string' || !toolSet.includes(name)) {
    return `it adds the tool '${String(name)}', which is outside the tool set`;
  }
  if (typeof description !== 'string') return `it offers the tool '${name}' without a description`;
  if (typeof inputSchema !== 'object' || inputSchema === null || Array.isArray(inputSchema)) {
    return `it offers the tool '${name}' without an inputSchema`;
  }
  const given = tools.find((one) => one.name === name);
  return given === undefined || isSame(given, tool)
    ? undefined
    : `it rewrites the tool '${name}': a stage can drop or reorder tools, and describes none`;
}

/** Whether two plain values say the same. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (key) => Object.hasOwn(b, key) && isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  );
}
