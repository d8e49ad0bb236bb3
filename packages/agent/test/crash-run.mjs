// A run of six steps on a file of sessions: what the test runs whole, and what a process runs until it kills itself.
import { appendFileSync } from 'node:fs';

const steps = 6;

/**
 * The model counts the results that it is shown: it asks for one call more each time, and ends behind the fifth.
 * @param {import('@treblehook/types').ModelCallOptions} call
 */
export const nextStep = ({ prompt }) => {
  const results = prompt.filter(({ role }) => role === 'tool').length;
  return results < steps - 1 ? { calls: [{ name: 'note', args: { step: results } }] } : 'all noted';
};

/**
 * @typedef {object} Parts
 * @property {typeof import('@treblehook/types').defineTool} defineTool
 * @property {typeof import('@treblehook/types').agentHooks} agentHooks
 * @property {typeof import('@treblehook/core').createHookRegistry} createHookRegistry
 * @property {typeof import('@treblehook/agent').createAgent} createAgent
 * @property {typeof import('@treblehook/agent/testing').scriptedModel} scriptedModel
 * @property {any} z
 */

/**
 * @param {Parts} parts
 * @param {import('@treblehook/types').SessionStore} store
 * @param {string} effects  a file that gets one line for each body that ran
 * @param {(point: string) => void} at  told every boundary
 */
export function agentOf(
  { defineTool, agentHooks, createHookRegistry, createAgent, scriptedModel, z },
  store,
  effects,
  at,
) {
  const note = defineTool({
    name: 'note',
    description: 'writes it down',
    input: z.object({ step: z.number() }),
    /** @param {any} args */
    async execute({ step }) {
      at(`body ${step} starts`);
      await Promise.resolve();
      appendFileSync(effects, `${step}\n`);
      at(`body ${step} has written`);
      await Promise.resolve();
      return `noted ${step}`;
    },
  });
  const registry = createHookRegistry(agentHooks);
  registry.registerClaiming(
    'toolPolicy',
    () => {
      at('guard');
    },
    { id: 'open' },
  );
  const watched = Object.freeze({
    ...store,
    /** @type {import('@treblehook/types').SessionStore['append']} */
    append: (lease, records) => {
      const what = records.map(({ type }) => type).join('+');
      at(`before ${what}`);
      const seq = store.append(lease, records);
      at(`behind ${what}`);
      return seq;
    },
  });
  const model = scriptedModel(
    Array.from({ length: steps + 1 }, () => (/** @type {any} */ call) => {
      at('model');
      return nextStep(call);
    }),
  );
  return createAgent({ model, registry, tools: [note], store: watched });
}
