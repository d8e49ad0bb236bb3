/** Tools of one line, and an agent whose tool ends are kept. */
import { defineTool, type Tool, type ToolEnd } from '@treblehook/types';
import { z } from 'zod';
import { type ScriptedStep } from '../src/testing/index.js';
import { kit } from './kit.js';

export const tool = (name: string, execute: Tool['execute'], input: Tool['input'] = z.object({}).loose()): Tool =>
  defineTool({ name, description: name, input, execute });

export function watched(script: readonly ScriptedStep[], tools: readonly Tool[]) {
  const made = kit(script, { tools, cwd: '/work', onAsk: 'deny' });
  const ends: ToolEnd[] = [];
  made.registry.registerVoid('toolEnd', (end) => void ends.push(end));
  return { ...made, ends };
}
