/** The definition of a tool as a server sent it, read and checked. */
import { toolHints, type JsonObject, type ToolAnnotations } from '@treblehook/types';
import { fieldsOf } from './json-fields.js';
import { schemaFault } from './schema-fault.js';

export interface Definition {
  /** As the server calls it. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: ToolAnnotations;
  /** The same for two that say the same, whatever the order of their keys. */
  readonly key: string;
}

export type ReadDefinition =
  | { readonly definition: Definition; readonly fault?: undefined }
  | { readonly name: string; readonly fault: string };

/** Of one definition, in characters of JSON. It stands in every request to the model. */
const maxChars = 64 * 1024;
const maxNameChars = 128;

export function readDefinition(given: unknown): ReadDefinition {
  const fields = fieldsOf(given);
  if (fields === undefined) return { name: '', fault: 'it is no definition' };
  const { name, title, description = '', inputSchema } = fields;
  if (typeof name !== 'string') return { name: '', fault: 'it has no name' };
  const refuse = (fault: string): ReadDefinition => ({ name: name.slice(0, maxNameChars), fault });
  if (!isName(name)) {
    return refuse(`its name must have 1 to ${maxNameChars} characters, none of them invisible, and no space at an end`);
  }
  if (typeof description !== 'string') return refuse('its description is no text');
  if (fieldsOf(fields['execution'])?.['taskSupport'] === 'required')
    return refuse('it can only be run as a task of the server, which is not spoken here');
  const fault = schemaFault(inputSchema);
  if (fault !== undefined) return refuse(`its input schema ${fault}`);
  const annotations = readAnnotations(fields['annotations'], title);
  const definition = { name, description, inputSchema: inputSchema as JsonObject, annotations };
  const key = canonical(definition);
  return key.length > maxChars
    ? refuse(`its definition has ${key.length} characters of JSON, more than ${maxChars}`)
    : { definition: { ...definition, key } };
}

/** Controls, format characters (such as those that turn the direction of a text) and lone surrogates are `C`. */
const isName = (name: string): boolean =>
  name.length > 0 &&
  name.length <= maxNameChars &&
  name.trim() === name &&
  name.normalize('NFC') === name &&
  !/\p{C}|\p{Zl}|\p{Zp}|(?! )\p{Zs}/u.test(name);

/** Hints that are none are passed over. A title may stand in either place. */
function readAnnotations(given: unknown, title: unknown): ToolAnnotations {
  const from = fieldsOf(given) ?? {};
  const named = typeof title === 'string' ? title : from['title'];
  const out: { [key: string]: string | boolean } = {};
  if (typeof named === 'string' && named !== '') out['title'] = named;
  for (const hint of toolHints) {
    const value = from[hint];
    if (typeof value === 'boolean') out[hint] = value;
  }
  return out;
}

/** JSON with its keys in order. What is given comes from JSON and is not nested too deep. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const fields = value as Record<string, unknown>;
  const keys = Object.keys(fields).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(fields[key])}`).join(',')}}`;
}
