/** The toolbox of an agent: its registered tools, by name and by wire name, and what a personality may offer. */
import { adopt, append } from '@treblehook/core';
import { HookError, matchName, type Tool, type ToolDescriptor } from '@treblehook/types';
import { RegisteredTool } from './registered-tool.js';

export interface Toolbox {
  /** The tools that the personality may offer, in the order given. */
  readonly offered: readonly RegisteredTool[];
  readonly descriptors: readonly ToolDescriptor[];
  /** Their names. */
  readonly toolSet: readonly string[];
  /** Of a name as the model wrote it: the tool here, or `undefined`. */
  readonly byWireName: ReadonlyMap<string, RegisteredTool>;
}

/** Throws `TH_TOOL_INVALID`. `globs` absent: all tools are offered. */
export function createToolbox(tools: readonly Tool[], globs: readonly string[] | undefined): Toolbox {
  const names = new Set<string>();
  const byWireName = new Map<string, RegisteredTool>();
  const offered: RegisteredTool[] = [];
  for (const tool of tools) {
    const registered = new RegisteredTool(tool, 'host');
    const { name, wireName } = registered;
    if (names.has(name)) throw new HookError('TH_TOOL_INVALID', { tool: name, what: 'another tool has this name' });
    names.add(name);
    if (globs !== undefined && !globs.some((glob) => matchName(glob, name))) continue;
    const rival = byWireName.get(wireName);
    if (rival !== undefined) {
      throw new HookError('TH_TOOL_INVALID', { tool: name, what: `on the wire '${rival.name}' has the same name` });
    }
    byWireName.set(wireName, registered);
    append(offered, registered);
  }
  return {
    offered,
    byWireName,
    descriptors: adopt(offered.map(({ descriptor }) => descriptor)),
    toolSet: adopt(offered.map(({ name }) => name)),
  };
}
