// Owns the question of what it costs to have the loop at all: milliseconds to import.
import { importing } from '../../measuring/importing.mjs';
import { importPeer } from '../../peers/import.mjs';

export const cases = {
  import: {
    ours: importing(
      () => import('@treblehook/agent'),
      (agent) => agent.createAgent,
    ),
    pi: importing(
      () => importPeer('@mariozechner/pi-agent-core'),
      (pi) => pi.runAgentLoop,
    ),
    'AI SDK': importing(
      () => importPeer('ai'),
      (ai) => ai.generateText,
    ),
    'openai-agents': importing(
      () => importPeer('@openai/agents'),
      (agents) => agents.run,
    ),
    langchain: importing(
      () => importPeer('langchain'),
      (langchain) => langchain.createAgent,
    ),
  },
};
