/** What must hold before a run is done: by the calls of a tool, or by a function. */
import type { BeforeFinish, JsonObject, JsonValue } from '@treblehook/types';

/** What every check has. */
export interface CommonCheck {
  /** Stands in what the model reads, and in the reason of a run that was stopped. */
  readonly name: string;
  /**
   * Names of tools that change something. The check is asked for only when one of them has run in the session, and must
   * pass behind the last such call. Left out: it must pass once in each run.
   */
  readonly after?: readonly string[];
  /** What the model is told to do, behind what is missing. */
  readonly message?: string;
}

/** A call of a tool that went well. */
export interface CallCheck extends CommonCheck {
  readonly tool: string;
  /** Arguments by their names, word by word; a last word `*` stands for any further ones. */
  readonly match?: Readonly<Record<string, string>>;
  /** Must stand in the output. */
  readonly includes?: string;
}

/** A function that looks for itself. */
export interface CodeCheck extends CommonCheck {
  /** `true`, or the reason why it is not so. Everything else, a throw and running over time count as not passed. */
  readonly check: (finish: BeforeFinish, ctx: { readonly signal: AbortSignal }) => unknown;
  /** In ms; default 60,000. */
  readonly timeoutMs?: number;
}

export type Check = CallCheck | CodeCheck;

/** Whether a call with these arguments is one that the check asks for. */
export function isCallOf({ match = {} }: CallCheck, args: JsonValue | undefined): boolean {
  const wanted = Object.entries(match);
  if (wanted.length === 0) return true;
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return false;
  return wanted.every(([name, words]) => {
    const value = Object.hasOwn(args, name) ? (args as JsonObject)[name] : undefined;
    return isSpelled(words, wordsOf(value));
  });
}

/** What makes of one command another one: several in a row, one in another, output that goes elsewhere. */
const shellSigns = /[;&|<>`$(){}\n\\#!'"*?~]/;

/** The words of an argument: a list as it is; a line, alone or as `{ shell: line }`, when it is one plain command. */
function wordsOf(value: JsonValue | undefined): readonly string[] | undefined {
  if (typeof value === 'string') return shellSigns.test(value) ? undefined : split(value);
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const keys = Object.keys(value);
  return keys.length === 1 && keys[0] === 'shell' ? wordsOf((value as JsonObject)['shell']) : undefined;
}

const split = (line: string): readonly string[] => line.split(/[ \t]+/).filter((word) => word !== '');

function isSpelled(pattern: string, given: readonly string[] | undefined): boolean {
  if (given === undefined) return false;
  const words = split(pattern);
  const isOpen = words.at(-1) === '*';
  const fixed = isOpen ? words.slice(0, -1) : words;
  if (isOpen ? given.length < fixed.length : given.length !== fixed.length) return false;
  return fixed.every((word, at) => word === given[at]);
}
