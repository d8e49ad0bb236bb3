/** The catalogue of the agent's hook points, in the order of a run: exactly those that the loop and its tenants fire. */
import { defineHooks } from './define-hooks.js';
import { llmHooks } from './hooks-llm.js';
import { closingHooks, openingHooks } from './hooks-session.js';
import { toolHooks } from './hooks-tool.js';

export const agentHooks = defineHooks(openingHooks, llmHooks, toolHooks, closingHooks);
export type AgentHooks = typeof agentHooks;
