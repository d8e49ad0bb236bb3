/** The agent under test. Its model and its tools' doings are parameters: that is all it takes to test an agent. */
import { createAgent, type Agent } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, defineTool, type ModelPort } from '@treblehook/types';
import { z } from 'zod';

const limit = 50;

export function createDesk(model: ModelPort, pay: (order: string, euros: number) => void): Agent {
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming(
    'toolPolicy',
    ({ tool, args }) => {
      if (tool.name !== 'refund') return undefined;
      const { euros } = args as { readonly euros: number };
      return euros > limit ? { deny: `more than ${limit} euros: a person decides` } : undefined;
    },
    { id: 'refund-limit' },
  );
  const refund = defineTool({
    name: 'refund',
    description: 'Pays money back.',
    input: z.object({ order: z.string(), euros: z.number().positive() }),
    execute({ order, euros }) {
      pay(order, euros);
      return `${euros} euros are paid back for ${order}`;
    },
  });
  return createAgent({ model, registry, tools: [refund] });
}
