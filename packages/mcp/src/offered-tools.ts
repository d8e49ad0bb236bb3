/** The tools of a server, as it has listed them: those that are taken, and what is said of the others. */
import type { Tool, ToolContext, ToolResult } from '@treblehook/types';
import type { McpNoticeKind } from './contract.js';
import { readDefinition, type Definition } from './definition.js';
import type { Listing } from './listing.js';
import { schemaEngine } from './schema.js';

export interface Offered {
  readonly definition: Definition;
  readonly tool: Tool;
}

/** By the name that the server gives them. */
export type OfferedTools = ReadonlyMap<string, Offered>;

export interface Remark {
  readonly kind: McpNoticeKind;
  readonly tool?: string;
  readonly text: string;
}

export type CallTool = (definition: Definition, args: unknown, ctx: ToolContext) => Promise<ToolResult>;

/** Compiling schemas takes some ms each: others run in between. */
const compiledAtOnce = 20;

/** A tool whose definition is as it was is the very tool that it was. Resolves with all that can be taken. */
export async function offeredTools(
  source: `mcp:${string}`,
  { definitions, isCut }: Listing,
  before: OfferedTools,
  call: CallTool,
): Promise<{ readonly tools: OfferedTools; readonly remarks: readonly Remark[] }> {
  const remarks: Remark[] = [];
  const refuse = (name: string, text: string): void => {
    const tool = name === '' ? {} : { tool: `${source}/${name}` };
    remarks.push({ kind: 'tool-refused', ...tool, text: `left out: ${text}` });
  };
  if (isCut)
    remarks.push({ kind: 'tools-cut', text: `it lists more than ${definitions.length} tools: those are taken` });
  const byName = new Map<string, Definition[]>();
  for (const given of definitions) {
    const read = readDefinition(given);
    if (read.fault !== undefined) refuse(read.name, read.fault);
    else byName.set(read.definition.name, [...(byName.get(read.definition.name) ?? []), read.definition]);
  }
  const tools = new Map<string, Offered>();
  const compile = schemaEngine();
  let compiled = 0;
  for (const [name, [definition, ...more]] of byName) {
    if (more.length > 0) {
      refuse(name, `it is listed ${more.length + 1} times, and nothing says which of them a call would reach`);
      continue;
    }
    const known = before.get(name);
    if (known?.definition.key === definition!.key) {
      tools.set(name, known);
      continue;
    }
    if (++compiled % compiledAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
    try {
      tools.set(name, { definition: definition!, tool: toolOf(source, definition!, compile, call) });
    } catch (error) {
      refuse(name, `its input schema cannot be used: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { tools, remarks };
}

function toolOf(
  source: `mcp:${string}`,
  definition: Definition,
  compile: ReturnType<typeof schemaEngine>,
  call: CallTool,
): Tool {
  const { name, description, inputSchema, annotations } = definition;
  return Object.freeze({
    name: `${source}/${name}`,
    description,
    input: compile(inputSchema),
    inputSchema,
    annotations,
    source,
    execute: (args: unknown, ctx: ToolContext) => call(definition, args, ctx),
  });
}

/** What is new, gone and changed, or `undefined`. */
export function changesOf(before: OfferedTools, after: OfferedTools): string | undefined {
  const all = (names: Iterable<string>): string => [...names].map((name) => `'${name}'`).join(', ');
  const added = [...after.keys()].filter((name) => !before.has(name));
  const gone = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after]
    .filter(([name, one]) => before.has(name) && before.get(name) !== one)
    .map(([name]) => name);
  const parts = [
    ...(added.length === 0 ? [] : [`new: ${all(added)}`]),
    ...(gone.length === 0 ? [] : [`gone: ${all(gone)}`]),
    ...(changed.length === 0 ? [] : [`changed: ${all(changed)}`]),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}
