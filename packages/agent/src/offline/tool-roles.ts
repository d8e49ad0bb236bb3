/** Which offered tool lists, which reads, which searches: told by its name and its schema. */
import type { ModelTool } from '@treblehook/types';
import { wordsOf } from './words.js';

/** A tool that takes one text of ours, and the name of that argument. */
export interface Role {
  readonly tool: ModelTool;
  readonly argument: string;
  /** Arguments that are always given. */
  readonly fixed: Readonly<Record<string, unknown>>;
}

export interface Roles {
  readonly list: Role | undefined;
  readonly read: Role | undefined;
  readonly search: Role | undefined;
}

const folderNames = ['path', 'dir', 'directory', 'folder', 'dir_path', 'directory_path', 'root', 'target', 'uri'];
const fileNames = ['path', 'file', 'filename', 'file_path', 'filepath', 'fileName', 'filePath', 'name', 'uri'];
const queryNames = ['query', 'pattern', 'text', 'q', 'regex', 'search', 'term', 'keyword', 'needle'];
const fileWords = new Set([
  'file',
  'files',
  'text',
  'dir',
  'directory',
  'directories',
  'folder',
  'folders',
  'document',
  'documents',
  'entries',
]);

export function rolesOf(tools: readonly ModelTool[]): Roles {
  return {
    list: roleOf(tools, ['list', 'ls', 'dir', 'tree', 'readdir', 'glob'], folderNames, { recursive: true }),
    read: roleOf(tools, ['read', 'cat', 'open', 'view', 'get'], fileNames, {}),
    search: roleOf(tools, ['search', 'grep', 'find', 'rg'], queryNames, {}),
  };
}

function roleOf(
  tools: readonly ModelTool[],
  verbs: readonly string[],
  names: readonly string[],
  wanted: Readonly<Record<string, unknown>>,
): Role | undefined {
  for (const tool of tools) {
    const words = wordsOf(tool.name);
    if (!words.some((word) => verbs.includes(word))) continue;
    if (words.length > 1 && !words.some((word) => fileWords.has(word))) continue;
    const { properties, required } = schemaOf(tool);
    const argument = names.find((name) => typeOf(properties[name]) === 'string');
    if (argument === undefined) continue;
    const fixed: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(wanted))
      if (typeOf(properties[name]) === typeof value) fixed[name] = value;
    const others = required.filter((name) => name !== argument && !(name in fixed));
    if (others.every((name) => (fixed[name] = anyValue(properties[name])) !== undefined))
      return { tool, argument, fixed };
  }
  return undefined;
}

export interface Schema {
  readonly properties: Readonly<Record<string, Record<string, unknown>>>;
  readonly required: readonly string[];
}

export function schemaOf({ inputSchema }: ModelTool): Schema {
  const { properties, required } = inputSchema;
  return {
    properties: typeof properties === 'object' && properties !== null ? properties : {},
    required: Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [],
  };
}

export function typeOf(property: Record<string, unknown> | undefined): unknown {
  const type = property?.['type'];
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type;
}

/** A value that a schema itself names, for an argument of which nothing is known. */
export function anyValue(property: Record<string, unknown> | undefined): unknown {
  if (property === undefined) return undefined;
  if ('default' in property) return property['default'];
  if ('const' in property) return property['const'];
  if (Array.isArray(property['enum'])) return property['enum'][0];
  return undefined;
}
