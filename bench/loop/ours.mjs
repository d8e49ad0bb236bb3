// Owns how our loop enters a bench: one agent, a new session for each run, its records in the store in memory.
import { createAgent } from '@treblehook/agent';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks } from '@treblehook/types';
import assert from 'node:assert/strict';
import { contender, portModel, question, Seen, toolName } from './model.mjs';

export const makeRegistry = () => createHookRegistry(agentHooks);

/** @param {Seen} seen */
export const searchTool = (seen) => ({
  name: toolName,
  description: 'Searches the files.',
  input: /** @type {const} */ ({
    '~standard': { version: 1, vendor: 'bench', validate: (/** @type {unknown} */ value) => ({ value }) },
  }),
  inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  execute: (/** @type {unknown} */ args) => seen.search(args),
});

/**
 * @param {Seen} seen
 * @param {Partial<import('@treblehook/agent').AgentOptions>} [options]
 * @param {Parameters<typeof portModel>[1]} [model]
 */
export const makeAgent = (seen, options = {}, model = {}) =>
  createAgent({
    model: portModel(seen, model),
    registry: makeRegistry(),
    tools: [searchTool(seen)],
    unguarded: 'a bench of what the loop alone costs',
    ...options,
  });

/**
 * A whole conversation: a session is opened, has one run, is closed.
 * @param {import('@treblehook/agent').Agent} agent
 * @returns {() => Promise<string>}
 */
export const conversation = (agent) => async () => {
  const session = agent.session();
  const { status, text, error } = await session.run(question);
  if (status !== 'done') throw new Error(`the run ended ${status}`, { cause: error });
  await session.close();
  return text;
};

/**
 * Our loop with nothing registered.
 * @param {Parameters<typeof portModel>[1]} [model]
 */
export const bare = (model) => () => {
  const seen = new Seen();
  return contender(seen, conversation(makeAgent(seen, {}, model)));
};

/** The same, its events read by a consumer. */
export const streamed = () => {
  const seen = new Seen();
  const read = new Seen();
  const agent = makeAgent(read);
  read.search = (args) => seen.search(args);
  return contender(seen, async () => {
    const session = agent.session();
    let text = '';
    for await (const event of session.stream(question)) {
      if (event.type === 'text-delta') seen.deltas++;
      else if (event.type === 'done') text = event.result.text;
    }
    await session.close();
    return text;
  });
};

/**
 * Nanoseconds, or bytes, of one of some runs of a session that was opened with a history.
 * @param {number} messages
 * @param {() => number} now what is counted
 */
export const onHistory = (messages, now) => () => {
  const runs = 50;
  const warmUps = 4_000;
  const ageing = 1_000;
  const seen = new Seen();
  const agent = makeAgent(seen);
  const talk = conversation(agent);
  /** @type {import('@treblehook/types').Message[]} */
  const history = Array.from({ length: messages }, (_, at) => ({
    id: `m${at}`,
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text: `message ${at}` }],
  }));
  let nth = 0;
  return {
    repeats: 5,
    value: async () => {
      if (nth === 0) for (let at = 0; at < warmUps; at++) await talk();
      const session = agent.session({ id: `history-${nth++}`, messages: history });
      await session.run(question); // what is done once per session is not asked here
      // others talk until the history has grown old; a forced collection would take away compiled code
      for (let at = 0; at < ageing; at++) await talk();
      Object.assign(seen, new Seen());
      const before = now();
      for (let at = 0; at < runs; at++) await session.run(question);
      const used = now() - before;
      assert.equal(seen.calls, runs, 'calls of the tool');
      assert.equal(session.messages().length, messages + 4 * (runs + 1), 'messages of the session');
      await session.close();
      return used / runs;
    },
  };
};
