/** What a definition says of the tool's origin: the server that runs it, and the hints about what it does. */
import { frozen } from '@treblehook/core';
import { HookError, isPluginId, type JsonObject, type ToolAnnotations } from '@treblehook/types';

const kinds: Readonly<Record<keyof ToolAnnotations, 'string' | 'boolean'>> = {
  title: 'string',
  readOnlyHint: 'boolean',
  destructiveHint: 'boolean',
  idempotentHint: 'boolean',
  openWorldHint: 'boolean',
};

/** A frozen copy of the hints that are set; `undefined` when there are none. Throws `TH_TOOL_INVALID`. */
export function annotationsOf(tool: string, given: unknown): (ToolAnnotations & JsonObject) | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== 'object' || given === null) throw invalid(tool, 'annotations must be an object');
  const hints: { [key: string]: string | boolean } = {};
  for (const [key, value] of Object.entries(given)) {
    const kind = Object.hasOwn(kinds, key) ? kinds[key as keyof ToolAnnotations] : undefined;
    if (kind === undefined) throw invalid(tool, `annotations has '${key}': it takes ${Object.keys(kinds).join(', ')}`);
    if (value === undefined) continue;
    if (typeof value !== kind) throw invalid(tool, `annotations.${key} must be a ${kind}`);
    hints[key] = value as string | boolean;
  }
  return Object.keys(hints).length === 0 ? undefined : frozen(hints);
}

/**
 * `host`, unless the definition names a server: then the name must say so too, or a server could take a name of the host's
 * tools; or a plugin: then its name is bare. Throws `TH_TOOL_INVALID`.
 */
export function sourceOf(tool: string, given: unknown): string {
  if (given === undefined) return 'host';
  if (pluginOf(given) !== undefined) return bare(tool, given as string);
  if (typeof given !== 'string' || !/^mcp:[^/]+$/.test(given)) {
    const what = "source must be 'mcp:<server>' or 'plugin:<id>', with the id of a plugin";
    throw invalid(tool, `${what}; leave it out for a tool of the host`);
  }
  if (!tool.startsWith(`${given}/`))
    throw invalid(tool, `its source is '${given}', so its name begins with '${given}/'`);
  return given;
}

const ofPlugin = 'plugin:';

/** The plugin that a source names, if it is a plugin's. */
export function pluginOf(source: unknown): string | undefined {
  if (typeof source !== 'string' || !source.startsWith(ofPlugin)) return undefined;
  const id = source.slice(ofPlugin.length);
  return isPluginId(id) ? id : undefined;
}

/** A plugin's tool is called as no source is, or rules about the tools of servers would be about it. */
function bare(tool: string, source: string): string {
  const [, prefix] = /^(mcp:|plugin:|provider:)/.exec(tool) ?? [];
  if (prefix === undefined) return source;
  throw invalid(tool, `its source is '${source}', so its name is its own: leave out '${prefix}'`);
}

const invalid = (tool: string, what: string): HookError => new HookError('TH_TOOL_INVALID', { tool, what });
