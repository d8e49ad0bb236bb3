/** What a tool says of its arguments and of itself, as guards see it. */
import type { PolicedTool } from '@treblehook/plugin-tool-policy';
import type { Tool } from '@treblehook/types';

/** Of a tool that is not known, nothing. */
export function kindsOf(tool: Tool | undefined): Omit<PolicedTool, 'source' | 'name'> {
  const { paths, commands, urls, annotations } = tool ?? {};
  return {
    ...(paths && { paths }),
    ...(commands && { commands }),
    ...(urls && { urls }),
    ...(annotations && { annotations }),
  };
}
