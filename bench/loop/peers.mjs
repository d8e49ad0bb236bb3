// Owns how the peers enter a bench: each as its documentation has it, with a model in the process and no tracing.
import { importPeer } from '../peers/import.mjs';
import { contender, deltas, portModel, question, Seen, text, toolArgs, toolName } from './model.mjs';

/** @typedef {import('../measuring/contender.mjs').Contender} Contender */

const description = 'Searches the files.';
const zeroCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** Its low-level loop with an async sink, which is told each delta. @returns {Promise<Contender>} */
export async function pi() {
  const [{ runAgentLoop }, { createAssistantMessageEventStream, Type }] = await Promise.all([
    importPeer('@mariozechner/pi-agent-core'),
    importPeer('@mariozechner/pi-ai'),
  ]);
  const seen = new Seen();
  const model = { id: 'instant', name: 'instant', api: 'bench', provider: 'bench', cost: zeroCost };
  const usage = { input: 10, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: 30, cost: zeroCost };
  /** @param {object} content @param {string} stopReason */
  const message = (content, stopReason) => ({
    role: 'assistant',
    content: [content],
    api: 'bench',
    provider: 'bench',
    model: 'instant',
    usage,
    stopReason,
    timestamp: 0,
  });
  const toolCall = { type: 'toolCall', id: 'call-1', name: toolName, arguments: toolArgs };
  let step = 0;
  const streamFn = () => {
    const stream = createAssistantMessageEventStream();
    if (step++ % 2 === 0) {
      const partial = message(toolCall, 'toolUse');
      stream.push({ type: 'start', partial });
      stream.push({ type: 'toolcall_start', contentIndex: 0, partial });
      stream.push({ type: 'toolcall_end', contentIndex: 0, toolCall, partial });
      stream.push({ type: 'done', reason: 'toolUse', message: partial });
      return stream;
    }
    const content = { type: 'text', text: '' };
    const partial = message(content, 'stop');
    stream.push({ type: 'start', partial });
    stream.push({ type: 'text_start', contentIndex: 0, partial });
    for (const delta of deltas) {
      content.text += delta;
      stream.push({ type: 'text_delta', contentIndex: 0, delta, partial });
    }
    stream.push({ type: 'text_end', contentIndex: 0, content: content.text, partial });
    stream.push({ type: 'done', reason: 'stop', message: partial });
    return stream;
  };
  const tools = [
    {
      name: toolName,
      label: toolName,
      description,
      parameters: Type.Object({ query: Type.String() }),
      execute: async (/** @type {string} */ _id, /** @type {unknown} */ args) => ({
        content: [{ type: 'text', text: seen.search(args) }],
        details: undefined,
      }),
    },
  ];
  const config = { model, convertToLlm: (/** @type {unknown[]} */ messages) => messages };
  const emit = async (/** @type {any} */ event) => {
    if (event.type === 'message_update' && event.assistantMessageEvent.type === 'text_delta') seen.deltas++;
  };
  return contender(seen, async () => {
    const prompt = { role: 'user', content: question, timestamp: 0 };
    const context = { systemPrompt: '', messages: [], tools };
    const messages = await runAgentLoop([prompt], context, config, emit, undefined, streamFn);
    return messages.at(-1).content[0].text;
  });
}

/** @param {(parts: { ai: any, model: any, tools: object, seen: Seen }) => () => Promise<unknown>} make */
const aiSdk =
  (make, wanted = {}) =>
  /** @returns {Promise<Contender>} */
  async () => {
    const [ai, { z }] = await Promise.all([importPeer('ai'), importPeer('zod')]);
    const seen = new Seen();
    const execute = async (/** @type {unknown} */ args) => seen.search(args);
    const tools = { [toolName]: ai.tool({ description, inputSchema: z.object({ query: z.string() }), execute }) };
    const model = portModel(new Seen(), { as: 'readable', version: 'v4' });
    return contender(seen, make({ ai, model, tools, seen }), wanted);
  };

