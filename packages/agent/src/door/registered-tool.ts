/** A registered tool: its definition as data, and its body behind the door. */
import { closeClass, frozen } from '@treblehook/core';
import {
  HookError,
  ownFields,
  textOf,
  type ArgumentKinds,
  type GuardedTool,
  type JsonObject,
  type JsonValue,
  type SchemaIssue,
  type Tool,
  type ToolContext,
  type ToolDescriptor,
  type ToolIdentity,
} from '@treblehook/types';
import { isPromiseLike, promiseOf } from '../run/shared-prototypes.js';
import { digestOf } from './canonical.js';
import { annotationsOf, sourceOf } from './tool-origin.js';
import { Clearance, type Body } from './clearance.js';
import { memberOf } from '../run/shared-prototypes.js';
import { wireNameOf } from '../model/wire-name.js';

/** It goes through a promise, so it inherits nothing. */
export type Checked = { readonly value: unknown; readonly fault?: undefined } | { readonly fault: string };

/** Frozen whole, body and schema private: who gets hold of one can neither change who it is nor run it. */
export class RegisteredTool {
  readonly name: string;
  readonly wireName: string;
  readonly descriptor: ToolDescriptor;
  readonly identity: ToolIdentity;
  /** What guards see of it. */
  readonly guarded: GuardedTool;
  /** Names of the arguments that are file paths. */
  readonly paths: readonly string[];
  /**
   * Its body is the run of another agent: that has a log of its own, from which it goes on after a crash, ends by itself
   * when it is aborted, and takes no place among the bodies of a group.
   */
  readonly isRun: boolean;
  readonly #tool: Tool;
  readonly #body: Body;
  readonly #concurrency: Tool['concurrency'];
  readonly #validate: Tool['input']['~standard']['validate'];

  /**
   * Reads each member of the definition once: what is done to the given object later has no effect. Throws
   * `TH_TOOL_INVALID`.
   */
  constructor(tool: Tool, isRun = false) {
    if (typeof tool !== 'object' || tool === null) throw invalid(String(tool), 'it must be an object: use defineTool');
    const members = membersOf(tool);
    const { name, description, input, inputSchema, concurrency, execute } = members;
    if (typeof name !== 'string' || name === '') throw invalid(String(name), 'name must be a text that is not empty');
    if (typeof description !== 'string') throw invalid(name, 'description must be a text');
    if (typeof execute !== 'function') throw invalid(name, 'execute must be a function');
    const kinds = kindsOf(name, members);
    if (typeof concurrency !== 'function' && concurrency !== undefined && !isConcurrency(concurrency)) {
      throw invalid(name, "concurrency must be 'safe', 'exclusive' or a function that says so");
    }
    const annotations = annotationsOf(name, members.annotations);
    const source = sourceOf(name, members.source);
    const standard = standardOf(input);
    if (typeof standard?.validate !== 'function') {
      throw invalid(name, 'input must be a Standard Schema, such as one of zod, valibot or arktype');
    }
    this.name = name;
    this.wireName = wireNameOf(name);
    this.descriptor = frozen({ name, description, inputSchema: schemaOf(name, standard, inputSchema) });
    this.paths = kinds.paths ?? Object.freeze([]);
    const definition = {
      name,
      description,
      inputSchema: this.descriptor.inputSchema,
      concurrency: typeof concurrency === 'function' ? String(concurrency) : concurrency,
      paths: this.paths,
      ...kinds,
      annotations,
    };
    this.identity = frozen({ source, name, digest: digestOf(definition) });
    const told = annotations === undefined ? kinds : { ...kinds, annotations };
    this.guarded = Object.keys(told).length === 0 ? this.identity : frozen({ ...this.identity, ...told });
    this.isRun = isRun;
    this.#tool = tool;
    this.#body = execute;
    this.#concurrency = concurrency;
    this.#validate = standard.validate.bind(standard);
    Object.freeze(this);
  }

  /** What the schema makes of the arguments. A promise only when the schema gives one. */
  check(args: JsonValue): Checked | Promise<Checked> {
    try {
      const answer = this.#validate(args);
      return isPromiseLike(answer) ? promiseOf(answer).then(checked).then(undefined, failed) : checked(answer);
    } catch (error) {
      return failed(error);
    }
  }

