/** Policies: inline or read from YAML or JSON, and what in them can never match. */
import { parsePolicy, unmatchedPointers, unmatchedTools, type Policy } from '@treblehook/plugin-tool-policy';
import { givenInline, type JsonObject, type Locate, type SettingPath, type ToolIdentity } from '@treblehook/types';
import { readConfigFile } from './config-file.js';

/** A policy that was read, and where its parts stand. */
export interface LoadedPolicy {
  readonly policy: Policy;
  readonly locate: Locate;
}

/** Reads a policy file. Rejects with `TH_CONFIG_INVALID`, which names file, line and the mend. */
export async function loadPolicy(file: string): Promise<Policy> {
  return (await readPolicy(file)).policy;
}

/** The same with the places; a policy that is given in code stands in no file. */
export async function readPolicy(given: Policy | string): Promise<LoadedPolicy> {
  const { value, locate } =
    typeof given === 'string' ? await readConfigFile(given) : { value: given, locate: givenInline('policy') };
  return { policy: parsePolicy(value, locate), locate };
}

type Named = Pick<ToolIdentity, 'source' | 'name'>;

/** One line for each glob that matches no tool and each pointer that leads to no argument of one offered, with its place. */
export function idleRules(
  { policy, locate }: LoadedPolicy,
  tools: readonly Named[],
  offered: readonly (Named & { readonly inputSchema: JsonObject })[],
): readonly string[] {
  const at = (path: SettingPath, part: 'key' | 'value'): string => {
    const { file, at: place } = locate(path, part);
    return `${file}${place}`;
  };
  return [
    ...unmatchedTools(policy, tools).map(
      ({ rule, path, glob, near }) =>
        `${at(path, 'value')}: policy rule ${rule}: '${glob}' matches no tool${near === undefined ? '' : `: did you mean '${near}'?`}`,
    ),
    ...unmatchedPointers(policy, offered).map(
      ({ rule, path, pointer, tool, has, near }) =>
        `${at(path, 'key')}: policy rule ${rule}: '${pointer}' is no argument of '${tool}': ${
          near === undefined ? `it has ${has.join(', ') || 'none'}` : `did you mean '/${near}'?`
        }`,
    ),
  ];
}
