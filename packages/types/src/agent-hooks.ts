/** The catalogue of the agent's hook points: exactly those that the loop and its tenants fire. */
import { defineHooks } from './define-hooks.js';
import { compactionHooks } from './hooks-compaction.js';
import { llmHooks } from './hooks-llm.js';
import { sessionHooks } from './hooks-session.js';
import { toolHooks } from './hooks-tool.js';

export const agentHooks = defineHooks(sessionHooks, llmHooks, toolHooks, compactionHooks);
export type AgentHooks = typeof agentHooks;
