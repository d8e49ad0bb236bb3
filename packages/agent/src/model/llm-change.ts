/** What a wrapper of a model call makes of its request: read as strictly as an amendment of `beforeLLM`. */
import { frozen } from '@treblehook/core';
import {
  agentHooks,
  HookError,
  isPlainObject,
  messageFault,
  ownFields,
  textOf,
  type LLMRequest,
} from '@treblehook/types';
import type { LLMCallChange } from '../around.js';
import { assertKnown } from '../read-option.js';

const names: Readonly<Record<keyof LLMCallChange, true>> = {
  messages: true,
  tools: true,
  inject: true,
  model: true,
  settings: true,
};

/** As frozen data. Throws `TH_OPTION_INVALID`. */
export function readLLMChange(asked: LLMRequest, changed: unknown): LLMCallChange | undefined {
  if (changed === undefined) return undefined;
  const refuse = (what: string): never => {
    throw new HookError('TH_OPTION_INVALID', { what: `what core of around.llmCall was given is refused: ${what}` });
  };
  if (typeof changed !== 'object' || changed === null || !isPlainObject(changed)) return refuse('it is no object');
  assertKnown(changed, names, 'key of what core takes');
  let change: LLMCallChange;
  try {
    change = ownFields(frozen(changed as LLMCallChange));
  } catch (error) {
    return refuse(textOf(error));
  }
  for (const key of ['messages', 'tools', 'inject'] as const) {
    if (change[key] !== undefined && !Array.isArray(change[key])) refuse(`${key} is no list`);
  }
  const { settings } = change;
  if (settings !== undefined && (typeof settings !== 'object' || settings === null)) refuse('settings is no object');
  for (const [at, message] of (change.messages ?? []).entries()) {
    const fault = messageFault(message);
    if (fault !== undefined) refuse(`message ${at} ${fault}`);
  }
  const what = agentHooks.beforeLLM.check!(asked, change);
  return what === undefined ? change : refuse(what);
}
