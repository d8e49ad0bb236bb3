/** A registered tool: its definition as data, and its body behind the door. */
import { frozen } from '@treblehook/core';
import {
  HookError,
  textOf,
  type JsonObject,
  type JsonValue,
  type SchemaIssue,
  type Tool,
  type ToolContext,
  type ToolDescriptor,
  type ToolIdentity,
} from '@treblehook/types';
import { digestOf } from './canonical.js';
import { Clearance, type Body } from './clearance.js';
import { wireNameOf } from './wire-name.js';

export type Checked = { readonly value: unknown } | { readonly fault: string };

export class RegisteredTool {
  readonly name: string;
  readonly wireName: string;
  readonly descriptor: ToolDescriptor;
  readonly identity: ToolIdentity;
  /** Names of the arguments that are file paths. */
  readonly paths: readonly string[];
  readonly #tool: Tool;
  readonly #body: Body;
  readonly #validate: Tool['input']['~standard']['validate'];

  /**
   * Reads each member of the definition once: what is done to the given object later has no effect. Throws
   * `TH_TOOL_INVALID`.
   */
  constructor(tool: Tool, source: string) {
    if (typeof tool !== 'object' || tool === null) throw invalid(String(tool), 'it must be an object: use defineTool');
    const { name, description, input, inputSchema, concurrency, paths = [], execute } = tool;
    if (typeof name !== 'string' || name === '') throw invalid(String(name), 'name must be a text that is not empty');
    if (typeof description !== 'string') throw invalid(name, 'description must be a text');
    if (typeof execute !== 'function') throw invalid(name, 'execute must be a function');
    if (!Array.isArray(paths) || paths.some((path) => typeof path !== 'string')) {
      throw invalid(name, 'paths must be a list of argument names');
    }
    const standard = input?.['~standard'];
    if (typeof standard?.validate !== 'function') {
      throw invalid(name, 'input must be a Standard Schema, such as one of zod, valibot or arktype');
    }
    this.name = name;
    this.wireName = wireNameOf(name);
    this.descriptor = frozen({ name, description, inputSchema: schemaOf(name, tool, inputSchema) });
    this.paths = Object.freeze([...paths]);
    const definition = {
      name,
      description,
      inputSchema: this.descriptor.inputSchema,
      concurrency: typeof concurrency === 'function' ? String(concurrency) : concurrency,
      paths: this.paths,
    };
    this.identity = frozen({ source, name, digest: digestOf(definition) });
    this.#tool = tool;
    this.#body = execute;
    this.#validate = standard.validate.bind(standard);
  }

  /** What the schema makes of the arguments. A promise only when the schema gives one. */
  check(args: JsonValue): Checked | Promise<Checked> {
    try {
      const answer = this.#validate(args);
      return answer instanceof Promise ? answer.then(checked).then(undefined, failed) : checked(answer);
    } catch (error) {
      return failed(error);
    }
  }

  /** Runs the body on the call that the clearance names. There is no other way to it. */
  run(clearance: Clearance, generation: number, ctx: ToolContext): ReturnType<Body> {
    const { args } = Clearance.spend(clearance, this, generation);
    return Reflect.apply<Tool, [unknown, ToolContext], ReturnType<Body>>(this.#body, this.#tool, [args, ctx]);
  }
}

function schemaOf(name: string, { input }: Tool, given: JsonObject | undefined): JsonObject {
  const standard = input['~standard'];
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

function checked(answer: { readonly value?: unknown; readonly issues?: readonly SchemaIssue[] | undefined }): Checked {
  if (answer.issues === undefined) return { value: answer.value };
  return { fault: answer.issues.map(issueText).join('; ') || 'its schema refuses them' };
}
const failed = (error: unknown): Checked => ({ fault: `its schema failed on them: ${textOf(error)}` });

function issueText({ message, path = [] }: SchemaIssue): string {
  const at = path.map((step) => `/${String(typeof step === 'object' ? step.key : step)}`).join('');
  return at === '' ? message : `${at}: ${message}`;
}

const invalid = (tool: string, what: string): HookError => new HookError('TH_TOOL_INVALID', { tool, what });
