/** What a call that is asked about would do, told before it runs: the commands in it, and the file that it changes. */
import { readCommandsOf, type CommandReading } from '@treblehook/plugin-tool-policy';
import { previewOf, type Preview } from '@treblehook/tools';
import { approvalOf, textOf, type Request, type Tool } from '@treblehook/types';
import { toolOf } from './tools/arguments-fault.js';
import { kindsOf } from './tools/kinds.js';

export interface CallEffects {
  /** Of each argument that the tool declares as a command: what rules of a policy see in it. */
  readonly commands?: readonly CommandReading[];
  /** What it would change now. */
  readonly change?: Preview;
  /** Why the change is not known, in words. */
  readonly fault?: string;
}

/** How long a file may take to be read, ms: the question does not wait for a disk that hangs. */
const longestMs = 3_000;
/** Characters of arguments whose change is looked for: comparing more would take seconds. */
const longestArgs = 2_500_000;

/** From the sealed arguments. `undefined` of what is no call of these tools, or of which nothing is known. Never rejects. */
export async function effectsOf(request: Request, tools: readonly Tool[]): Promise<CallEffects | undefined> {
  const call = approvalOf(request);
  if (call === undefined) return undefined;
  const { source, name } = call.tool;
  const tool = toolOf(request, tools);
  if (tool === undefined) return undefined;
  const commands = readCommandsOf({ tool: { source, name, ...kindsOf(tool) }, args: call.args });
  const effects = { ...(commands.length > 0 && { commands }), ...(await changeOf(tool, call.args)) };
  return Object.keys(effects).length === 0 ? undefined : effects;
}

async function changeOf(tool: Tool, args: unknown): Promise<Pick<CallEffects, 'change' | 'fault'>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the file could not be read in ${longestMs} ms`)), longestMs);
  });
  try {
    if (JSON.stringify(args).length > longestArgs) throw new Error('the arguments are too long to be compared');
    const change = await Promise.race([previewOf(tool, args), late]);
    return change === undefined ? {} : { change };
  } catch (error) {
    return { fault: textOf(error) };
  } finally {
    clearTimeout(timer);
  }
}
