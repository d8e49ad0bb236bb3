/** The default token estimator: cheap, pure, one pass. */
import type { Message, Part } from './message.js';
import type { ToolDescriptor } from './tool.js';

/** Characters per token of English text, by OpenAI's rule of thumb (https://platform.openai.com/tokenizer). */
export const charsPerToken = 4;
/** What a message, or a tool, costs beside its text: role, separators, names. */
const overhead = 4;
/** An image or a document without a text: a middling figure, since no provider counts them alike. */
const filePart = 800;

/**
 * Estimates the tokens of a request: about four characters a token, four more for each message and tool. System text and
 * tool schemas count.
 */
export function estimateTokens(messages: readonly Message[], tools: readonly ToolDescriptor[] = []): number {
  let sum = 0;
  for (const message of messages) {
    let chars = 0;
    for (const part of message.content) chars += charsOf(part);
    sum += overhead + Math.ceil(chars / charsPerToken);
  }
  for (const tool of tools) {
    sum +=
      overhead +
      Math.ceil((tool.name.length + tool.description.length + JSON.stringify(tool.inputSchema).length) / charsPerToken);
  }
  return sum;
}

function charsOf(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text.length;
    case 'tool-call':
      return part.name.length + JSON.stringify(part.args).length;
    case 'tool-result':
      return part.output.length;
    case 'file':
      return filePart * charsPerToken;
  }
}
