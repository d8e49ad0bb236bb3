/** A tool that a plugin registers, as the plugin's own. */
import { assertTool } from '@treblehook/agent';
import { HookError, isPlainObject, ownFields, type PluginTool, type Tool } from '@treblehook/types';

const members: readonly string[] = [
  'name',
  'description',
  'input',
  'inputSchema',
  'concurrency',
  'paths',
  'commands',
  'urls',
  'annotations',
  'execute',
] satisfies readonly (keyof Tool)[];

/**
 * A copy whose source is the plugin: what is done to the given object later has no effect. Throws `TH_TOOL_INVALID` for
 * what is no tool, or says whose it is.
 */
export function pluginTool(plugin: string, given: PluginTool): Tool {
  if (typeof given !== 'object' || given === null) {
    throw invalid(String(given), `the plugin '${plugin}' must give an object: use defineTool`);
  }
  const { name } = given;
  if (typeof name !== 'string' || name === '') throw invalid(String(name), 'name must be a text that is not empty');
  if (Object.hasOwn(given, 'source')) {
    throw invalid(name, `the plugin '${plugin}' gives it a source: leave it out, it is 'plugin:${plugin}'`);
  }
  if (/^(mcp|provider|plugin|host):/.test(name)) {
    throw invalid(
      name,
      `the plugin '${plugin}' takes a name that is kept for tools of others: leave the part before ':' out`,
    );
  }
  const copy: Record<string, unknown> = {};
  if (isPlainObject(given)) Object.assign(copy, given);
  else
    for (const member of members) {
      const value = (given as unknown as Record<string, unknown>)[member];
      if (value === undefined) continue;
      // a method reads its own object
      copy[member] = typeof value === 'function' ? value.bind(given) : value;
    }
  const tool = Object.freeze(ownFields({ ...copy, source: `plugin:${plugin}` })) as unknown as Tool;
  assertTool(tool);
  return tool;
}

const invalid = (tool: string, what: string): HookError => new HookError('TH_TOOL_INVALID', { tool, what });
