/** Policies: inline or read from YAML or JSON, their layers, and what in them can never match. */
import {
  namesTool,
  parsePolicy,
  unmatchedKeys,
  unmatchedPointers,
  unmatchedTools,
  unmatchedValues,
  type PolicedTool,
  type Policy,
  type PolicyLayer,
  type ReadPolicy,
} from '@treblehook/plugin-tool-policy';
import {
  givenInline,
  HookError,
  nearestName,
  type JsonObject,
  type Locate,
  type ToolIdentity,
} from '@treblehook/types';
import { readConfigFile } from './config-file.js';

/** A policy that was read, and where its parts stand. */
export interface LoadedPolicy {
  readonly policy: ReadPolicy;
  readonly locate: Locate;
}

/** Reads a policy file. Rejects with `TH_CONFIG_INVALID`, which names file, line and the mend. */
export async function loadPolicy(file: string): Promise<ReadPolicy> {
  return (await readPolicy(file)).policy;
}

/** The same with the places; a policy that is given in code stands in no file. */
export async function readPolicy(given: Policy | string): Promise<LoadedPolicy> {
  const { value, locate } =
    typeof given === 'string' ? await readConfigFile(given) : { value: given, locate: givenInline('policy') };
  return { policy: parsePolicy(value, locate), locate };
}

/** The policies of a host by who gave them: the operator's first, which the others can only tighten. */
export interface GivenPolicies {
  readonly policy?: Policy | string | undefined;
  readonly defaultPolicy?: Policy | undefined;
  readonly projectPolicy?: Policy | string | undefined;
  readonly personalityPolicy?: Policy | string | undefined;
  /** Of further personalities, by their ids. */
  readonly personalityPolicies?: ReadonlyMap<string, Policy | string>;
}
export type LoadedLayer = PolicyLayer & LoadedPolicy;

/** Reads the layers that are given. Rejects with `TH_CONFIG_INVALID`. */
export async function readLayers(given: GivenPolicies): Promise<readonly LoadedLayer[]> {
  const { policy = { rules: [] }, defaultPolicy, projectPolicy, personalityPolicy } = given;
  const ofPersonalities: LoadedLayer[] = [];
  for (const [id, one] of given.personalityPolicies ?? []) {
    ofPersonalities.push({ name: `personality:${id}`, personalities: [id], ...(await readPolicy(one)) });
  }
  return [
    await readPolicy(policy),
    ...(defaultPolicy === undefined ? [] : [{ name: 'default', ...(await readPolicy(defaultPolicy)) }]),
    ...(projectPolicy === undefined ? [] : [{ name: 'project', ...(await readPolicy(projectPolicy)) }]),
    ...(personalityPolicy === undefined ? [] : [{ name: 'personality', ...(await readPolicy(personalityPolicy)) }]),
    ...ofPersonalities,
  ];
}

type Named = Pick<ToolIdentity, 'source' | 'name'>;

/** By the name of a tool that is not offered: how it could be. */
export type SpareTools = Readonly<Record<string, string>>;

/** How the first of the spare tools that is meant could be offered. */
export const howToOffer = (spare: SpareTools, isMeant: (name: string) => boolean): string | undefined =>
  Object.entries(spare).find(([name]) => isMeant(name))?.[1];

/**
 * A `TH_MATCHES_NOTHING`, with its place, for each glob that matches no tool, each pointer that leads to no argument of one
 * offered, each key that looks at arguments which no tool of the rule declares, and each predicate that no value of its
 * argument can fulfil.
 */
export function idleRules(
  { policy, locate }: LoadedPolicy,
  tools: readonly Named[],
  offered: readonly (PolicedTool & { readonly inputSchema: JsonObject })[],
  spare: SpareTools = {},
): readonly HookError[] {
  const globs = unmatchedTools(policy, tools).map(({ rule, path, glob, near }) => {
    const how = howToOffer(spare, (name) => namesTool(glob, { source: 'host', name }));
    const mend =
      how ?? nearSpare(glob, tools, spare) ?? (near === undefined ? thereIs(tools) : `did you mean '${near}'?`);
    const what = `policy rule ${rule}: '${glob}' matches no tool${how === undefined ? '' : ' that is offered'}: ${mend}`;
    return new HookError('TH_MATCHES_NOTHING', { ...locate(path, 'value'), what });
  });
  const pointers = unmatchedPointers(policy, offered).map(({ rule, path, pointer, tool, has, near }) => {
    const mend = near === undefined ? `it has ${has.join(', ') || 'none'}` : `did you mean '/${near}'?`;
    const what = `policy rule ${rule}: '${pointer}' is no argument of '${tool}': ${mend}`;
    return new HookError('TH_MATCHES_NOTHING', { ...locate(path, 'key'), what });
  });
  const keys = unmatchedKeys(policy, offered).map(({ rule, path, key, glob, why }) => {
    const what = `policy rule ${rule}: '${key}' never matches '${glob}': ${why}`;
    return new HookError('TH_MATCHES_NOTHING', { ...locate(path, 'key'), what });
  });
  const values = unmatchedValues(policy, offered).map(({ rule, path, pointer, tool, why }) => {
    const what = `policy rule ${rule}: the test of '${pointer}' never holds for '${tool}': ${why}`;
    return new HookError('TH_MATCHES_NOTHING', { ...locate(path, 'value'), what });
  });
  return [...globs, ...pointers, ...keys, ...values];
}

/** A tool that is not offered and is nearer than all that are. */
function nearSpare(glob: string, tools: readonly Named[], spare: SpareTools): string | undefined {
  const near = nearestName(glob, [...tools.map(({ name }) => name), ...Object.keys(spare)]);
  if (near === undefined || !Object.hasOwn(spare, near)) return undefined;
  return `did you mean '${near}'? It is not offered: ${spare[near]}`;
}

/** How many tools a warning names. */
const mostNamed = 10;

function thereIs(tools: readonly Named[]): string {
  const names = tools.map(({ name }) => name);
  if (names.length === 0) return 'there is none';
  const others = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return `there is ${names.slice(0, mostNamed).join(', ')}${others}`;
}