  /** Whether a call of these arguments may run beside its neighbours; a tool that cannot say so says no. */
  isSafe(args: unknown): boolean {
    const says = this.#concurrency;
    try {
      return (typeof says === 'function' ? Reflect.apply(says, this.#tool, [args]) : says) === 'safe';
    } catch {
      return false; // swallows what the tool's own function threw: the call runs alone
    }
  }

  /** Runs the body on the call that the clearance names. There is no other way to it. */
  run(clearance: Clearance, generation: number, ctx: ToolContext): ReturnType<Body> {
    const { args } = Clearance.spend(clearance, this, generation);
    return Reflect.apply<Tool, [unknown, ToolContext], ReturnType<Body>>(this.#body, this.#tool, [args, ctx]);
  }
}

closeClass(RegisteredTool);

const isConcurrency = (value: unknown): boolean => value === 'safe' || value === 'exclusive';

const kindNames = ['paths', 'commands', 'urls'] as const satisfies readonly (keyof ArgumentKinds)[];

/** The declared kinds alone: a definition that declares none has the digest of one from before there were any. */
function kindsOf(name: string, members: Tool): ArgumentKinds {
  const kinds: { -readonly [K in keyof ArgumentKinds]: ArgumentKinds[K] } = {};
  for (const kind of kindNames) {
    const names: unknown = members[kind];
    if (names === undefined) continue;
    if (!Array.isArray(names) || names.some((one) => typeof one !== 'string')) {
      throw invalid(name, `${kind} must be a list of argument names`);
    }
    kinds[kind] = Object.freeze([...(names as readonly string[])]);
  }
  return ownFields(kinds);
}

const memberNames = [
  'name',
  'description',
  'input',
  'inputSchema',
  'concurrency',
  ...kindNames,
  'annotations',
  'source',
  'execute',
] as const;

/** The definition may be an instance of a class; what hangs on `Object.prototype` is no member of it. */
function membersOf(tool: Tool): Tool {
  const members = Object.create(null) as Record<string, unknown>;
  for (const name of memberNames) members[name] = memberOf(tool, name);
  return members as unknown as Tool;
}

type Standard = Tool['input']['~standard'];
const standardOf = (input: Tool['input'] | undefined): Standard | undefined => input?.['~standard'];

function schemaOf(name: string, standard: Standard, given: JsonObject | undefined): JsonObject {
  let schema: unknown = given;
  try {
    schema = standard.jsonSchema?.input({ target: 'draft-2020-12' }) ?? given;
  } catch (error) {
    if (given === undefined) throw invalid(name, `its schema has no JSON Schema: ${textOf(error)}; give inputSchema`);
  }
  if (schema === undefined) throw invalid(name, `schemas of ${standard.vendor} give no JSON Schema: give inputSchema`);
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw invalid(name, 'its JSON Schema must be an object');
  }
  try {
    return JSON.parse(JSON.stringify(schema)) as JsonObject;
  } catch (error) {
    throw invalid(name, `its JSON Schema is no JSON: ${textOf(error)}`);
  }
}

/** Some libraries give their issues as an instance that inherits `issues`; a value is always the answer's own. */
function checked(answer: unknown): Checked {
  if (typeof answer !== 'object' || answer === null) return refused('its schema failed on them: it gave no answer');
  const issues = memberOf(answer, 'issues');
  if (issues !== undefined) {
    const texts = Array.isArray(issues) ? (issues as readonly SchemaIssue[]).map(issueText).join('; ') : '';
    return refused(texts || 'its schema refuses them');
  }
  return Object.hasOwn(answer, 'value')
    ? ownFields({ value: (answer as { readonly value: unknown }).value })
    : refused('its schema failed on them: it gave neither a value nor issues');
}
const refused = (fault: string): Checked => ownFields({ fault });
const failed = (error: unknown): Checked => refused(`its schema failed on them: ${textOf(error)}`);

function issueText({ message, path = [] }: SchemaIssue): string {
  const at = path.map((step) => `/${String(typeof step === 'object' ? step.key : step)}`).join('');
  return at === '' ? message : `${at}: ${message}`;
}

const invalid = (tool: string, what: string): HookError => new HookError('TH_TOOL_INVALID', { tool, what });
