/** A small agent's points, for the faults that people reported of such. */
import {
  claimingHook,
  defineHooks,
  modifyingHook,
  voidHook,
  type HookRegistry,
  type VerdictRecord,
} from '@treblehook/types';
import { createHookRegistry } from '../../src/index.js';
import { settle } from './clock.js';

export interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}
export const hooks = defineHooks({
  prompt: modifyingHook<{ readonly input: string }, { system: string; context: readonly string[] }>({
    discipline: 'merge',
    summary: 'A prompt is built.',
    keys: { system: 'string', context: 'strings' },
    collect: ['context'],
  }),
  before: modifyingHook<Call, { args: Readonly<Record<string, unknown>>; result: string }>({
    discipline: 'pipeline',
    summary: 'Before a tool.',
    keys: { args: 'object', result: 'string' },
    terminal: ['result'],
  }),
  policy: claimingHook<Call>({ discipline: 'guard', summary: 'May it run?' }),
  compact: claimingHook<object, { readonly summary: string }>({
    discipline: 'route',
    summary: 'Who summarises.',
    keys: { summary: 'string' },
  }),
  after: voidHook<object>({ summary: 'After a tool.' }),
});
export type Registry = HookRegistry<typeof hooks>;
export const made = (options?: object): Registry => createHookRegistry(hooks, options);
export const call: Call = { tool: 'shell', args: { command: 'rm -rf /' } };
export const ask = (registry: Registry, plugins: readonly string[] | 'all' = 'all'): Promise<VerdictRecord> =>
  settle(registry.fireClaiming('policy', call, plugins));
/** Registers a guard without the compiler, which would refuse most of what these say. */
export const guard = (registry: Registry, answer: unknown, options: object = {}): void =>
  void (registry as any).registerClaiming('policy', typeof answer === 'function' ? answer : () => answer, options);

export const never = (): Promise<never> => new Promise(() => undefined);
export const after = (ms: number): Promise<void> => new Promise((go) => setTimeout(go, ms));
