/** The public names of `@treblehook/agent`. */
export type {
  Agent,
  AgentLimits,
  AgentOptions,
  AgentUpdate,
  Answerer,
  Clock,
  Ids,
  Personality,
  ResumeOptions,
  RetryOptions,
  RunOptions,
  Session,
  SessionGrant,
  SessionOptions,
} from './contract.js';
export type { AgentDescription } from './description.js';
export type { AgentEvent, AgentStream, RunResult, RunToolCall } from './run/run-told.js';
export type {
  Around,
  AroundToolCall,
  AroundTurn,
  LLMCallChange,
  LLMCallDone,
  LLMCallProposal,
  ToolCallChange,
  ToolCallDone,
  ToolCallProposal,
  TurnDone,
} from './around.js';
export { toolCallSteps } from './around.js';
export { createAgent } from './agent.js';
export { assertTool } from './door/assert-tool.js';
export { defaultPersonality } from './read-personalities.js';
export { createRuntime } from './runtime/runtime.js';
export type {
  AgentDefinition,
  Fetch,
  ModelPorts,
  ModelSource,
  Runtime,
  RuntimeDescription,
  RuntimeOptions,
  ShutdownOptions,
  ShutdownReport,
  Stuck,
} from './runtime/runtime-contract.js';
export type {
  Channel,
  ChannelRuntime,
  ChannelRuntimeOptions,
  Received,
  ReceiveOptions,
  Replied,
  Route,
} from './runtime/channel.js';
export { memoryStore } from './store/memory-store.js';
export type { MemoryStoreOptions } from './store/memory-store.js';
export { chainHooks } from './chain-hooks.js';
export type { AfterLLMEvent, AfterToolEvent, BeforeLLMEvent, BeforeToolEvent, Hooks } from './hooks.js';
export type { Metric, MetricSink, MetricTokens, Price } from './run/metrics.js';
export { offlineModel } from './offline/offline-model.js';
export type { OfflineModelOptions } from './offline/offline-model.js';
export { auditSession } from './session/audit.js';
export type {
  AuditedAnswer,
  AuditedEdit,
  AuditedAsk,
  AuditedCall,
  AuditedRequest,
  AuditProblem,
  SessionAudit,
} from './session/audit-contract.js';
export { readSession } from './session/read-session.js';
export type { CallEnd, CallView, QuestionView, RunView, SessionView, TurnView } from './session/session-view.js';
