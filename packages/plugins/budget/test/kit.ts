/** Hosts with a budget. */
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '@treblehook/agent/testing';
import { testHost, type TestHost, type TestHostOptions } from '@treblehook/testing';
import type { Plugin } from '@treblehook/types';
import { budget, type BudgetOptions } from '../src/index.js';

export interface Bench extends TestHost {
  readonly logged: string[];
}

export interface BenchOptions extends TestHostOptions {
  readonly before?: readonly Plugin[];
  readonly behind?: readonly Plugin[];
}

export async function bench(config: unknown, options: BenchOptions = {}, parts: BudgetOptions = {}): Promise<Bench> {
  const { before = [], behind = [], ...rest } = options;
  const logged: string[] = [];
  const host = await testHost({
    onLog: ({ level, message }) => void logged.push(`${level}: ${message}`),
    ...rest,
    plugins: [...before, { plugin: budget(parts), config }, ...behind],
  });
  return { ...host, logged };
}

/** Of a scripted model under another name. */
export const named = (modelId: string, script: readonly ScriptedStep[]): ScriptedModel =>
  scriptedModel(script, { modelId });
/** An answer that used so many tokens, half of them output. */
export const uses = (tokens: number): ScriptedStep => ({ text: 'x', usage: { input: tokens / 2, output: tokens / 2 } });
