/** The system text of a run, and the context that stands in the tail of its requests. */
import { adopt } from '@treblehook/core';
import { fireStep } from './fire-step.js';
import type { RunState } from './run-state.js';
import { join, textMessage } from './text-message.js';

export async function buildPrompt(run: RunState, input: string): Promise<void> {
  const { system } = run.config.personality;
  const { amended } = await fireStep(run, 'beforePromptBuild', { origin: run.origin, system, input });
  const text = join([amended.prependSystem, amended.overrideSystem ?? system, amended.appendSystem]);
  if (text !== '') run.system = textMessage('system', text);
  const context = join([...run.context, ...(amended.context ?? [])]);
  if (context !== '') run.inject = adopt([textMessage('user', context)]);
}
