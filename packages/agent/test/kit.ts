/** What the tests of the loop start from: a registry, a guard that passes, an agent with a scripted model. */
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool, type AgentHooks, type HookRegistry, type Message, type Tool } from '@treblehook/types';
import { z } from 'zod';
import { createAgent, type Agent, type AgentEvent, type AgentOptions, type RunResult } from '../src/index.js';
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '../src/testing/index.js';

export interface Kit {
  readonly registry: HookRegistry<AgentHooks>;
  readonly model: ScriptedModel;
  readonly agent: Agent;
}

export function registryWithGuard(): HookRegistry<AgentHooks> {
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming('toolPolicy', () => undefined, { id: 'open' });
  return registry;
}

type Extra = Omit<Partial<AgentOptions>, 'model'>;

export function kit(script: readonly ScriptedStep[], options: Extra = {}): Kit {
  const registry = options.registry ?? registryWithGuard();
  const model = scriptedModel(script);
  return { registry, model, agent: createAgent({ model, ...options, registry }) };
}

/** A tool that says its argument back and counts its runs. */
export function echo(name = 'echo'): { readonly tool: Tool; readonly ran: unknown[] } {
  const ran: unknown[] = [];
  const tool = defineTool({
    name,
    description: 'says it back',
    input: z.object({ text: z.string() }),
    execute(args) {
      ran.push(args);
      return `said ${args.text}`;
    },
  });
  return { tool, ran };
}

export const call = (name: string, args: unknown = { text: 'hi' }): ScriptedStep => ({ calls: [{ name, args }] });
export const calls = (
  ...names: readonly (string | { readonly name: string; readonly args: unknown })[]
): ScriptedStep => ({
  calls: names.map((one) => (typeof one === 'string' ? { name: one, args: { text: 'hi' } } : one)),
});

export async function collect(
  stream: AsyncGenerator<AgentEvent, RunResult>,
): Promise<{ readonly events: AgentEvent[]; readonly result: RunResult }> {
  const events: AgentEvent[] = [];
  for (;;) {
    const next = await stream.next();
    if (next.done === true) return { events, result: next.value };
    events.push(next.value);
  }
}

/** Lets everything that is ready go on. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const textOf = ({ content }: Message): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('');
