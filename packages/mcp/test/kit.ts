/** What the tests of this package share: servers that end with their test, and an agent with a script. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAgent, type Agent, type AgentOptions } from '@treblehook/agent';
import { scriptedModel, type ScriptedStep } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { agentHooks, type AgentHooks, type HookRegistry, type ToolContext, type ToolResult } from '@treblehook/types';
import { afterEach, expect } from 'vitest';
import {
  connectMcp,
  type McpNotice,
  type McpOptions,
  type McpServers,
  type McpServerSettings,
  type McpStdioServer,
} from '../src/index.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});
export const atEnd = (end: () => Promise<unknown>): void => void ends.push(end);

export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'treblehook-mcp-'));
  atEnd(() => rm(path, { recursive: true, force: true }));
  return path;
}

const require = createRequire(import.meta.url);
/** The program of a published server. */
export const programOf = (name: string): string =>
  require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
export const real = (name: string, ...args: string[]): McpStdioServer => ({
  command: process.execPath,
  args: [programOf(name), ...args],
});

const script = fileURLToPath(new URL('hostile-server.mjs', import.meta.url));
export interface Plan {
  readonly initialize?: 'hang' | 'exit' | 'error';
  readonly list?: 'hang' | 'exit' | 'error' | 'endless' | 'none' | 'pages';
  readonly tools?: readonly unknown[];
  /** Of a name: what the server does for it. */
  readonly as?: Readonly<Record<string, string>>;
  readonly [more: string]: unknown;
}
export const hostile = (plan: Plan = {}, more: object = {}): McpServerSettings => ({
  command: process.execPath,
  args: [script, JSON.stringify(plan)],
  ...more,
});

/** Tools of the hostile server, each taking anything. */
export const named = (...names: string[]): object[] => names.map((name) => ({ name, inputSchema: { type: 'object' } }));

export interface Connected {
  readonly servers: McpServers;
  readonly notices: McpNotice[];
  /** Texts of the notices of a kind. */
  readonly told: (kind: McpNotice['kind']) => string[];
  readonly names: () => string[];
  /** Runs the body of a tool, as the executor would. */
  readonly run: (name: string, args?: object, signal?: AbortSignal) => Promise<ToolResult>;
}

export async function connect(
  servers: Readonly<Record<string, McpServerSettings>>,
  options: McpOptions = {},
): Promise<Connected> {
  const notices: McpNotice[] = [];
  const connected = await connectMcp(servers, { onNotice: (notice) => void notices.push(notice), ...options });
  atEnd(() => connected.close());
  return {
    servers: connected,
    notices,
    told: (kind) => notices.filter((notice) => notice.kind === kind).map(({ text }) => text),
    names: () => connected.tools.map(({ name }) => name),
    run: async (name, args = {}, signal = new AbortController().signal) => {
      const tool = connected.tools.find((one) => one.name === name);
      return (await tool!.execute(args, { signal, callId: 'call_1' } as ToolContext)) as ToolResult;
    },
  };
}

/** What a hostile server with this log was sent, and `{ start }` for each of its processes. */
export async function logged(log: string): Promise<{ readonly method?: string; readonly [more: string]: unknown }[]> {
  const text = await readFile(log, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { readonly method?: string });
}

/** A step that calls a tool by its real name. */
export const use =
  (name: string, args: object = {}): ScriptedStep =>
  ({ tools = [] }) => {
    const wire = `${name.replaceAll(/[^a-zA-Z0-9_-]+/g, '_')}_`;
    const found = tools.filter(
      (tool) => tool.name.startsWith(wire) && /^[0-9a-f]{8}$/.test(tool.name.slice(wire.length)),
    );
    expect(found, `${name} among ${tools.map((tool) => tool.name).join(', ')}`).toHaveLength(1);
    return { calls: [{ name: found[0]!.name, args }] };
  };

export function agentOf(
  steps: readonly ScriptedStep[],
  options: Partial<AgentOptions> & { readonly silent?: boolean } = {},
): { readonly agent: Agent; readonly registry: HookRegistry<AgentHooks> } {
  const { silent = true, ...rest } = options;
  const registry = rest.registry ?? createHookRegistry(agentHooks);
  if (silent) registry.registerClaiming('toolPolicy', () => undefined, { id: 'silent' });
  const agent = createAgent({ model: scriptedModel(steps), registry, ...rest });
  atEnd(() => agent.close());
  return { agent, registry };
}

/** Resolves once it is so; the test's own time limit is the end of the wait. */
export async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 10));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // swallows ESRCH: it has ended
  }
}
