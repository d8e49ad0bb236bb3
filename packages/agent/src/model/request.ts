/** The request of one model call, as the stages of `beforeLLM` leave it. */
import { adopt, frozen } from '@treblehook/core';
import { HookError, settingsFault, type LLMRequest, type ToolDescriptor } from '@treblehook/types';
import type { LLMCallChange } from '../around.js';
import { fireStep } from '../run/fire-step.js';
import { vetoed } from '../run/ending.js';
import type { RunState } from '../run/run-state.js';

/** What goes into `beforeLLM`. */
export function askedOf(run: RunState): LLMRequest {
  const { config, job } = run;
  return {
    origin: run.origin,
    messages: run.working.behind(run.system),
    tools: run.tools,
    toolSet: config.toolbox.toolSet,
    model: config.model,
    models: config.modelKeys,
    settings: config.settings,
    inject: run.inject,
    job, // its own also when there is none: one on `Object.prototype` is no job
    purpose: undefined, // likewise
  };
}

/**
 * Leaves the request on the run, or the ending of a vetoed one: neither goes through a promise. Replacements of messages
 * and tools are kept on the run, those of a vetoed request too. `change` stands in front of the first stage.
 */
export async function buildRequest(run: RunState, change?: LLMCallChange): Promise<void> {
  const asked = change === undefined ? askedOf(run) : changed(run, change);
  const { amended, by } = await fireStep(run, 'beforeLLM', asked);
  const { messages, tools, inject, replaceInject = asked.inject, model, settings, veto } = amended;
  const isReplaced = messages !== undefined && messages !== asked.messages;
  if (isReplaced) run.replaceMessages(messages);
  if (tools !== undefined) run.tools = ownTools(run, tools);
  const injected =
    inject === undefined ? replaceInject : adopt([...replaceInject, ...inject.map((one) => frozen(one))]);
  const request: LLMRequest = {
    ...asked,
    messages: isReplaced ? run.working.behind(run.system) : asked.messages,
    tools: run.tools,
    model: model ?? asked.model,
    settings: settings === undefined ? asked.settings : frozen(settings),
    inject: injected,
  };
  run.model = request.model;
  run.request = request;
  if (veto === undefined) assertSettings(request);
  else run.ending = vetoed(veto, by?.id);
}

/** As a stage would have it: messages and tools stay, the rest is for this request. */
function changed(run: RunState, { messages, tools, inject, model, settings }: LLMCallChange): LLMRequest {
  if (messages !== undefined) run.replaceMessages(messages);
  if (tools !== undefined) run.tools = ownTools(run, tools);
  const asked = askedOf(run);
  return {
    ...asked,
    model: model ?? asked.model,
    settings: settings ?? asked.settings,
    inject: inject === undefined ? asked.inject : adopt([...asked.inject, ...inject]),
  };
}

/** Stages choose and order tools; what each says of itself stays as it was registered. */
function ownTools({ config }: RunState, tools: readonly ToolDescriptor[]): readonly ToolDescriptor[] {
  const { descriptors } = config.toolbox;
  return adopt(tools.flatMap(({ name }) => descriptors.find((own) => own.name === name) ?? []));
}

/** A stage may have dropped the tool that the settings choose. Without any tool nothing is chosen. */
function assertSettings({ settings, tools }: LLMRequest): void {
  const names = tools.map(({ name }) => name);
  const what = settingsFault(settings, names.length === 0 ? undefined : names);
  if (what !== undefined) throw new HookError('TH_OPTION_INVALID', { what: `the request cannot be sent: ${what}` });
}
