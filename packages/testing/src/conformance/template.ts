/** What an action answers: plain JSON with words that take something from the event. */
import type { JsonValue } from '@treblehook/types';
import type { Template } from './fixture.js';
import { wordOf } from './match.js';
import { valueAt } from './pointer.js';

/** Throws for a word that is none, and for a pointer at which nothing stands. */
export function filled(template: Template, event: object): unknown {
  const word = wordOf(template);
  if (word !== undefined) return wordFilled(word.name, word.value, event);
  if (Array.isArray(template)) return template.map((one: Template) => filled(one, event));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, one]) => [key, filled(one!, event)]));
}

function wordFilled(name: string, value: JsonValue, event: object): unknown {
  if (name === '$get' && typeof value === 'string') {
    const found = valueAt(event, value);
    if (found === undefined) throw new TypeError(`'$get': nothing stands at '${value}' of the event`);
    return found;
  }
  if (!Array.isArray(value)) throw new TypeError(`an action has the unknown word '${name}', or gives it no list`);
  const parts: unknown[] = value.map((one: Template) => filled(one, event));
  switch (name) {
    case '$concat':
      return parts.every((part) => Array.isArray(part)) ? parts.flat() : parts.map(String).join('');
    case '$add':
      return parts.reduce<number>((sum, part) => sum + Number(part), 0);
    case '$repeat':
      return String(parts[0]).repeat(Number(parts[1]));
    default:
      throw new TypeError(`an action has the unknown word '${name}'`);
  }
}
