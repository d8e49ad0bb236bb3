/** The public names of `@treblehook/types`: contracts, and the few pure functions that go with them. */
export { defineHooks } from './define-hooks.js';
export type {
  Catalogue,
  ClaimingHooks,
  DisciplineOf,
  ModifyingHooks,
  NamesOf,
  PayloadOf,
  ResultOf,
  VoidHooks,
} from './define-hooks.js';
export { budgetRange, isBudget, longestTimerMs } from './budget-limits.js';
export { claimingHook, modifyingHook, voidHook } from './hook-point.js';
export type { Discipline, FieldKind, FieldsOf, HookModel, HookPoint, KeysOf, PayloadKind } from './hook-point.js';
export type {
  Abstain,
  AnswerOf,
  Awaitable,
  CallModel,
  Checked,
  Claim,
  ContextOf,
  HandlerContext,
  HandlerRef,
  Unclaimed,
  Verdict,
  VoidHandler,
} from './handler.js';
export type {
  AnsweringHandler,
  FiredOf,
  HookCaller,
  HookRegistrar,
  OptionsOf,
  PluginList,
  RegisterOptions,
  Unregister,
} from './registrar.js';
export type {
  HandlerFault,
  HookEvents,
  HookEventSource,
  HookRegistry,
  RegistryOptions,
  ScopeOptions,
  Stage,
  StagedHandlers,
  StageOutcome,
} from './registry.js';
export { isHandlerId, isPluginId, reservedIds } from './ids.js';
export type { PlanEdge, PlanRow, PointDescription } from './plan-row.js';
export type { Ask, GuardVerdict, VerdictKind, VerdictRecord } from './verdict.js';
export { errorTable } from './error-table.js';
export type { ErrorCode, ErrorRow } from './error-table.js';
export { HookError, isHookError, textOf } from './errors.js';
export type { ErrorDetails } from './errors.js';
export { matchName } from './match-name.js';
export { didYouMean, nearestName } from './nearest-name.js';
export { isTransientStatus, retryAfterMs } from './transient.js';
export { ownFields } from './own-fields.js';
export { pathSpellingOf, withPathSpelling } from './path-spelling.js';
export type { PathSpelling } from './path-spelling.js';
export { definePlugin } from './plugin.js';
export type { LogLevel, Plugin, PluginApi, PluginLog, PluginSpec, PluginTool, ToolRegistrar } from './plugin.js';
export { isPlainObject } from './plain-object.js';
export { settingsSchema } from './settings-schema.js';
export { givenInline, Setting } from './setting.js';
export type { Locate, SettingPath } from './setting.js';
export { charsPerToken, estimateTokens } from './estimate-tokens.js';
export { tokenTally } from './token-tally.js';
export type { CountTokens } from './token-tally.js';
export { agentHooks } from './agent-hooks.js';
export type { AgentHooks } from './agent-hooks.js';
export { channelHooks } from './hooks-channel.js';
export type {
  BeforeDispatch,
  ChannelHooks,
  ChannelMessage,
  InboundClaim,
  MessageSending,
  MessageSendingAmendment,
  MessageSent,
} from './hooks-channel.js';
export { isHeld } from './session-store.js';
export type { Held, Lease, SessionStore, SessionSummary, SettleOutcome, StoredRecord } from './session-store.js';
export type {
  Chat,
  Grant,
  LoggedCall,
  LoggedClearance,
  LoggedSeal,
  RequestSource,
  SessionRecord,
  Spent,
  TaskParent,
} from './session-record.js';
export { approvalOf } from './approval.js';
export type { ApprovalAnswer, ApprovalAsk, ApprovalData } from './approval.js';
export { pending } from './request.js';
export type { Answer, Pending, Request, RequestDraft } from './request.js';
export { requestFault } from './request-fault.js';
export type { SideCallAnswer, SideCallRequest } from './side-call.js';
export type { AfterCompaction, BeforeCompaction, CompactionAmendment } from './hooks-compaction.js';
export type {
  Job,
  LLMAmendment,
  LLMAnswer,
  LLMAttempt,
  LLMOutcome,
  LLMRequest,
  ModelOutput,
  ModelOutputAmendment,
  ModelSettings,
} from './hooks-llm.js';
export type {
  AgentDone,
  BeforeFinish,
  FinishAmendment,
  MessageReceived,
  PersonalityAmendment,
  PersonalityInForce,
  PersonalityNarrowing,
  PersonalitySwitched,
  PromptAmendment,
  PromptBuild,
  RunInput,
  RunInputAmendment,
  RunLimit,
  RunStatus,
  SessionEnd,
  SessionStart,
} from './hooks-session.js';
export type {
  SubagentAmendment,
  SubagentEnded,
  SubagentSpawned,
  SubagentSpawning,
  TaskBudget,
} from './hooks-subagent.js';
export type {
  AskDetail,
  AskRecord,
  SealedToolCall,
  ToolCallAmendment,
  ToolCallRecord,
  ToolCallResult,
  ToolCallStart,
  ToolEnd,
  ToolEndWithPath,
  ToolOutcome,
  ToolResultAmendment,
} from './hooks-tool.js';
export { historyFault } from './history.js';
export { messageFault } from './message-fault.js';
export { settingsFault } from './settings-fault.js';
export type { JsonObject, JsonValue } from './json.js';
export type { FilePart, Message, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart } from './message.js';
export type {
  IgnoredPart,
  ModelCallOptions,
  ModelFilePart,
  ModelFinishReason,
  ModelMessage,
  ModelPort,
  ModelReasoningPart,
  ModelStreamPart,
  ModelStreamResult,
  ModelTextPart,
  ModelTool,
  ModelToolCallPart,
  ModelToolChoice,
  ModelToolResultPart,
  ModelUsage,
  ProviderData,
  ReadableLike,
} from './model-port.js';
export type { CallOrigin, FromCall, FromRun, Origin } from './origin.js';
export type { SchemaIssue, SchemaOutput, SchemaResult, StandardSchema } from './standard-schema.js';
export { specialIpv4, specialIpv6 } from './special-addresses.js';
export { defineTool, toolHints } from './tool.js';
export type {
  ArgumentKinds,
  GuardedTool,
  Tool,
  ToolAnnotations,
  ToolAnswer,
  ToolContext,
  ToolDescriptor,
  ToolIdentity,
  ToolResult,
} from './tool.js';
export { toolResultFault } from './tool-result-fault.js';
export type { Frozen } from './frozen.js';
