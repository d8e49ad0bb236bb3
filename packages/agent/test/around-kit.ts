/** What the tests of `around` start from: an agent with wrappers, whose ends, log and guards are kept. */
import type { SessionRecord, SessionStore, Tool, ToolEnd } from '@treblehook/types';
import { memoryStore, type AgentOptions, type Around, type RunResult } from '../src/index.js';
import type { ScriptedStep } from '../src/testing/index.js';
import { kit } from './kit.js';

/** Resolves to what it rejected with. */
export const faultOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'nothing',
    (error: unknown) => error,
  );

export const said = (args: unknown): string => (args as { readonly text: string }).text;

export function wrapped(
  script: readonly ScriptedStep[],
  around: Around | undefined,
  options: Partial<Omit<AgentOptions, 'model' | 'around'>> & { readonly tools?: readonly Tool[] } = {},
) {
  const store: SessionStore = options.store ?? memoryStore();
  const made = kit(script, { ...options, store, ...(around && { around }) });
  const ends: ToolEnd[] = [];
  const order: string[] = [];
  made.registry.registerVoid('toolEnd', (end) => {
    ends.push(end);
    order.push(`toolEnd ${end.outcome}`);
  });
  const session = made.agent.session('s');
  const log = async (): Promise<readonly SessionRecord[]> => (await store.read('s')).map(({ record }) => record);
  const run = (options?: Parameters<typeof session.run>[1]): Promise<RunResult> => session.run('go', options);
  return { ...made, store, session, ends, order, log, run };
}