/** `generateText`: nothing is streamed, so there are no deltas. */
export const aiGenerate = aiSdk(
  ({ ai, model, tools }) =>
    async () => {
      const stopWhen = ai.isStepCount?.(5) ?? ai.stepCountIs(5);
      return (await ai.generateText({ model, tools, stopWhen, prompt: question })).text;
    },
  { deltas: 0 },
);

export const aiStream = aiSdk(({ ai, model, tools, seen }) => async () => {
  const stopWhen = ai.isStepCount?.(5) ?? ai.stepCountIs(5);
  const result = ai.streamText({ model, tools, stopWhen, prompt: question });
  for await (const delta of result.textStream) if (delta !== '') seen.deltas++;
  return result.text;
});

/** @returns {Promise<Contender>} */
export async function openaiAgents() {
  const [{ Agent, Runner, tool, setTracingDisabled }, { z }] = await Promise.all([
    importPeer('@openai/agents'),
    importPeer('zod'),
  ]);
  setTracingDisabled(true);
  const seen = new Seen();
  let step = 0;
  const usage = { requests: 1, inputTokens: 10, outputTokens: 20, totalTokens: 30 };
  const call = {
    type: 'function_call',
    callId: 'call-1',
    name: toolName,
    arguments: JSON.stringify(toolArgs),
    status: 'completed',
  };
  const answer = {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text }],
  };
  const model = {
    getResponse: async () => ({ usage, output: [step++ % 2 === 0 ? call : answer] }),
    getStreamedResponse: async function* () {
      const calls = step++ % 2 === 0;
      if (!calls) {
        for (const delta of deltas) {
          seen.deltas++;
          yield { type: 'output_text_delta', delta };
        }
      }
      yield { type: 'response_done', response: { id: 'response', usage, output: [calls ? call : answer] } };
    },
  };
  const search = tool({
    name: toolName,
    description,
    parameters: z.object({ query: z.string() }),
    execute: async (/** @type {unknown} */ args) => seen.search(args),
  });
  const agent = new Agent({ name: 'bench', instructions: '', model, tools: [search] });
  const runner = new Runner({ tracingDisabled: true });
  return contender(seen, async () => {
    const result = await runner.run(agent, question, { stream: true });
    await result.completed;
    return result.finalOutput;
  });
}

/**
 * Its agent as a graph; `invoke` streams nothing, so there are no deltas.
 * @param {number} middlewares that do nothing
 * @returns {() => Promise<Contender>}
 */
export const langchain = (middlewares) => async () => {
  const [{ createAgent, createMiddleware, tool }, { BaseChatModel }, { AIMessage }, { z }] = await Promise.all([
    importPeer('langchain'),
    importPeer('@langchain/core/language_models/chat_models'),
    importPeer('@langchain/core/messages'),
    importPeer('zod'),
  ]);
  const seen = new Seen();
  let step = 0;
  class Instant extends BaseChatModel {
    constructor() {
      super({});
    }
    _llmType() {
      return 'bench';
    }
    bindTools() {
      return this;
    }
    async _generate() {
      const isCall = step++ % 2 === 0;
      const message = isCall
        ? new AIMessage({
            content: '',
            tool_calls: [{ id: 'call-1', name: toolName, args: toolArgs, type: 'tool_call' }],
          })
        : new AIMessage(text);
      return { generations: [{ text: isCall ? '' : text, message }] };
    }
  }
  const search = tool(async (/** @type {unknown} */ args) => seen.search(args), {
    name: toolName,
    description,
    schema: z.object({ query: z.string() }),
  });
  const middleware = Array.from({ length: middlewares }, (_, at) =>
    createMiddleware({ name: `idle-${at}`, beforeModel: async () => undefined }),
  );
  const agent = createAgent({ model: new Instant(), tools: [search], middleware });
  const run = async () => {
    const { messages } = await agent.invoke(
      { messages: [{ role: 'user', content: question }] },
      { recursionLimit: 100 },
    );
    return messages.at(-1).content;
  };
  return contender(seen, run, { deltas: 0 });
};
