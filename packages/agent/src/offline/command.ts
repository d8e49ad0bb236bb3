/** Calls that the question orders by name: `run_command ls`, `delete notes.txt`. */
import type { ModelTool } from '@treblehook/types';
import { anyValue, schemaOf, typeOf } from './tool-roles.js';
import { pathsIn, wordsOf } from './words.js';

export interface Command {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Orders {
  readonly commands: readonly Command[];
  /** What was ordered and cannot be done, a sentence each. */
  readonly refusals: readonly string[];
  /** The question without its orders. */
  readonly rest: string;
}

const leadIn =
  /^(?:(?:please|now|first|next|then|and|also|finally|after that|can you|could you|would you|i want you to|let's|try to|use|call|invoke|the tool|the|tool)\b[\s,:]*)+/i;

const verbsOfClauses =
  'tell|say|show|list|read|explain|describe|what|which|how|where|who|why|find|search|look|sum|summari[sz]e|give|delete|remove|erase|run|execute|use|call|write|create|save|move|rename|copy|send|fetch|download';
const boundary = new RegExp(
  `\\n+|(?<=[.!?])\\s+|,?\\s+(?:and\\s+)?then\\s+|,?\\s+and\\s+(?=(?:${verbsOfClauses})\\b)`,
  'i',
);

/** What an order may be called, and what the name of a tool may have for it. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  delete: ['delete', 'remove', 'rm', 'unlink'],
  remove: ['delete', 'remove', 'rm', 'unlink'],
  erase: ['delete', 'remove', 'rm', 'unlink'],
  run: ['run', 'exec', 'execute', 'command', 'shell', 'bash'],
  execute: ['run', 'exec', 'execute', 'command', 'shell', 'bash'],
  write: ['write', 'create', 'save'],
  create: ['create', 'write', 'save'],
  save: ['save', 'write', 'create'],
  move: ['move', 'rename', 'mv'],
  rename: ['rename', 'move', 'mv'],
  copy: ['copy', 'cp'],
  send: ['send', 'post'],
  fetch: ['fetch', 'get', 'download'],
  download: ['download', 'fetch'],
};
const commandNames = ['command', 'cmd', 'script', 'shell', 'code'];
const pathNames = /path|file|dir|folder|target|source|name/i;

/** Characters in which orders are looked for; what is pasted behind them gives none. */
const longest = 4_000;

/** Splits the question into orders and the rest. Quoted text is never split. */
export function ordersIn(question: string, tools: readonly ModelTool[]): Orders {
  const commands: Command[] = [];
  const refusals: string[] = [];
  const rest: string[] = [];
  for (const clause of [...clausesOf(question.slice(0, longest)), question.slice(longest)]) {
    const order = clause.replace(leadIn, '').trim();
    const named = namedTool(order, tools);
    const meant = named === undefined ? meantTool(order, tools) : { tool: named, text: order.slice(named.name.length) };
    if (meant === undefined) {
      rest.push(clause);
      continue;
    }
    if (meant.tool === undefined) {
      refusals.push(`No offered tool can ${firstWord(order)}: nothing was done for "${order.slice(0, 120)}".`);
      continue;
    }
    const { tool, text } = meant;
    const input = inputOf(tool, text.trim());
    if (input !== undefined) commands.push({ tool: tool.name, input });
    else if (named === undefined) rest.push(clause);
    else
      refusals.push(
        `The arguments of ${tool.name} cannot be told from the question: write them as JSON behind its name.`,
      );
  }
  return { commands, refusals, rest: rest.join(' ').trim() };
}

function clausesOf(question: string): readonly string[] {
  const quoted: string[] = [];
  const masked = question.replaceAll(
    /`[^`\n]*`|"[^"\n]*"|\{[^\n]*\}/g,
    (text) => `\u0000${quoted.push(text) - 1}\u0000`,
  );
  return masked
    .split(boundary)
    .map((clause) => clause.replaceAll(/\0(\d+)\0/g, (_, at: string) => quoted[Number(at)]!).trim())
    .filter((clause) => clause !== '');
}

function namedTool(order: string, tools: readonly ModelTool[]): ModelTool | undefined {
  const lower = order.toLowerCase();
  return tools
    .filter(
      ({ name }) =>
        /[_-]|[a-z][A-Z]/.test(name) &&
        lower.startsWith(name.toLowerCase()) &&
        !/^[\w-]/.test(order.slice(name.length)),
    )
    .sort((a, b) => b.name.length - a.name.length)[0];
}

/** `tool: undefined`: it is an order, and no tool can do it. */
function meantTool(
  order: string,
  tools: readonly ModelTool[],
): { readonly tool: ModelTool | undefined; readonly text: string } | undefined {
  const verb = firstWord(order);
  const names = Object.hasOwn(verbs, verb) ? verbs[verb]! : undefined;
  const text = order.slice(verb.length);
  if (names === undefined || (pathsIn(text).length === 0 && !/[`"]|^\s*[a-z]+ -/.test(text))) return undefined;
  return { tool: tools.find(({ name }) => wordsOf(name).some((word) => names.includes(word))), text };
}

const firstWord = (order: string): string => /^[a-z]+/i.exec(order)?.[0].toLowerCase() ?? '';

/** Arguments from JSON, from `name=value`, or from the one text that a tool needs; `undefined` when some are missing. */
function inputOf(tool: ModelTool, text: string): Readonly<Record<string, unknown>> | undefined {
  const { properties, required } = schemaOf(tool);
  const json = /\{.*\}/s.exec(text)?.[0];
  if (json !== undefined) {
    try {
      return JSON.parse(json) as Readonly<Record<string, unknown>>;
    } catch {
      // swallows braces that are no JSON: they may belong to the text itself
    }
  }
  const input: Record<string, unknown> = {};
  let left = text;
  for (const [name, property] of Object.entries(properties)) {
    const given = new RegExp(`\\b${escaped(name)}\\s*=\\s*(?:"([^"]*)"|\`([^\`]*)\`|(\\S+))`).exec(left);
    if (given === null) continue;
    input[name] = typed(given[1] ?? given[2] ?? given[3]!, property);
    left = left.replace(given[0], ' ');
  }
  const open = required.filter((name) => !(name in input));
  const main =
    open.find((name) => isText(properties[name])) ?? (open.length === 0 ? mainOf(properties, input) : undefined);
  if (main !== undefined) {
    const value = valueFor(main, left);
    if (value !== undefined) input[main] = typeOf(properties[main]) === 'array' ? [value] : value;
  }
  for (const name of required) {
    if (name in input) continue;
    const value = anyValue(properties[name]);
    if (value === undefined) return undefined;
    input[name] = value;
  }
  return input;
}

function mainOf(properties: Readonly<Record<string, Record<string, unknown>>>, given: object): string | undefined {
  return Object.keys(properties).find((name) => !(name in given) && isText(properties[name]));
}

function isText(property: Record<string, unknown> | undefined): boolean {
  const type = typeOf(property);
  const items = property?.['items'] as Record<string, unknown> | undefined;
  return type === 'string' || (type === 'array' && typeOf(items) === 'string');
}

function valueFor(name: string, text: string): string | undefined {
  const quoted = /`([^`\n]+)`|"([^"\n]+)"/.exec(text);
  if (quoted !== null) return quoted[1] ?? quoted[2];
  const plain = text.trim().replace(/^[:=]\s*/, '');
  if (commandNames.some((command) => name.toLowerCase().includes(command))) return plain === '' ? undefined : plain;
  if (pathNames.test(name)) {
    const path = pathsIn(plain)[0];
    if (path !== undefined) return path;
  }
  const value = plain
    .replace(/^(?:(?:the|a|an|file|folder|on|with|for|of|to|in)\s+)+/i, '')
    .replace(/(?<=\w)[.!?]+$/, '');
  return value === '' ? undefined : value;
}

function typed(value: string, property: Record<string, unknown>): unknown {
  const type = typeOf(property);
  if ((type === 'number' || type === 'integer') && value.trim() !== '' && !Number.isNaN(Number(value)))
    return Number(value);
  if (type === 'boolean' && /^(?:true|false)$/.test(value)) return value === 'true';
  return value;
}

const escaped = (name: string): string => name.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
