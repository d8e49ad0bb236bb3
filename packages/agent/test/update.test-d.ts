// The types of an update: what may be replaced, and nothing else.
import type { Agent, AgentUpdate, Personality } from '../src/index.js';

declare const agent: Agent;

export const over: Promise<void> = agent.update({ tools: [], personality: { id: 'p' }, personalities: [] });
void agent.update({});
// @ts-expect-error -- a model is what the agent was made with
void agent.update({ model: 'other' });
// @ts-expect-error -- so is its registry
export const registry: AgentUpdate['registry'] = undefined;

export const limited: Personality = { id: 'p', limits: { steps: 3 } };
// @ts-expect-error -- there is no such limit
export const misspelt: Personality = { id: 'p', limits: { step: 3 } };
