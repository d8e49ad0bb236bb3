/** Whether a tool could be one of an agent, asked before there is one. */
import type { Tool } from '@treblehook/types';
import { RegisteredTool } from './registered-tool.js';

/** Throws `TH_TOOL_INVALID` as `createAgent` does, for each fault that does not lie between two tools. */
export function assertTool(tool: Tool): void {
  void new RegisteredTool(tool).name;
}
