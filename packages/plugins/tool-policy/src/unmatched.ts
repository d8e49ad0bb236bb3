/** What in a policy can never match: most often a misspelt name, so a host warns of it when a policy is loaded. */
import {
  nearestName,
  ownFields,
  type JsonObject,
  type JsonValue,
  type SettingPath,
  type ToolIdentity,
} from '@treblehook/types';
import { blindKeys, whyBlind } from './blind.js';
import { labelOf, namesTool } from './compile-rule.js';
import type { PolicedTool } from './look.js';
import { readPointer } from './pointer.js';
import type { Policy, Rule } from './policy.js';

export interface UnmatchedTools {
  /** The rule's id, or `#<position>`. */
  readonly rule: string;
  /** Where the glob stands in the policy. */
  readonly path: SettingPath;
  readonly glob: string;
  /** The name of a tool that was perhaps meant. */
  readonly near?: string;
}

/** The globs of a policy that match none of the tools. */
export function unmatchedTools(
  policy: Policy,
  tools: readonly Pick<ToolIdentity, 'source' | 'name'>[],
): readonly UnmatchedTools[] {
  const names = tools.map(({ name }) => name);
  const sources = [...new Set(tools.map(({ source }) => source))];
  return (policy.rules ?? []).flatMap((rule, at) =>
    globsOf(rule).flatMap((glob, place) => {
      if (tools.some((tool) => namesTool(glob, tool))) return [];
      const near = nearestName(glob, names) ?? nearSource(glob, sources);
      const path = typeof rule.tools === 'string' ? ['rules', at, 'tools'] : ['rules', at, 'tools', place];
      return [{ rule: labelOf(rule, at), path, glob, ...(near !== undefined && { near }) }];
    }),
  );
}

/** The glob with the nearest source in place of its own: `mcp:every/*` for `mcp:evry/*`. */
function nearSource(glob: string, sources: readonly string[]): string | undefined {
  const [source = ''] = glob.split('/', 1);
  if (!source.includes(':') || sources.includes(source)) return undefined;
  const near = nearestName(source, sources);
  return near && `${near}${glob.slice(source.length)}`;
}

export interface UnmatchedKey {
  readonly rule: string;
  /** Where the key stands in the policy. */
  readonly path: SettingPath;
  readonly key: string;
  /** What the rule is about, none of which declares such an argument. */
  readonly glob: string;
  readonly why: string;
}

/** The keys `paths`, `hosts`, `commands` of rules for tools of which none declares such an argument: they can never match. */
export function unmatchedKeys(policy: Policy, tools: readonly PolicedTool[]): readonly UnmatchedKey[] {
  return (policy.rules ?? []).flatMap((rule, at) =>
    globsOf(rule).flatMap((glob) => {
      const named = tools.filter((tool) => namesTool(glob, tool));
      const [first] = named;
      // a rule for every tool is for those to come, too
      if (first === undefined || !/[^*]/.test(glob)) return [];
      const keys = blindKeys(rule, first).filter((key) => named.every((tool) => blindKeys(rule, tool).includes(key)));
      return keys.map((key) => ({
        rule: labelOf(rule, at),
        path: ['rules', at, key],
        key,
        glob,
        why: whyBlind(key, first)!,
      }));
    }),
  );
}

export interface UnmatchedPointer {
  readonly rule: string;
  /** Where the pointer stands in the policy. */
  readonly path: SettingPath;
  readonly pointer: string;
  readonly tool: string;
  /** The arguments that the tool has. */
  readonly has: readonly string[];
  readonly near?: string;
}

/** The `when` pointers whose first step is no argument of a tool that the rule is about. */
export function unmatchedPointers(
  policy: Policy,
  tools: readonly (Pick<ToolIdentity, 'source' | 'name'> & { readonly inputSchema: JsonObject })[],
): readonly UnmatchedPointer[] {
  return (policy.rules ?? []).flatMap((rule, at) => {
    const globs = globsOf(rule);
    const pointers = Object.keys(ownFields(rule).when ?? {});
    return tools.flatMap((tool) => {
      const has = argumentsOf(tool.inputSchema);
      if (has === undefined || !globs.some((glob) => namesTool(glob, tool))) return [];
      return pointers.flatMap((pointer) => {
        const steps = readPointer(pointer);
        if (typeof steps === 'string') return []; // the reader of policies refuses what is no pointer
        const [first] = steps;
        if (first === undefined || has.includes(first)) return [];
        const near = nearestName(first, has);
        const found = { rule: labelOf(rule, at), path: ['rules', at, 'when', pointer], pointer, tool: tool.name, has };
        return [{ ...found, ...(near !== undefined && { near }) }];
      });
    });
  });
}

/** `undefined` of a schema that lets arguments through that it does not name, or does not name them at its top. */
function argumentsOf(schema: JsonObject): readonly string[] | undefined {
  const { properties, additionalProperties, ...rest } = ownFields(schema) as Record<string, JsonValue | undefined>;
  const open = additionalProperties !== undefined && additionalProperties !== false;
  const elsewhere = ['anyOf', 'oneOf', 'allOf', '$ref', 'patternProperties', 'if'].some((key) =>
    Object.hasOwn(rest, key),
  );
  if (open || elsewhere || typeof properties !== 'object' || properties === null) return undefined;
  return Object.keys(properties);
}

const globsOf = ({ tools }: Rule): readonly string[] => (typeof tools === 'string' ? [tools] : tools);
