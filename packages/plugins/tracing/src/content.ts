/** Texts of a conversation as attributes, in the form of the conventions; only for those who ask for them. */
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
} from '@opentelemetry/semantic-conventions/incubating';
import type { Frozen, LLMAttempt, Message, ModelFinishReason, Part, ToolResult } from '@treblehook/types';
import type { Attributes } from './attributes.js';

/** Characters of one attribute: thousands of spans may wait to be sent. */
const mostChars = 32_768;
const cut = (text: string): string => (text.length <= mostChars ? text : `${text.slice(0, mostChars)}…`);

/** The last messages that fit; how many were left out stands beside them. */
export function requestContent({ messages, inject }: Frozen<LLMAttempt>): Attributes {
  const all = [...messages, ...inject] as readonly Message[];
  const kept: string[] = [];
  let left = mostChars;
  for (let at = all.length - 1; at >= 0; at--) {
    const text = JSON.stringify(spelled(all[at]!));
    left -= text.length;
    if (left < 0 && kept.length > 0) break;
    kept.unshift(text);
  }
  const omitted = all.length - kept.length;
  return {
    [ATTR_GEN_AI_INPUT_MESSAGES]: `[${kept.join(',')}]`,
    ...(omitted === 0 ? {} : { 'treblehook.content.omitted': omitted }),
  };
}

export const inputContent = (message: Frozen<Message>): Attributes => ({
  [ATTR_GEN_AI_INPUT_MESSAGES]: JSON.stringify([spelled(message)]),
});

export const outputContent = (message: Frozen<Message>, finish: Frozen<ModelFinishReason> | undefined): Attributes => ({
  [ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify([
    { ...spelled(message), ...(finish === undefined ? {} : { finish_reason: finish.unified }) },
  ]),
});

export const messageContent = (text: string): Attributes => ({
  [ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: cut(text) }] }]),
});

export const resultContent = ({ output }: Frozen<ToolResult>): Attributes => ({
  [ATTR_GEN_AI_TOOL_CALL_RESULT]: cut(output),
});

const spelled = ({ role, content }: Message): object => ({ role, parts: content.map(partOf) });

function partOf(part: Part): object {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, content: cut(part.text) };
    case 'file':
      return { type: 'blob', mime_type: part.mediaType }; // never its bytes
    case 'tool-call': {
      const args = JSON.stringify(part.args);
      const fits = args.length <= mostChars;
      return { type: 'tool_call', id: part.callId, name: part.name, arguments: fits ? part.args : cut(args) };
    }
    case 'tool-result':
      return { type: 'tool_call_response', id: part.callId, response: cut(part.output) };
  }
}
