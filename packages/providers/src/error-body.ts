/** Reading the body of an error status, and the provider's own words in it. */
import type { Call } from './call.js';

/** Characters of an error body that are read at all. */
const readable = 65_536;
/** ms that an error status waits for its body. */
const patience = 5_000;

/** Reads an error body as far as it is of use, keys taken out; what breaks off or does not end is taken as far as it came. */
export async function errorBody(call: Call, response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let clock: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'late'>((resolve) => {
    clock = setTimeout(resolve, patience, 'late');
  });
  try {
    for (;;) {
      const read = await Promise.race([call.wait(reader.read()), late]);
      if (read === 'late') return call.redact(text, true);
      if (read.done) return call.redact(text);
      text += decoder.decode(read.value, { stream: true });
      if (text.length >= readable) return call.redact(text.slice(0, readable), true);
    }
  } catch {
    return call.redact(text, true); // swallows a broken connection: the status has been said
  } finally {
    clearTimeout(clock);
  }
}

/** The message in `{ error: { message } }` and its likes. */
export function messageIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { error, message, detail } = value as { error?: unknown; message?: unknown; detail?: unknown };
  for (const words of [message, error, detail]) {
    if (typeof words === 'string' && words !== '') return words;
  }
  return messageIn(error);
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // swallows that it is no JSON
  }
}

/** One line of at most `length` characters. */
export function line(text: string, length: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, length);
}
