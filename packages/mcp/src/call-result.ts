/** The result of a call as a server sent it, as the text that a tool result carries. */
import type { JsonObject, ToolResult } from '@treblehook/types';
import { fieldsOf, type Fields } from './json-fields.js';

/** Nesting of structured content that is kept beside the text. */
const maxDepth = 64;

/**
 * What is no text is left out, and the text says so, with its kind and its size. `structuredContent` stands in `metadata`,
 * and in the text when there is no other.
 */
export function resultOf(given: unknown): ToolResult {
  const fields = fieldsOf(given);
  if (fields === undefined) return fault('it is no object');
  const { content = [], structuredContent, isError = false } = fields;
  if (!Array.isArray(content)) return fault('its content is no list');
  if (typeof isError !== 'boolean') return fault("its 'isError' is neither true nor false");
  const blocks = (content as readonly unknown[]).map(fieldsOf);
  const hasText = blocks.some((block) => block?.['type'] === 'text' && block['text'] !== '');
  const parts = blocks.map(textOfBlock);
  if (structuredContent !== undefined && !hasText) parts.push(JSON.stringify(structuredContent));
  const output = parts.filter((part) => part !== '').join('\n');
  const isKept = fieldsOf(structuredContent) !== undefined && isPlain(structuredContent, 0);
  return {
    output: output === '' ? '[the tool answered without content]' : output,
    isError,
    ...(isKept ? { metadata: { structuredContent: structuredContent as JsonObject } } : {}),
  };
}

const fault = (what: string): ToolResult => ({
  output: `the server sent what is no result of a tool: ${what}`,
  isError: true,
});

function textOfBlock(block: Fields | undefined): string {
  if (block === undefined) return '[content that cannot be read was left out]';
  const { type, text, data, mimeType } = block;
  const resource = fieldsOf(block['resource']);
  if (type === 'text') return typeof text === 'string' ? text : '[a text that is none was left out]';
  if (type === 'image' || type === 'audio') return leftOut(`${type} ${word(mimeType)}`, data);
  if (type === 'resource' && resource !== undefined) return textOfResource(resource);
  if (type === 'resource_link') return textOfLink(block);
  return `[content of the kind ${JSON.stringify(word(type))} was left out]`;
}

function textOfResource({ uri, mimeType, text, blob }: Fields): string {
  const what = `resource ${word(uri)}${mimeType === undefined ? '' : ` (${word(mimeType)})`}`;
  return typeof text === 'string' ? `[${what}]\n${text}` : leftOut(what, blob);
}

function textOfLink({ uri, name, description }: Fields): string {
  const about = [name, description].filter((part) => typeof part === 'string' && part !== '').map(word);
  return `[link to ${word(uri)}${about.length === 0 ? '' : `: ${about.join(', ')}`}; it was not read]`;
}

function leftOut(what: string, base64: unknown): string {
  const size = typeof base64 === 'string' ? `${Buffer.byteLength(base64, 'base64')} bytes` : 'of no known size';
  return `[${what}, ${size}, was left out: a result is text]`;
}

/** A short text on one line. */
const word = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 500) : 'unknown';

/** Whether it can stand in a log: what comes from JSON may still have `__proto__` for a key, or half a character. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isWellFormed(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth > maxDepth) return false;
  return Object.entries(value).every(
    ([key, part]) => key !== '__proto__' && isWellFormed(key) && isPlain(part, depth + 1),
  );
}

const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);
