// Owns how tests call a tool as the loop does: checked by its schema, then its body.
import type { JsonObject, Tool, ToolResult } from '@treblehook/types';

const origin = { runId: 'r', sessionId: 's', agentPath: ['agent'], personality: 'p', turn: 0 };
const callTool = (): Promise<never> => Promise.reject(new Error('none here'));
const fire = undefined as never; // none of them reads it

/** The arguments as they are sealed. Throws what the schema says. */
export async function sealed(tool: Tool, args: object): Promise<JsonObject> {
  const checked = await tool.input['~standard'].validate(args);
  if (checked.issues) throw new Error(checked.issues.map(({ message }) => message).join('; '));
  return checked.value as JsonObject;
}

/** The body alone, on arguments that no schema has seen. */
export async function body(tool: Tool, args: object, signal = new AbortController().signal): Promise<ToolResult> {
  const answer = await tool.execute(args, { signal, callId: 'c', origin, callTool, fire });
  if (typeof answer === 'string') return { output: answer, isError: false };
  if (!('output' in answer)) throw new Error('no tool here waits');
  return answer;
}

export const run = async (tool: Tool, args: object, signal?: AbortSignal): Promise<ToolResult> =>
  body(tool, await sealed(tool, args), signal);

/** What a refusal says, or what was taken. */
export const refusal = (work: Promise<unknown>): Promise<{ readonly message: string; readonly code?: string }> =>
  work.then(
    (taken) => ({ message: `it was taken: ${JSON.stringify(taken)}` }),
    (error: Error & { code?: string }) => error,
  );
