/** What an agent is made of from now on: other tools, other personalities, checked as those that it was made of. */
import { HookError, ownFields } from '@treblehook/types';
import { withPersonality, type Config } from './config.js';
import type { AgentUpdate } from './contract.js';
import { registered } from './door/toolbox.js';
import { madeOf } from './options.js';
import { assertKnown, invalid } from './read-option.js';
import { readPersonalities } from './read-personalities.js';

const names: Readonly<Record<keyof AgentUpdate, true>> = { tools: true, personality: true, personalities: true };

/** What is not given stays. Throws `TH_OPTION_INVALID` and `TH_TOOL_INVALID`. */
export function readUpdate(config: Config, given: AgentUpdate): Config {
  assertKnown(given, names, 'option of update');
  const update = ownFields(given);
  const { tools } = update;
  if (tools !== undefined && !Array.isArray(tools)) throw invalid('tools must be a list of tools');
  const personalities = readPersonalities(update, Object.keys(config.prices).length > 0, config.personalities);
  const all = tools === undefined ? config.tools.filter(({ isRun }) => !isRun) : registered(tools);
  return withTask(madeOf(config, all, personalities));
}

/** With the tool `task`, when there is somebody to task. Throws `TH_TOOL_INVALID`. */
export function withTask(config: Config): Config {
  const { tasks, tools, personality } = config;
  if (tasks === undefined) return config;
  const { tool } = tasks;
  if (tools.some(({ name }) => name === tool.name)) {
    const what = 'an agent that has agents to task has a tool of this name';
    throw new HookError('TH_TOOL_INVALID', { tool: tool.name, what });
  }
  return withPersonality({ ...config, tools: [...tools, tool] }, personality);
}
