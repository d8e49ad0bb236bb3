/** Messages in short form, there and back: without ids, and with a text in place of parts. */
import { historyFault, type Message, type ModelMessage, type Part } from '@treblehook/types';
import type { ShortMessage, Transcript } from './fixture.js';

/** The messages that a transcript stands for. */
export function messagesOf(transcript: Transcript): readonly Message[] {
  return transcript.flatMap((entry) =>
    'repeat' in entry
      ? Array.from({ length: entry.repeat }, (_, at) => entry.messages.map((one) => messageOf(one, at))).flat()
      : [messageOf(entry, 0)],
  );
}

function messageOf(short: ShortMessage, at: number): Message {
  const numbered = JSON.parse(JSON.stringify(short).replaceAll('{i}', String(at))) as ShortMessage;
  const { role, text, pad = 0, calls = [], results = [], pinned } = numbered;
  const content: Part[] = [
    ...(text === undefined ? [] : [{ type: 'text' as const, text: text.padEnd(pad, '.') }]),
    ...calls.map(({ id = '', name, args }) => ({ type: 'tool-call' as const, callId: id, name, args })),
    ...results.map(({ id = '', name, output, isError = false }) => ({
      type: 'tool-result' as const,
      callId: id,
      name,
      output,
      isError,
    })),
  ];
  return { role, content, ...(pinned === undefined ? {} : { pinned }) };
}

/** A history as it is compared: `whole` when each result stands behind its call and no call is open. */
export const shortHistory = (messages: readonly Message[]): object => ({
  messages: shortMessages(messages),
  whole: historyFault(messages) === undefined,
});

export const shortMessages = (messages: readonly Message[]): readonly ShortMessage[] => messages.map(shortOf);

function shortOf({ role, content, pinned }: Message): ShortMessage {
  const texts: string[] = [];
  const calls: NonNullable<ShortMessage['calls']>[number][] = [];
  const results: NonNullable<ShortMessage['results']>[number][] = [];
  for (const part of content) {
    if (part.type === 'text') texts.push(part.text);
    else if (part.type === 'tool-call') calls.push({ name: part.name, args: part.args });
    else if (part.type === 'tool-result') {
      results.push({ name: part.name, output: part.output, ...(part.isError ? { isError: true } : {}) });
    }
  }
  return {
    role,
    ...(texts.length === 0 ? {} : { text: texts.join('') }),
    ...(calls.length === 0 ? {} : { calls }),
    ...(results.length === 0 ? {} : { results }),
    ...(pinned === undefined ? {} : { pinned }),
  };
}

/** A prompt of the model's port in the shape of the loop. */
export const messagesOfPrompt = (prompt: readonly ModelMessage[]): readonly Message[] =>
  prompt.map(({ role, content }): Message => {
    if (typeof content === 'string') return { role, content: [{ type: 'text', text: content }] };
    return { role, content: content.flatMap((part) => partOf(part)) };
  });

type PromptPart = Exclude<ModelMessage['content'], string>[number];
function partOf(part: PromptPart): readonly Part[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'tool-call':
      return [{ type: 'tool-call', callId: part.toolCallId, name: part.toolName, args: part.input as never }];
    case 'tool-result': {
      const { toolCallId, toolName, output } = part;
      const isError = output.type === 'error-text';
      return [{ type: 'tool-result', callId: toolCallId, name: toolName, output: output.value, isError }];
    }
    default: // reasoning and files: no fixture has any
      return [];
  }
}
