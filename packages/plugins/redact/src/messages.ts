/** The messages of a request without their secrets. Ids, roles and pairing stay what they are. */
import type { Message, Part, ReasoningPart, TextPart } from '@treblehook/types';
import { maskedFile } from './files.js';
import type { Masker } from './masker.js';

/** The list itself when nothing has changed. A system text in front is the host's own: it is passed over. */
export function maskedHistory(
  messages: readonly Message[],
  masker: Masker,
  seen: WeakMap<Message, Message>,
): readonly Message[] {
  const masked = messages.map((message, at) =>
    at === 0 && message.role === 'system' ? message : seenOnce(message, masker, seen),
  );
  return masked.every((message, at) => message === messages[at]) ? messages : masked;
}

/** As the other; there is no host's text among what is injected. */
export function maskedInjected(
  messages: readonly Message[],
  masker: Masker,
  seen: WeakMap<Message, Message>,
): readonly Message[] {
  const masked = messages.map((message) => seenOnce(message, masker, seen));
  return masked.every((message, at) => message === messages[at]) ? messages : masked;
}

function seenOnce(message: Message, masker: Masker, seen: WeakMap<Message, Message>): Message {
  let known = seen.get(message);
  if (known === undefined) {
    known = maskedMessage(message, masker);
    seen.set(message, known);
  }
  return known;
}

function maskedMessage(message: Message, masker: Masker): Message {
  const { content } = message;
  const parts: Part[] = [];
  for (let at = 0; at < content.length;) {
    const { type } = content[at]!;
    let end = at + 1;
    if (type === 'text' || type === 'reasoning') while (content[end]?.type === type) end++;
    const group = content.slice(at, end);
    parts.push(...(isTexts(group) ? maskedTexts(group, masker) : group.map((part) => maskedPart(part, masker))));
    at = end;
  }
  const isSame = parts.length === content.length && parts.every((part, at) => part === content[at]);
  return isSame ? message : { ...message, content: parts };
}

type Texts = readonly (TextPart | ReasoningPart)[];
const isTexts = (parts: readonly Part[]): parts is Texts => parts[0]!.type === 'text' || parts[0]!.type === 'reasoning';

/** Neighbours of one type: a secret may go from one into the next, which is dropped when nothing else was in it. */
function maskedTexts(parts: Texts, masker: Masker): readonly Part[] {
  const texts = masker.texts(parts.map(({ text }) => text));
  return parts.flatMap((part, at): readonly Part[] => {
    const text = texts[at]!;
    if (text === part.text) return [part];
    return text === '' ? [] : [{ type: part.type, text }]; // what a provider wants back was of another text
  });
}

function maskedPart(part: Part, masker: Masker): Part {
  switch (part.type) {
    case 'file':
      return maskedFile(part, masker);
    case 'tool-call': {
      const args = masker.json(part.args);
      return args === part.args ? part : { ...part, args };
    }
    case 'tool-result': {
      const output = masker.text(part.output);
      return output === part.output ? part : { ...part, output };
    }
    default:
      return part;
  }
}
