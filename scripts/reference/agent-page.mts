// Owns docs/reference/agent.md: the public types of the agent and of its sessions' logs, as they are written.
import type { Declaration, Declarations } from './declarations.mjs';
import { generated, page, source } from './markdown.mjs';
import { shapes } from './shapes-page.mjs';

/** Which types of the agent there are, below which heading; each that its index exports is in one. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'An agent': ['AgentOptions', 'Personality', 'AgentLimits', 'RetryOptions', 'Price', 'Answerer', 'Clock', 'Ids'],
  'What an agent gives': [
    'Agent',
    'AgentUpdate',
    'AgentDescription',
    'Session',
    'SessionGrant',
    'SessionOptions',
    'RunOptions',
    'ResumeOptions',
  ],
  'A run': ['RunResult', 'RunToolCall', 'AgentStream', 'AgentEvent', 'Metric', 'MetricTokens', 'MetricSink'],
  'Several agents': [
    'RuntimeOptions',
    'AgentDefinition',
    'ModelPorts',
    'ModelSource',
    'Runtime',
    'RuntimeDescription',
    'ShutdownOptions',
    'ShutdownReport',
    'Stuck',
  ],
  Channels: [
    'ChannelRuntimeOptions',
    'ChannelRuntime',
    'Channel',
    'Fetch',
    'Route',
    'ReceiveOptions',
    'Received',
    'Replied',
  ],
  'Plain hooks': ['Hooks', 'BeforeLLMEvent', 'AfterLLMEvent', 'BeforeToolEvent', 'AfterToolEvent'],
  'Around the registered': [
    'Around',
    'AroundToolCall',
    'ToolCallChange',
    'ToolCallDone',
    'ToolCallProposal',
    'LLMCallChange',
    'LLMCallDone',
    'LLMCallProposal',
    'AroundTurn',
    'TurnDone',
  ],
  'What is read from a log': [
    'SessionAudit',
    'AuditedCall',
    'AuditedRequest',
    'AuditedAnswer',
    'AuditedEdit',
    'AuditedAsk',
    'AuditProblem',
    'SessionView',
    'RunView',
    'TurnView',
    'CallView',
    'CallEnd',
    'QuestionView',
  ],
  'What comes with it': ['MemoryStoreOptions', 'OfflineModelOptions'],
};
/** Of `@treblehook/types`; what they name, and no other page shows, stands behind them. */
const ofTypes = ['SessionStore', 'SessionSummary', 'StoredRecord', 'SessionRecord', 'Grant'];

/** `agent`: what `readPublic` gives. */
export function agentPage({ types, points }: Declarations, agent: ReadonlyMap<string, Declaration>): string {
  const listed = new Set(Object.values(groups).flat());
  const forgotten = [...agent.values()].find(({ isPublic, name }) => isPublic === true && !listed.has(name));
  if (forgotten !== undefined)
    throw new Error(`the agent exports '${forgotten.name}': put it into the list of the page of the agent`);
  const elsewhere = new Set([...shapes, ...[...points.values()].flat(), 'Frozen', 'HookError', 'ErrorCode']);
  const shown = new Set<string>();
  const section = (
    name: string,
    from: ReadonlyMap<string, Declaration>,
    goesOn: (other: string) => boolean,
  ): string[] => {
    const declaration = from.get(name);
    if (declaration === undefined) throw new Error(`there is no type '${name}' to show: mend the list of the agent`);
    if (shown.has(name)) return [];
    shown.add(name);
    const behind = declaration.names.filter(goesOn).flatMap((other) => section(other, from, goesOn));
    return [`### ${declaration.name}`, source(declaration), ...behind];
  };
  return page([
    generated('the declarations of `@treblehook/agent` and `@treblehook/types`'),
    '# The agent',
    [
      'What a program that runs agents is written against. `@treblehook/agent` exports each by its name, but for those that only',
      'others are made of; [shapes](shapes.md) and [hook points](hooks.md) have what the hooks carry.',
    ].join('\n'),
    ...Object.entries(groups).flatMap(([heading, names]) => [
      `## ${heading}`,
      ...names.flatMap((name) => section(name, agent, (other) => !listed.has(other))),
    ]),
    '## Stores and their records',
    'Exported by `@treblehook/types`.',
    ...ofTypes.flatMap((name) => section(name, types, (other) => !elsewhere.has(other) && !ofTypes.includes(other))),
  ]);
}
