// Owns docs/reference/shapes.md: the types that several payloads share, as they are written.
import type { ToolOutcome } from '@treblehook/types';
import type { Declarations } from './declarations.mjs';
import { code, generated, page, source, table } from './markdown.mjs';

/** Which shapes there are, below which heading. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Where a payload comes from': ['Origin', 'CallOrigin', 'FromRun', 'FromCall'],
  Messages: ['Message', 'Part', 'TextPart', 'ReasoningPart', 'FilePart', 'ToolCallPart', 'ToolResultPart'],
  Models: ['ModelSettings', 'Job', 'ModelUsage', 'ModelFinishReason', 'ProviderData'],
  Tools: [
    'ToolDescriptor',
    'ToolIdentity',
    'ArgumentKinds',
    'GuardedTool',
    'ToolAnnotations',
    'ToolResult',
    'ToolOutcome',
    'ToolCallRecord',
    'AskRecord',
  ],
  'Waiting for an answer': [
    'Pending',
    'RequestDraft',
    'Request',
    'Answer',
    'ApprovalData',
    'ApprovalAsk',
    'ApprovalAnswer',
  ],
  Verdicts: ['VerdictRecord', 'GuardVerdict', 'VerdictKind', 'Ask', 'HandlerRef'],
  Plans: ['PointDescription', 'PlanRow', 'PlanEdge', 'HookModel', 'Discipline', 'PayloadKind', 'FieldKind'],
  Events: ['HookEvents', 'HandlerFault', 'Stage', 'StageOutcome'],
  JSON: ['JsonValue', 'JsonObject'],
};
export const shapes: ReadonlySet<string> = new Set(Object.values(groups).flat());
/** Said once in words: their declarations are for the compiler. */
const told = new Set(['Frozen', 'HookError', 'ErrorCode']);

const outcomes: Readonly<Record<ToolOutcome, string>> = {
  ok: 'the body, or a supplied result, has answered',
  error:
    'an error result: the tool is unknown, the arguments do not fit, the body threw or said so, a gate of `beforeTool` or `afterTool` failed, or the run failed, or was aborted behind the body, before the call had a result',
  denied: 'a guard, or an `error` of `beforeTool`, refused the call; the body did not run',
  cancelled: 'the run was aborted: the body had not started, or gave up on the signal',
  suspended: 'the call waits for an answer; it has another end when the run is resumed',
  'not-started': 'the run was stopped by a limit or a `halt`, or its process ended, before it came to the call',
  'outcome-unknown':
    'the run was aborted and the body did not give up in time, or its process ended meanwhile: what it has done is not known',
};

/** What is said beside the declaration of a shape. */
const beside: Readonly<Record<string, string>> = {
  ToolOutcome: table(
    ['value', 'means'],
    Object.entries(outcomes).map(([value, means]) => [code(value), means]),
  ),
  PlanRow: [
    '`onError` is what a fault of the handler does: `isolate` (skipped and reported), `abort` (the fire rejects),',
    '`deny` (a guard: the call is denied). `plan` prints it as `on a fault`.',
  ].join('\n'),
  PlanEdge:
    'The state `void` has nothing to do with the model Void: it says that the edge is void, since the list wins.',
  PointDescription: 'What `host.plan()` gives of each point, and what stands in `hooks` of `registry.describe()`.',
  HandlerFault: '`code` is one of the [errors](errors.md), `error` the `HookError` with its message.',
  HookEvents: [
    'What `registry.events.on(type, listener)` tells, by type.',
    "An answer of a guard that is refused is told as `denied`, with `kind: 'invalid'` and the code, and not as `amendmentRefused`;",
    'a guard that throws or is late is told as `handlerFailed` or `handlerTimedOut`, and as `denied` too.',
  ].join('\n'),
  JsonValue: [
    'The type of `args`: narrow it before you read a field.',
    'Sealed arguments inherit from nothing, so ask `Object.hasOwn(args, key)`, not `args.hasOwnProperty(key)`.',
  ].join('\n'),
};

export function shapesPage({ types }: Declarations): string {
  return page([
    generated('the declarations of `@treblehook/types`'),
    '# Shapes',
    [
      'What the payloads of the [hook points](hooks.md) are made of. `@treblehook/types` exports each by its name.',
      'A handler gets its payload as `Frozen<T>`: the same, read-only all the way down, in type and at run time.',
    ].join('\n'),
    ...Object.entries(groups).flatMap(([heading, names]) => [
      `## ${heading}`,
      ...names.flatMap((name) => {
        const declaration = types.get(name);
        if (declaration === undefined) throw new Error(`there is no type '${name}' to show: mend the list of shapes`);
        const missing = declaration.names.find((other) => !shapes.has(other) && !told.has(other));
        if (missing !== undefined) throw new Error(`'${name}' names '${missing}': put it into the list of shapes`);
        return [`### ${name}`, source(declaration), beside[name]];
      }),
    ]),
  ]);
}
