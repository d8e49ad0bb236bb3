/** An agent in the middle of a tool call. */
import { defineTool, type AgentDone, type ToolEnd } from '@treblehook/types';
import { z } from 'zod';
import { deferred, manualClock, type Deferred, type ScriptedStep } from '../src/testing/index.js';
import { calls, echo, kit } from './kit.js';

/** An agent whose tool waits for the test. */
export function waiting(body: Deferred<string> = deferred<string>(), heedsSignal = false) {
  const started = deferred<AbortSignal>();
  const slow = defineTool({
    name: 'slow',
    description: 'waits',
    input: z.object({}).loose(),
    execute(_, { signal }) {
      started.resolve(signal);
      if (heedsSignal) signal.addEventListener('abort', () => body.reject(signal.reason));
      return body.promise;
    },
  });
  const clock = manualClock();
  const script: ScriptedStep[] = [calls('slow', 'echo', 'slow'), 'never'];
  const { tool, ran } = echo();
  const made = kit(script, { tools: [slow, tool], clock, graceMs: 100 });
  const ends: ToolEnd[] = [];
  const done: AgentDone[] = [];
  made.registry.registerVoid('toolEnd', (end) => void ends.push(end));
  made.registry.registerVoid('agentDone', (end) => void done.push(end));
  return { ...made, started, body, clock, ran, ends, done };
}
