/** Transcripts and requests for the tests of this package. */
import {
  agentHooks,
  type AfterCompaction,
  type BeforeCompaction,
  type LLMRequest,
  type Message,
  type Part,
} from '@treblehook/types';
import { createHookRegistry } from '@treblehook/core';
import { install, type CompactionTenantOptions } from '../src/index.js';

let ids = 0;
const message = (role: Message['role'], content: Part[], more: Partial<Message> = {}): Message => ({
  id: `m${++ids}`,
  role,
  content,
  ...more,
});
export const system = (text: string): Message => message('system', [{ type: 'text', text }]);
export const user = (text: string, more?: Partial<Message>): Message => message('user', [{ type: 'text', text }], more);
export const assistant = (text: string, more?: Partial<Message>): Message =>
  message('assistant', [{ type: 'text', text }], more);
/** An assistant message with calls, and one tool message for each. */
export function group(names: string[], output: string, more: Partial<Message> = {}): Message[] {
  const calls = names.map((name) => ({ type: 'tool-call' as const, callId: `c${++ids}`, name, args: { path: name } }));
  return [
    message('assistant', calls, more),
    ...calls.map(({ callId, name }) =>
      message('tool', [{ type: 'tool-result', callId, name, output, isError: false }]),
    ),
  ];
}

/** One system text and 40 user/assistant pairs of 200 characters. */
export const eightyOne = (): Message[] => [
  system('You answer in one sentence.'),
  ...Array.from({ length: 40 }, (_, at) => [
    user(`question ${at} `.padEnd(200, 'q')),
    assistant(`answer ${at} `.padEnd(200, 'a')),
  ]).flat(),
];

/** One system text, then 30 times user, assistant call, tool result, assistant. */
export const hundredTwentyOne = (): Message[] => [
  system('You read files.'),
  ...Array.from({ length: 30 }, (_, at) => [
    user(`read file ${at} `.padEnd(200, 'q')),
    ...group([`file-${at}`], `content ${at} `.padEnd(400, 'c')),
    assistant(`file ${at} says `.padEnd(200, 'a')),
  ]).flat(),
];

export function request(messages: readonly Message[], more: Partial<LLMRequest> = {}): LLMRequest {
  return {
    origin: { runId: 'run-1', sessionId: 's', agentPath: ['agent'], personality: 'p', turn: 0 },
    messages,
    tools: [],
    toolSet: [],
    model: 'm',
    models: ['m'],
    settings: {},
    inject: [],
    ...more,
  };
}

/** A real registry with the tenant, and what it told. */
export function house(options: CompactionTenantOptions) {
  const registry = createHookRegistry(agentHooks);
  const told: (({ hook: 'before' } & BeforeCompaction) | ({ hook: 'after' } & AfterCompaction))[] = [];
  registry.registerModifying('beforeCompaction', (event) => void told.push({ hook: 'before', ...event }));
  registry.registerVoid('afterCompaction', (event) => void told.push({ hook: 'after', ...event }));
  const uninstall = install(registry, options);
  registry.verify();
  return {
    registry,
    told,
    uninstall,
    outcomes: () => told.flatMap((event) => (event.hook === 'after' ? [event.outcome] : [])),
    fire: async (payload: LLMRequest, signal?: AbortSignal) =>
      registry
        .scoped(signal === undefined ? { plugins: 'all' } : { plugins: 'all', signal })
        .fireModifying('beforeLLM', payload),
  };
}

export const textOf = (message: { content: readonly { type: string; text?: string }[] } | undefined): string =>
  message?.content.map((part) => part.text ?? '').join('') ?? '';

/** A promise and its two ends. */
export function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => ((resolve = yes), (reject = no)));
  return { promise, resolve, reject };
}
