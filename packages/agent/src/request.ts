/** Step 5: the request of one model call, as the stages of `beforeLLM` leave it. */
import { adopt, endedBy, frozen } from '@treblehook/core';
import type { LLMRequest } from '@treblehook/types';
import type { RunState } from './run-state.js';

export interface Built {
  readonly request: LLMRequest;
  /** Why nothing may be sent. */
  readonly veto: { readonly text: string; readonly by?: string } | undefined;
}

/** Replacements of messages and tools are kept on the run, those of a vetoed request too. */
export async function buildRequest(run: RunState): Promise<Built> {
  const { config, job } = run;
  const asked: LLMRequest = {
    origin: run.origin,
    messages: run.working.behind(run.system),
    tools: run.tools,
    toolSet: config.toolbox.toolSet,
    model: config.model,
    models: config.modelKeys,
    settings: config.settings,
    inject: run.inject,
    ...(job === undefined ? {} : { job }),
  };
  const amended = await run.caller.fireModifying('beforeLLM', asked);
  run.abort.throwIfAborted();
  run.model = asked.model;
  if (amended === undefined) return { request: asked, veto: undefined };
  const { messages, tools, inject, model, settings, veto } = amended;
  const isReplaced = messages !== undefined && messages !== asked.messages;
  if (isReplaced) run.replaceMessages(messages);
  if (tools !== undefined) run.tools = frozen(tools);
  const request: LLMRequest = {
    ...asked,
    messages: isReplaced ? run.working.behind(run.system) : asked.messages,
    tools: run.tools,
    model: model ?? asked.model,
    settings: settings === undefined ? asked.settings : frozen(settings),
    inject: inject === undefined ? asked.inject : adopt([...asked.inject, ...inject.map((one) => frozen(one))]),
  };
  run.model = request.model;
  const by = veto === undefined ? undefined : endedBy(amended);
  return {
    request,
    veto: veto === undefined ? undefined : { text: veto, ...(by === undefined ? {} : { by: by.id }) },
  };
}
