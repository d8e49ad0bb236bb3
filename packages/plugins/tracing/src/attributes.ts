/** Attributes by their names in the conventions, without any text of a conversation: https://opentelemetry.io/docs/specs/semconv/gen-ai/ */
import type { AttributeValue } from '@opentelemetry/api';
import {
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_CONVERSATION_ID,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  ATTR_GEN_AI_TOOL_CALL_ID,
  ATTR_GEN_AI_TOOL_NAME,
  ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
  GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
  GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
} from '@opentelemetry/semantic-conventions/incubating';
import {
  isHookError,
  type AgentDone,
  type Frozen,
  type LLMOutcome,
  type ModelUsage,
  type Origin,
} from '@treblehook/types';

export type Attributes = Readonly<Record<string, AttributeValue>>;

const whose = ({ sessionId, agentPath, personality }: Frozen<Origin>): Attributes => ({
  [ATTR_GEN_AI_CONVERSATION_ID]: sessionId,
  [ATTR_GEN_AI_AGENT_NAME]: agentPath.at(-1) ?? personality,
});

export const agentOf = (origin: Frozen<Origin>): Attributes => ({
  [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
  ...whose(origin),
  'treblehook.run.id': origin.runId,
  'treblehook.personality': origin.personality,
  'treblehook.agent.path': [...origin.agentPath],
});

export const chatOf = (told: {
  readonly origin: Frozen<Origin>;
  readonly model: string;
  readonly purpose?: string | undefined;
}): Attributes => ({
  [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_CHAT,
  [ATTR_GEN_AI_REQUEST_MODEL]: told.model,
  ...whose(told.origin),
  'treblehook.turn': told.origin.turn,
  ...(told.purpose === undefined ? {} : { 'treblehook.purpose': told.purpose }),
});

export const answerOf = ({ usage, finishReason, attempts }: Frozen<LLMOutcome>): Attributes => ({
  ...usageOf(usage),
  'treblehook.attempts': attempts,
  ...(finishReason === undefined ? {} : { [ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: [finishReason.unified] }),
});

export const toolOf = (
  origin: Frozen<Origin>,
  { name, callId }: { readonly name: string; readonly callId: string },
): Attributes => ({
  [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
  [ATTR_GEN_AI_TOOL_NAME]: name,
  [ATTR_GEN_AI_TOOL_CALL_ID]: callId,
  ...whose(origin),
});

export const doneOf = ({ status, limit, turnCount, toolCalls, usage }: Frozen<AgentDone>): Attributes => ({
  ...usageOf(usage),
  'treblehook.run.status': status,
  ...(limit === undefined ? {} : { 'treblehook.run.limit': limit }),
  'treblehook.run.turns': turnCount,
  'treblehook.run.tool_calls': toolCalls,
});

/** A count that the provider did not report is left out. */
function usageOf(usage: Frozen<ModelUsage> | undefined): Attributes {
  const counts: Readonly<Record<string, number | undefined>> = {
    [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: usage?.inputTokens.total,
    [ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: usage?.inputTokens.cacheRead,
    [ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS]: usage?.inputTokens.cacheWrite,
    [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: usage?.outputTokens.total,
    [ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: usage?.outputTokens.reasoning,
  };
  return Object.fromEntries(
    Object.entries(counts).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}

/** `error.type`: the code of an error of the loop, else the name of its class. Its message could say anything. */
export function faultOf(error: unknown): string {
  try {
    if (isHookError(error)) return error.code;
    if (error instanceof Error && /^\w{1,64}$/.test(error.name)) return error.name;
  } catch {
    // swallows a getter that throws
  }
  return '_OTHER';
}
