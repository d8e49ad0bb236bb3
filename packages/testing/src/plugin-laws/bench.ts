/** What the laws of plugins work with: hosts with the plugin under test, and what is seen of their runs. */
import type { Ids, RunResult } from '@treblehook/agent';
import type { ScriptedCall, ScriptedStep } from '@treblehook/agent/testing';
import type { PluginUse } from '@treblehook/host';
import {
  defineTool,
  type HookError,
  type JsonValue,
  type Plugin,
  type PointDescription,
  type Tool,
} from '@treblehook/types';
import { CallIds, plain, plainRequest } from '../model-transcript/plain.js';
import { testHost, type TestHost, type TestHostOptions } from '../test-host.js';

/** What a law of plugins sets itself. */
type OfTheLaws =
  | 'plugins'
  | 'personality'
  | 'personalities'
  | 'script'
  | 'model'
  | 'strict'
  | 'onWarning'
  | 'store'
  | 'ids';

export interface PluginBenchOptions {
  /** Calls of the first answer of each run, beside that of the laws' own tool `law_echo`: such as those of the plugin's tools. */
  readonly calls?: readonly ScriptedCall[];
  /** What the plugin needs of its hosts: tools that it watches, `prices`, `clock`. */
  readonly host?: Omit<TestHostOptions, OfTheLaws>;
}

export interface BenchHost {
  readonly host: TestHost;
  /** Warnings of the host about plugins. */
  readonly warnings: readonly HookError[];
}

export interface HostParts {
  /** Default: the plugin under test alone. */
  readonly plugins?: readonly (Plugin | PluginUse)[];
  /** Whether the personality lists them. Default: `true`. */
  readonly isListed?: boolean;
  readonly script?: readonly ScriptedStep[];
  readonly options?: Pick<TestHostOptions, 'store' | 'answerer'>;
}

export class PluginBench {
  readonly use: PluginUse;
  readonly #options: PluginBenchOptions;

  constructor(given: Plugin | PluginUse, options: PluginBenchOptions) {
    this.use = 'plugin' in given ? given : { plugin: given };
    this.#options = options;
  }

  get id(): string {
    return this.use.plugin.id;
  }

  /** Makes a host, lends it, and closes it whatever comes of that. */
  async with<T>(parts: HostParts, work: (one: BenchHost) => Promise<T>): Promise<T> {
    const one = await this.#open(parts);
    try {
      return await work(one);
    } finally {
      await one.host.close();
    }
  }

  /** One turn with a call of each tool, and an answer; a model call of a handler, or a further turn, gets the answer. */
  get script(): readonly ScriptedStep[] {
    const calls = [{ name: 'law_echo', args: { text: 'hi' } }, ...(this.#options.calls ?? [])];
    const step: ScriptedStep = ({ prompt, tools = [] }) =>
      tools.some(({ name }) => name === 'law_echo') && prompt.at(-1)?.role === 'user' ? { calls } : theEnd;
    return Array.from({ length: 64 }, () => step);
  }

  async #open({ plugins = [this.use], isListed = true, script = this.script, options = {} }: HostParts) {
    const warnings: HookError[] = [];
    const { host: given = {} } = this.#options;
    const host = await testHost({
      answerer: { answer: ({ id }) => ({ id, ok: true }) },
      policy: { rules: [], unlisted: { mcp: 'silent', plugin: 'silent' } },
      ...given,
      ...options,
      script,
      tools: [...(given.tools ?? []), echo],
      plugins,
      personality: { id: 'law', plugins: isListed ? plugins.map((one) => idOf(one)) : [] },
      ids: counted(),
      onWarning: (warning) => void (warning.details['plugin'] === undefined || warnings.push(warning)),
    });
    return { host, warnings };
  }

  /** What is registered under the plugin's name: hook points, and names of tools. */
  registeredIn({ registry, agent }: TestHost): {
    readonly points: readonly string[];
    readonly tools: readonly string[];
  } {
    const points = registry.describe().hooks.filter((point) => ownersOf(point).includes(this.id));
    const tools = agent.describe().tools.filter(({ source }) => source === `plugin:${this.id}`);
    return { points: points.map(({ name }) => name), tools: tools.map(({ name }) => name) };
  }
}

export const theEnd = 'the end';

/** A tool that says its text back, and fails when it is told to. */
const echo: Tool = defineTool({
  name: 'law_echo',
  description: 'Says a text back.',
  input: {
    '~standard': { version: 1, vendor: 'laws', validate: (value) => ({ value: value as { readonly text?: string } }) },
  },
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  concurrency: 'safe',
  execute({ text = '' }) {
    if (text === 'fail') throw new Error('the tool was told to fail');
    return text;
  },
});

export const idOf = (given: Plugin | PluginUse): string => ('plugin' in given ? given.plugin.id : given.id);
export const ownersOf = ({ plan }: PointDescription): readonly string[] => plan.map(({ owner }) => owner);

/** Ids that are the same in each host. */
function counted(): Ids {
  const next = new Map<string, number>();
  return (kind) => {
    const at = (next.get(kind) ?? 0) + 1;
    next.set(kind, at);
    return `${kind}_${at}`;
  };
}

/** What can be seen of a host's runs from outside: what the model was asked, and how each run ended. */
export function seen({ model }: TestHost, results: readonly RunResult[]): JsonValue {
  const ids = new CallIds();
  return plain({
    asked: model.calls.map((call) => plainRequest(call, ids)),
    ended: results.map(({ status, text, toolCalls, reason, limit }) => ({
      status,
      text,
      reason,
      limit,
      calls: toolCalls.map(({ name, args, output, outcome }) => ({ name, args, output, outcome })),
    })),
  });
}
