/** The toolbox of an agent: its registered tools, by name and by wire name, and what a personality may offer. */
import { adopt, append } from '@treblehook/core';
import { HookError, matchName, type Tool, type ToolDescriptor } from '@treblehook/types';
import { RegisteredTool } from './registered-tool.js';
import { pluginOf } from './tool-origin.js';

export interface Toolbox {
  /** The tools that the personality may offer, in the order given. */
  readonly offered: readonly RegisteredTool[];
  readonly descriptors: readonly ToolDescriptor[];
  /** Their names. */
  readonly toolSet: readonly string[];
  /** Of a name as the model wrote it: the tool here, or `undefined`. */
  readonly byWireName: ReadonlyMap<string, RegisteredTool>;
}

/** Throws `TH_TOOL_INVALID`. */
export function registered(tools: readonly Tool[]): readonly RegisteredTool[] {
  const names = new Set<string>();
  return adopt(
    tools.map((tool) => {
      const one = new RegisteredTool(tool);
      if (names.has(one.name))
        throw new HookError('TH_TOOL_INVALID', {
          tool: one.name,
          what: 'another tool has this name: call one of them otherwise',
        });
      names.add(one.name);
      return one;
    }),
  );
}

/** What of a personality says which tools it may offer. */
export interface Offers {
  /** Tools of a plugin are offered only if it is listed, whatever the globs say. */
  readonly plugins: readonly string[];
  /** Name globs. Absent: each. */
  readonly tools?: readonly string[] | undefined;
}

/** Throws `TH_TOOL_INVALID` for two that the wire cannot tell apart. */
export function toolboxOf(tools: readonly RegisteredTool[], { plugins, tools: globs }: Offers): Toolbox {
  const byWireName = new Map<string, RegisteredTool>();
  const offered: RegisteredTool[] = [];
  for (const tool of tools) {
    const { name, wireName } = tool;
    const plugin = pluginOf(tool.identity.source);
    if (plugin !== undefined && !plugins.includes(plugin)) continue;
    if (globs !== undefined && !globs.some((glob) => matchName(glob, name))) continue;
    const rival = byWireName.get(wireName);
    if (rival !== undefined) {
      throw new HookError('TH_TOOL_INVALID', {
        tool: name,
        what: `on the wire '${rival.name}' has the same name: call one of them otherwise`,
      });
    }
    byWireName.set(wireName, tool);
    append(offered, tool);
  }
  return {
    offered,
    byWireName,
    descriptors: adopt(offered.map(({ descriptor }) => descriptor)),
    toolSet: adopt(offered.map(({ name }) => name)),
  };
}

/** The plugins that have given some of the tools. */
export const pluginsOf = (tools: readonly RegisteredTool[]): ReadonlySet<string> =>
  new Set(tools.flatMap(({ identity }) => pluginOf(identity.source) ?? []));
