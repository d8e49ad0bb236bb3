/** One rule as tests of a call, each under the name of what it looks at. */
import { matchName, ownFields, type ToolAnnotations, type toolHints, type ToolIdentity } from '@treblehook/types';
import { blindKeys } from './blind.js';
import { compileCommandTest } from './commands/command-test.js';
import { compileHostTest } from './hosts/host-test.js';
import type { Look, PolicedTool } from './look.js';
import { compilePathTest, textsOf } from './paths/path-test.js';
import { readPointer, valueAt, type Pointer } from './pointer.js';
import type { Rule } from './policy.js';
import { compilePredicate } from './predicate.js';
import { versionOf } from './rule-names.js';
import { someOf, type Truth } from './truth.js';
import type { PolicyWorld } from './world.js';

/** A rule with each field of its own: a decision reads nothing that could be inherited. */
export interface CompiledRule {
  readonly label: string;
  /** Another one as soon as the rule says anything else. */
  readonly version: string;
  readonly globs: readonly string[];
  readonly personalities: readonly string[] | undefined;
  readonly tests: readonly RuleTest[];
  /** Whether it can match some call of a tool, as far as the tool declares its arguments. */
  readonly mayMatch: (tool: PolicedTool) => boolean;
  readonly decision: Rule['decision'];
  readonly reason: string;
  readonly halt: boolean;
}

export interface RuleTest {
  /** The key of the rule, or the pointer: `paths`, `/path`. */
  readonly on: string;
  readonly holds: (look: Look) => Truth;
}

/** How a rule is called in denials: its id, else its position, counted from 1. */
export const labelOf = (rule: Rule, at: number): string => ownFields(rule).id ?? `#${at + 1}`;

/**
 * True when a glob names a tool: by its name, by that without the source in front (`read` for `mcp:files/read`), or by both
 * with a slash between.
 */
export function namesTool(glob: string, tool: Pick<ToolIdentity, 'source' | 'name'>): boolean {
  return matchName(glob, fullName(tool)) || matchName(glob, shortName(tool)) || matchName(glob, tool.name);
}

/** `mcp:files/read`, `host/read_file`. */
export const fullName = ({ source, name }: Pick<ToolIdentity, 'source' | 'name'>): string =>
  name.startsWith(`${source}/`) ? name : `${source}/${name}`;
/** `read` for `mcp:files/read`. */
export const shortName = ({ source, name }: Pick<ToolIdentity, 'source' | 'name'>): string =>
  name.startsWith(`${source}/`) ? name.slice(source.length + 1) : name;

export function compileRule(given: Rule, label: string, world: PolicyWorld): CompiledRule {
  const { tools, personalities, when, paths, hosts, commands, annotations, decision, reason, halt } = ownFields(given);
  const tests = [
    ...Object.entries(when ?? {}).map(([on, predicate]): RuleTest => {
      const pointer = readPointer(on) as Pointer;
      const test = compilePredicate(predicate, world);
      return { on, holds: (look) => test(valueAt(look.call.args, pointer), look) };
    }),
    ...(annotations === undefined ? [] : [onAnnotations(annotations)]),
    ...(paths === undefined ? [] : [onPaths(compilePathTest(paths, world))]),
    ...(hosts === undefined ? [] : [onHosts(compileHostTest(hosts))]),
    ...(commands === undefined ? [] : [onCommands(compileCommandTest(commands, world))]),
  ];
  return Object.freeze({
    label,
    version: versionOf(given),
    globs: textsOf(tools),
    personalities: personalities === undefined ? undefined : textsOf(personalities),
    tests,
    mayMatch: (tool: PolicedTool) => blindKeys(given, tool).length === 0,
    decision,
    reason,
    halt: halt === true,
  });
}

const onPaths = (test: ReturnType<typeof compilePathTest>): RuleTest => ({
  on: 'paths',
  holds: (look) => someOf(look.paths(), test),
});
const onHosts = (test: ReturnType<typeof compileHostTest>): RuleTest => ({
  on: 'hosts',
  holds: (look) => someOf(look.hosts(), test),
});
const onCommands = (test: ReturnType<typeof compileCommandTest>): RuleTest => ({
  on: 'commands',
  holds: (look) => someOf(look.commands(), (reading) => test(reading, () => look.starts())),
});

function onAnnotations(annotations: NonNullable<Rule['annotations']>): RuleTest {
  const hints = Object.entries(annotations) as (readonly [keyof ToolAnnotations, boolean | string])[];
  return { on: 'annotations', holds: ({ call }) => hints.every(([name, hint]) => hintOf(call.tool, name) === hint) };
}

/** What the protocol says of a tool that says nothing: the worst (schema of MCP, `ToolAnnotations`). */
const hintDefaults: Readonly<Record<(typeof toolHints)[number], boolean>> = Object.freeze({
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
});

function hintOf(tool: PolicedTool, name: keyof ToolAnnotations): unknown {
  const annotations = Object.hasOwn(tool, 'annotations') ? tool.annotations : undefined;
  const said: unknown = annotations !== undefined && Object.hasOwn(annotations, name) ? annotations[name] : undefined;
  return said ?? (name === 'title' ? undefined : hintDefaults[name]);
}
