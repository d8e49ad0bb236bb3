/** A run whose waits pass as they come. */
import { type LLMOutcome } from '@treblehook/types';
import { type AgentEvent, type RetryOptions } from '../src/index.js';
import { manualClock, type ScriptedStep } from '../src/testing/index.js';
import { kit, settle } from './kit.js';

/** Runs to the end, letting each wait pass; gives the waits. */
export async function drive(script: readonly ScriptedStep[], retry: RetryOptions = {}, random = 0.5) {
  const clock = manualClock(Date.parse('2030-01-01T00:00:00Z'));
  const made = kit(script, { clock, retry, random: () => random });
  const outcomes: LLMOutcome[] = [];
  const attempts: number[] = [];
  made.registry.registerVoid('afterLLM', (outcome) => void outcomes.push(outcome));
  made.registry.registerVoid('llmRequest', ({ attempt }) => void attempts.push(attempt));
  const waits: number[] = [];
  const events: AgentEvent[] = [];
  const stream = made.agent.stream('go');
  for (;;) {
    const pending = stream.next();
    await settle();
    const next = await pending;
    if (next.done === true) return { ...made, result: next.value, waits, events, outcomes, attempts, clock };
    events.push(next.value);
    if (next.value.type !== 'retry') continue;
    waits.push(next.value.waitMs);
    await settle();
    clock.advance(next.value.waitMs);
  }
}
