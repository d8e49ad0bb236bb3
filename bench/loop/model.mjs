// Owns the conversation that all contenders hold: one call of a tool, then an answer in 20 deltas, at once.
import assert from 'node:assert/strict';

export const question = 'Which files mention a budget?';
export const toolName = 'search';
export const toolArgs = Object.freeze({ query: 'budget' });
export const toolOutput = 'three files';
export const deltas = Object.freeze(Array.from({ length: 20 }, (_, at) => `word${at} `));
export const text = deltas.join('');

/** What has happened in one run, so that a contender that leaves something out is found out before it is timed. */
export class Seen {
  calls = 0;
  /** @type {unknown} */
  args = undefined;
  deltas = 0;

  /** The tool of all contenders. @param {unknown} args */
  search(args) {
    this.calls++;
    this.args = args;
    return toolOutput;
  }
}

/**
 * A contender whose operation gives the text of the answer.
 * @param {Seen} seen
 * @param {() => Promise<unknown>} run
 * @param {{ calls?: number, deltas?: number }} [wanted]
 * @returns {import('../measuring/contender.mjs').Contender}
 */
export function contender(seen, run, { calls = 1, deltas: wanted = deltas.length } = {}) {
  return {
    run,
    check: async () => {
      for (const nth of ['first', 'second']) {
        Object.assign(seen, new Seen());
        assert.equal(await run(), text, `text of the ${nth} run`);
        assert.equal(seen.calls, calls, `calls of the tool in the ${nth} run`);
        assert.deepEqual({ .../** @type {object} */ (seen.args) }, toolArgs, `arguments in the ${nth} run`);
        assert.equal(seen.deltas, wanted, `deltas that were seen in the ${nth} run`);
      }
    },
  };
}

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 20, text: 20, reasoning: undefined },
};
const callPart = { type: 'tool-call', toolCallId: 'call-1', toolName, input: JSON.stringify(toolArgs) };
const callsEnd = { usage, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } };
const textEnd = { usage, finishReason: { unified: 'stop', raw: 'stop' } };
const callParts = [callPart, { type: 'finish', ...callsEnd }];
const textParts = [
  { type: 'text-start', id: 't' },
  ...deltas.map((delta) => ({ type: 'text-delta', id: 't', delta })),
  { type: 'text-end', id: 't' },
  { type: 'finish', ...textEnd },
];

async function* callStream() {
  for (const part of callParts) yield part;
}
/** @param {Seen} seen */
async function* textStream(seen) {
  for (const part of textParts) {
    if (part.type === 'text-delta') seen.deltas++;
    yield part;
  }
}
/** @param {object[]} parts */
export const readable = (parts) =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
/** Reads what `readable` streams give in one run, and nothing else. */
export async function readBoth() {
  let count = 0;
  for (const parts of [callParts, textParts]) {
    const reader = readable(parts).getReader();
    while (!(await reader.read()).done) count++;
  }
  return count;
}

/**
 * A model port without latency: `steps` tool calls, one after another, then the answer. What it is asked does not count.
 * @param {Seen} seen
 * @param {{ steps?: number, as?: 'generator' | 'readable', version?: 'v3' | 'v4' }} [how]
 * @returns {any}
 */
export function portModel(seen, { steps = 1, as = 'generator', version = 'v3' } = {}) {
  let step = 0;
  const isCall = () => {
    const calls = step < steps;
    step = calls ? step + 1 : 0;
    return calls;
  };
  return {
    specificationVersion: version,
    provider: 'bench',
    modelId: 'instant',
    supportedUrls: {},
    doStream: async () => {
      const calls = isCall();
      if (as === 'generator') return { stream: calls ? callStream() : textStream(seen) };
      if (!calls) seen.deltas += deltas.length;
      return { stream: readable(calls ? callParts : textParts) };
    },
    doGenerate: async () =>
      isCall()
        ? { content: [callPart], ...callsEnd, warnings: [] }
        : { content: [{ type: 'text', text }], ...textEnd, warnings: [] },
  };
}
