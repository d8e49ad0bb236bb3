// Owns the floor: the least code that holds the same conversation, with nothing checked, kept, logged or told.
import { portModel, question, toolName } from './model.mjs';

/**
 * @param {import('./model.mjs').Seen} seen
 * @returns {() => Promise<string>}
 */
export function floor(seen) {
  const model = portModel(seen);
  const tools = new Map([[toolName, async (/** @type {unknown} */ args) => seen.search(args)]]);
  return async () => {
    /** @type {object[]} */
    const messages = [{ role: 'user', content: question }];
    for (;;) {
      const { stream } = await model.doStream({ prompt: messages });
      let text = '';
      const calls = [];
      for await (const part of stream) {
        if (part.type === 'text-delta') text += part.delta;
        else if (part.type === 'tool-call') calls.push(part);
      }
      messages.push({ role: 'assistant', content: text, calls });
      if (calls.length === 0) return text;
      for (const { toolCallId, toolName: name, input } of calls) {
        messages.push({ role: 'tool', toolCallId, output: await tools.get(name)?.(JSON.parse(input)) });
      }
    }
  };
}
