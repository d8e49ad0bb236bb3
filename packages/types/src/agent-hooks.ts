/** The catalogue of the agent's hook points: exactly those that the loop and its tenants fire. */
import type {
  AfterCompaction,
  AgentDone,
  AskDetail,
  BeforeCompaction,
  CompactionAmendment,
  LLMAmendment,
  LLMAttempt,
  LLMOutcome,
  LLMRequest,
  PromptAmendment,
  PromptBuild,
  SealedToolCall,
  SessionEnd,
  SessionStart,
  ToolCallAmendment,
  ToolCallResult,
  ToolCallStart,
  ToolEnd,
  ToolEndWithPath,
  ToolResultAmendment,
} from './agent-payloads.js';
import { defineHooks } from './define-hooks.js';
import { checkToolAmendment } from './check-tool-amendment.js';
import { checkLLMAmendment } from './history.js';
import { claimingHook, modifyingHook, voidHook } from './hook-point.js';

const request = {
  origin: 'object',
  messages: 'array',
  tools: 'array',
  toolSet: 'array',
  model: 'string',
  models: 'array',
  settings: 'object',
  inject: 'array',
  job: 'object?',
} as const;
const ofCall = { origin: 'object', callId: 'string', attempt: 'number', batch: 'object' } as const;
const call = { ...ofCall, name: 'string' } as const;
const end = { ...call, outcome: 'string', result: 'object', ms: 'number', record: 'object' } as const;
const compaction = { origin: 'object', trigger: 'string', dropping: 'array', tokensBefore: 'number' } as const;

export const agentHooks = defineHooks({
  sessionStart: voidHook<SessionStart>({
    summary: 'A session is opened or resumed.',
    fields: { origin: 'object', how: 'string' },
    aka: ['session_start', 'SessionStart', 'onSessionStart'],
  }),
  sessionEnd: voidHook<SessionEnd>({
    summary: 'A session is closed.',
    fields: { origin: 'object', how: 'string' },
    aka: ['session_end', 'SessionEnd'],
  }),
  beforePromptBuild: modifyingHook<PromptBuild, PromptAmendment>({
    discipline: 'merge',
    summary: 'Once per run, before the system text is put together.',
    fields: { origin: 'object', system: 'string', input: 'string' },
    keys: { prependSystem: 'string', overrideSystem: 'string', appendSystem: 'string', context: 'array' },
    collect: ['context'],
    hostKeys: ['overrideSystem'],
    aka: ['before_prompt_build', 'before_agent_start', 'UserPromptSubmit'],
  }),
  beforeLLM: modifyingHook<LLMRequest, LLMAmendment>({
    discipline: 'pipeline',
    summary: 'Before each model call: the request can be rewritten, routed or vetoed.',
    fields: request,
    keys: { messages: 'array', tools: 'array', inject: 'array', model: 'string', settings: 'object', veto: 'string' },
    collect: ['inject'],
    terminal: ['veto'],
    order: ['hooks?', '*', 'compaction?', 'route-gate?', 'redact?', 'prompt-cache?'],
    locks: { 'route-gate': ['model'] },
    check: checkLLMAmendment,
    aka: ['before_llm_call', 'beforeModel', 'before_model_resolve', 'transformContext'],
  }),
  llmRequest: voidHook<LLMAttempt>({
    summary: 'Once per attempt: the request as it is sent.',
    fields: { ...request, attempt: 'number' },
    aka: ['llm_input'],
  }),
  afterLLM: voidHook<LLMOutcome>({
    summary: 'Once per model call, failed ones too: the answer, its usage and its duration.',
    fields: {
      origin: 'object',
      model: 'string',
      response: 'object?',
      error: 'any?',
      usage: 'object?',
      finishReason: 'object?',
      attempts: 'number',
      ms: 'number',
    },
    aka: ['llm_output', 'afterModel', 'after_llm_call'],
  }),
  beforeTool: modifyingHook<ToolCallStart, ToolCallAmendment>({
    discipline: 'pipeline',
    summary: 'Before a tool call is sealed: its arguments can be rewritten, its result supplied, the call refused.',
    fields: { ...call, args: 'any?' },
    keys: { args: 'any', result: 'object', error: 'string' },
    terminal: ['result', 'error'],
    check: checkToolAmendment,
    aka: ['before_tool_call', 'PreToolUse', 'tool_call'],
  }),
  toolPolicy: claimingHook<SealedToolCall, AskDetail>({
    discipline: 'guard',
    summary: 'The call is sealed: each guard may deny it or ask; none can allow it.',
    fields: { ...ofCall, tool: 'object', args: 'any?', digest: 'string', supplied: 'boolean' },
    keys: { detail: 'any' },
    order: ['tool-policy?', '*'],
    aka: ['tool_policy', 'permissionRequest', 'canUseTool'],
  }),
  afterTool: modifyingHook<ToolCallResult, ToolResultAmendment>({
    discipline: 'pipeline',
    summary: 'A tool has answered: its result can be rewritten before anybody sees it.',
    fields: { ...call, args: 'any?', result: 'object', ms: 'number' },
    keys: { result: 'object' },
    check: checkToolAmendment,
    aka: ['after_tool_call', 'PostToolUse', 'tool_result'],
  }),
  toolEnd: voidHook<ToolEnd>({
    summary: 'Every outcome of every tool call, the denied and the cancelled included.',
    fields: end,
    aka: ['tool_end', 'PostToolUseFailure', 'tool_execution_end'],
  }),
  toolEndWithPath: voidHook<ToolEndWithPath>({
    summary: 'As toolEnd, once for each path argument that the tool declares.',
    fields: { ...end, path: 'string', cwd: 'string' },
    aka: ['file_edited'],
  }),
  agentDone: voidHook<AgentDone>({
    summary: 'A run has ended, however it ended.',
    fields: {
      origin: 'object',
      status: 'string',
      limit: 'string?',
      reason: 'object?',
      error: 'any?',
      text: 'string',
      turnCount: 'number',
      toolCalls: 'number',
      usage: 'object',
    },
    aka: ['agent_end', 'Stop', 'agent_done'],
  }),
  beforeCompaction: modifyingHook<BeforeCompaction, CompactionAmendment>({
    discipline: 'pipeline',
    summary: 'Before a compaction drops messages: it can be vetoed, or its summary supplied.',
    fields: compaction,
    keys: { veto: 'string', summary: 'string' },
    terminal: ['veto', 'summary'],
    firedBy: 'compaction',
    aka: ['before_compaction', 'PreCompact', 'session_before_compact'],
  }),
  afterCompaction: voidHook<AfterCompaction>({
    summary: 'After a compaction was done, failed or vetoed.',
    fields: {
      ...compaction,
      outcome: 'string',
      reason: 'string?',
      tokensAfter: 'number?',
      keptTail: 'number?',
      ms: 'number',
    },
    firedBy: 'compaction',
    aka: ['after_compaction', 'PostCompact', 'session_compact'],
  }),
});
export type AgentHooks = typeof agentHooks;
