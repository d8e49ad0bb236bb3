/** The policy that a run in a folder would have, compiled, and the tools that it is about. */
import { defaultPersonality } from '@treblehook/agent';
import { idleRules, loadPersonality, readLayers, type LoadedLayer } from '@treblehook/host';
import { compilePolicy, type CompiledPolicy, type PolicedCall, type PolicedTool } from '@treblehook/plugin-tool-policy';
import { HookError, nearestName, type JsonValue, type Tool } from '@treblehook/types';
import { fileFrom, oneLine, type Io } from '../io.js';
import { folderAt } from '../run-host.js';
import { askedFirst } from '../tools/asked-first.js';
import { builtInNames, builtInTools } from '../tools/built-in.js';
import { kindsOf } from '../tools/kinds.js';
import { projectPolicyIn } from './project-policy.js';
import { UsageError } from '../usage-error.js';

export interface PolicyFlags {
  readonly policy?: string | undefined;
  readonly dir?: string | undefined;
  readonly personality?: string | undefined;
  readonly json?: boolean | undefined;
}

export interface Judge extends CompiledPolicy {
  readonly layers: readonly LoadedLayer[];
  readonly tools: readonly Tool[];
  /** The id of the personality that a run would have. */
  readonly personality: string;
  /** `TH_MATCHES_NOTHING` for what in the layers names no tool of the command line. */
  readonly idle: readonly HookError[];
}

/** Rejects with `TH_CONFIG_INVALID` and `UsageError`. */
export async function judgeOf(flags: PolicyFlags, io: Io): Promise<Judge> {
  const dir = await folderAt(flags.dir, io.cwd);
  const loaded = flags.personality === undefined ? undefined : await loadPersonality(fileFrom(io, flags.personality));
  const personality = loaded?.personality.id ?? defaultPersonality.id;
  const policy = flags.policy === undefined ? undefined : fileFrom(io, flags.policy);
  const layers = await readLayers({
    policy,
    defaultPolicy: await askedFirst(builtInNames, policy, personality),
    projectPolicy: projectPolicyIn(dir),
    personalityPolicy: loaded?.personality.policy,
  });
  const tools = builtInTools(dir);
  const named = tools.map(({ name }) => ({ source: 'host', name }) as const);
  return {
    ...compilePolicy(layers, { cwd: dir }),
    layers,
    tools,
    personality,
    idle: layers.flatMap((layer) => idleRules(layer, named, [])),
  };
}

/** A call as the guard would see it: of a tool that is known, its arguments as its schema makes them. */
export async function policedCall(
  { tools, personality }: Pick<Judge, 'tools' | 'personality'>,
  named: string,
  args: JsonValue,
): Promise<PolicedCall> {
  const tool = tools.find(({ name }) => name === named);
  const source = /^(?:plugin|mcp):[^/]+(?=\/.)/.exec(named)?.[0] ?? 'host';
  const policed: PolicedTool = { source, name: named, ...kindsOf(tool) };
  return {
    tool: policed,
    args: tool === undefined ? args : await sealedArgs(tool, args),
    personality,
  };
}

async function sealedArgs(tool: Tool, args: JsonValue): Promise<JsonValue> {
  const checked = await tool.input['~standard'].validate(args);
  if (checked.issues === undefined) return checked.value as JsonValue;
  const [issue] = checked.issues;
  throw new UsageError(
    `these are no arguments of '${tool.name}', so no guard would be asked: ${oneLine(issue?.message ?? 'its schema refuses them')}`,
  );
}

/** Says of a tool that the command line does not have that nothing is known of its arguments. */
export function strangerNotice({ tools }: Pick<Judge, 'tools'>, { tool }: PolicedCall): string | undefined {
  if (tool.source !== 'host' || tools.some(({ name }) => name === tool.name)) return undefined;
  const names = tools.map(({ name }) => name);
  const near = nearestName(tool.name, names);
  const mend = near === undefined ? '' : `; did you mean '${near}'?`;
  return `the command line has no tool '${tool.name}': which of its arguments are paths or commands is not known${mend}`;
}
