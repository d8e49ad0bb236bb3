/** The policy that a run in a folder would have, compiled, and the tools that it is about. */
import { defaultPersonality } from '@treblehook/agent';
import { loadPersonality, readLayers, type LoadedLayer } from '@treblehook/host';
import { compilePolicy, type CompiledPolicy, type PolicedCall, type PolicedTool } from '@treblehook/plugin-tool-policy';
import { nearestName, type JsonValue, type Tool } from '@treblehook/types';
import { voiceOf } from '../conduct.js';
import { folderPolicy } from '../folder-config.js';
import { fileFrom, oneLine, type Io } from '../io.js';
import { listedTools, type McpFlags } from '../mcp/connect.js';
import { folderAt } from '../run-host.js';
import { askedFirst, type AskedFirst } from '../tools/asked-first.js';
import { builtInTools } from '../tools/built-in.js';
import { issuesText } from '../tools/arguments-fault.js';
import { kindsOf } from '../tools/kinds.js';
import type { Declared } from './declared.js';
import { UsageError } from '../usage-error.js';

export interface PolicyFlags extends McpFlags {
  readonly policy?: string | undefined;
  readonly dir?: string | undefined;
  readonly personality?: string | undefined;
  readonly json?: boolean | undefined;
}

/** A policy in its layers, as it is for one personality. */
export interface LayeredPolicy extends CompiledPolicy {
  readonly layers: readonly LoadedLayer[];
  /** What the default would ask about, and the operator's policy has thought of. */
  readonly lifted: AskedFirst['lifted'];
}

export interface Judge {
  /** The folder that paths are meant from. */
  readonly dir: string;
  /** The built-in ones, and those of the servers that were named. */
  readonly tools: readonly Tool[];
  /** The servers that were named have been asked: of a tool that is not here there is none. */
  readonly knowsServers: boolean;
  /** The id of the personality that a run would have. */
  readonly personality: string;
  /** For the calls of a personality: its own policy counts if its file was named. Rejects with `TH_CONFIG_INVALID`. */
  readonly policyFor: (personality: string) => Promise<LayeredPolicy>;
}

/** `others`: files of further personalities that calls were made as. Rejects with `TH_CONFIG_INVALID`, `TH_MCP_FAILED` and `UsageError`. */
export async function judgeOf(flags: PolicyFlags, io: Io, others: readonly string[] = []): Promise<Judge> {
  const dir = await folderAt(flags.dir, io.cwd);
  const named = flags.personality === undefined ? undefined : await loadPersonality(fileFrom(io, flags.personality));
  const loaded = await Promise.all(others.map(loadPersonality));
  // the one that the flag names goes before one of its id
  const policies = new Map(
    [...loaded, ...(named ? [named] : [])].map(({ personality: { id, policy } }) => [id, policy]),
  );
  const policy = flags.policy === undefined ? undefined : fileFrom(io, flags.policy);
  const projectPolicy = await folderPolicy(dir, io.env);
  const tools = [...builtInTools(dir), ...(await listedTools(flags, voiceOf(io)))];
  const known = new Map<string, Promise<LayeredPolicy>>();
  const read = async (id: string): Promise<LayeredPolicy> => {
    const { policy: defaultPolicy, lifted } = await askedFirst(tools, policy, id);
    const layers = await readLayers({ policy, defaultPolicy, projectPolicy, personalityPolicy: policies.get(id) });
    return { ...compilePolicy(layers, { cwd: dir }), layers, lifted };
  };
  return {
    dir,
    tools,
    knowsServers: flags.mcp !== undefined,
    personality: named?.personality.id ?? defaultPersonality.id,
    policyFor: (id) => {
      const layered = known.get(id) ?? read(id);
      known.set(id, layered);
      return layered;
    },
  };
}

/** Arguments that the tool refuses, so that no guard would be asked. */
export class RefusedArguments extends UsageError {}

/** What is called by whom, and what a tool that is not known declares. */
export interface CallAsked {
  readonly tool: string;
  readonly args: JsonValue;
  readonly personality?: string | undefined;
  readonly declared?: Declared | undefined;
}

/** A call as the guard would see it: of a tool that is known, its arguments as its schema makes them. Rejects with `UsageError`. */
export async function policedCall(
  { tools, personality: own }: Pick<Judge, 'tools' | 'personality'>,
  { tool: named, args, personality = own, declared }: CallAsked,
): Promise<PolicedCall & { readonly personality: string }> {
  if (/^(?:plugin|mcp):[^/]*\/?$/.test(named)) {
    const source = named.replace(/\/$/, '');
    throw new UsageError(`'${named}' names no tool: write ${source.endsWith(':') ? `${source}<name>` : source}/<tool>`);
  }
  const tool = tools.find(({ name }) => name === named);
  if (tool !== undefined && declared !== undefined)
    throw new UsageError(`what '${named}' declares is known here: say it of a tool of a server, a plugin or a program`);
  const source = tool?.source ?? /^(?:plugin|mcp):[^/]+(?=\/.)/.exec(named)?.[0] ?? 'host';
  const policed: PolicedTool = { source, name: named, ...(declared ?? kindsOf(tool)) };
  return {
    tool: policed,
    args: tool === undefined ? args : await sealedArgs(tool, args),
    personality,
  };
}

async function sealedArgs(tool: Tool, args: JsonValue): Promise<JsonValue> {
  const checked = await tool.input['~standard'].validate(args);
  if (checked.issues === undefined) return checked.value as JsonValue;
  throw new RefusedArguments(
    `these are no arguments of '${tool.name}', so no guard would be asked: ${oneLine(issuesText(checked.issues))}`,
  );
}

/** Whether nobody here has the tool: the command line, or a server that was named. */
export const isStranger = (
  { tools, knowsServers }: Pick<Judge, 'tools' | 'knowsServers'>,
  { tool: { source, name } }: Pick<PolicedCall, 'tool'>,
): boolean =>
  (source === 'host' || (knowsServers && source.startsWith('mcp:'))) && !tools.some((one) => one.name === name);

/** Says of a tool that nobody here has that nothing is known of its arguments. */
export function strangerNotice(judge: Pick<Judge, 'tools' | 'knowsServers'>, call: PolicedCall): string | undefined {
  if (!isStranger(judge, call)) return undefined;
  const { source, name } = call.tool;
  const near = nearestName(
    name,
    judge.tools.map((one) => one.name),
  );
  const mend = near === undefined ? '' : `; did you mean '${near}'?`;
  const who = source === 'host' ? 'the command line has' : 'the servers have';
  return `${who} no tool '${name}': which of its arguments are paths or commands is not known${mend}`;
}
