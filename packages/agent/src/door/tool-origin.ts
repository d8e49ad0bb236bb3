/** What a definition says of the tool's origin: the server that runs it, and the hints about what it does. */
import { frozen } from '@treblehook/core';
import { HookError, type JsonObject, type ToolAnnotations } from '@treblehook/types';

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
 * tools. Throws `TH_TOOL_INVALID`.
 */
export function sourceOf(tool: string, given: unknown): string {
  if (given === undefined) return 'host';
  if (typeof given !== 'string' || !/^mcp:[^/]+$/.test(given)) {
    throw invalid(tool, "source must be 'mcp:<server>'; leave it out for a tool of the host");
  }
  if (!tool.startsWith(`${given}/`))
    throw invalid(tool, `its source is '${given}', so its name begins with '${given}/'`);
  return given;
}

const invalid = (tool: string, what: string): HookError => new HookError('TH_TOOL_INVALID', { tool, what });
