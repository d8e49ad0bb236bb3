/** A host with the plugin, and tools that change something and check something. */
import { testHost, type TestHost, type TestHostOptions } from '@treblehook/testing';
import { defineTool, type StandardSchema, type Tool, type ToolAnswer } from '@treblehook/types';
import { verifyFinish, type VerifyFinishConfig, type VerifyFinishOptions } from '../src/index.js';

export const anything: StandardSchema<unknown, any> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) },
};

export const tool = (
  name: string,
  execute: (args: any) => ToolAnswer | Promise<ToolAnswer> = () => 'ok',
  concurrency: 'safe' | 'exclusive' = 'exclusive',
): Tool =>
  defineTool({ name, description: name, input: anything, inputSchema: { type: 'object' }, concurrency, execute });

export interface Given extends TestHostOptions {
  readonly code?: VerifyFinishOptions;
  readonly config?: VerifyFinishConfig;
}

export function host({ code, config, plugins = [], ...options }: Given): Promise<TestHost> {
  const use = { plugin: verifyFinish(code), ...(config === undefined ? {} : { config }) };
  return testHost({ tools: [tool('write'), run()], ...options, plugins: [use, ...plugins] });
}

/** `run_command` as a test wants it: what fails is told by the command. */
export const run = (): Tool =>
  tool('run_command', ({ command }) => {
    const isError = JSON.stringify(command).includes('broken');
    return { output: isError ? 'exit code 1' : '12 passed\n[exit code 0]', isError };
  });

export const tests = { name: 'tests', tool: 'run_command', match: { command: 'npm test *' }, after: ['write'] };
export const write = { name: 'write' };
export const npmTest = { name: 'run_command', args: { command: ['npm', 'test'] } };
export const calls = (...all: { name: string; args?: unknown }[]) => ({ calls: all });

/** What the model was told last by the loop, call by call. */
export const told = ({ model }: TestHost): string[] =>
  model.calls.map(({ prompt }) => {
    const last = prompt.at(-1)!;
    return last.role === 'user' ? String((last.content[0] as { text?: string }).text) : last.role;
  });
