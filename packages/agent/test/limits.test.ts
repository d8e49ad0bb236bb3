import { describe, expect, it } from 'vitest';
import { defineTool, historyFault } from '@treblehook/types';
import { z } from 'zod';
import type { AgentLimits } from '../src/index.js';
import { manualClock, type ScriptedStep } from '../src/testing/index.js';
import { call, calls, echo, kit } from './kit.js';

const many = (step: ScriptedStep): ScriptedStep[] => Array.from({ length: 50 }, () => step);

/** For each limit a run that would go on without it, and what it takes to hit it. */
const hits: Readonly<Record<keyof AgentLimits, number>> = {
  steps: 2,
  toolCalls: 3,
  tokens: 30,
  cost: 0.00002,
  wallMs: 100,
  deniedSteps: 2,
};

describe('each limit of an agent', () => {
  it.each(Object.entries(hits))('ends a run that would go on, by its name: %s', async (name, value) => {
    const clock = manualClock();
    const tools = [echo().tool];
    const { agent, registry } = kit(many(call('echo')), {
      tools,
      clock,
      prices: { scripted: { input: 1, output: 1 } },
      limits: { [name]: value },
    });
    registry.registerVoid('toolEnd', () => clock.advance(40));
    if (name === 'deniedSteps') registry.registerClaiming('toolPolicy', () => ({ deny: 'no' }));
    expect(await agent.run('go')).toMatchObject({ status: 'incomplete', limit: name });
  });
});

describe('a limit', () => {
  it.each<[AgentLimits, number, number]>([
    [{ steps: 3 }, 3, 6],
    [{ toolCalls: 3 }, 2, 3],
    [{ tokens: 40 }, 3, 4],
  ])('of %j ends the run incomplete by its name; what did not start says so', async (limits, modelCalls, toolRuns) => {
    const { tool, ran } = echo();
    const { agent, model } = kit(many(calls('echo', 'echo')), { tools: [tool], limits });
    const session = agent.session();
    const { status, limit, toolCalls } = await session.run('go');
    const name = Object.keys(limits)[0]!;
    expect({ status, limit }).toEqual({ status: 'incomplete', limit: name });
    expect([model.calls.length, ran.length]).toEqual([modelCalls, toolRuns]);
    expect(historyFault(session.messages())).toBeUndefined();
    expect(toolCalls).toHaveLength(modelCalls * 2);
    for (const { outcome, output } of toolCalls.slice(toolRuns)) {
      expect([outcome, output]).toEqual(['not-started', `not-started: the run has reached its limit '${name}'`]);
    }
  });

  it('holds for tokens that the provider does not report, by an estimate', async () => {
    const silent: ScriptedStep = {
      ...(call('echo') as object),
      parts: [
        {
          type: 'finish',
          finishReason: { unified: 'tool-calls', raw: '' },
          usage: { inputTokens: {}, outputTokens: {} } as never,
        },
      ],
    };
    const { agent, model } = kit(many(silent), { tools: [echo().tool], limits: { tokens: 500 } });
    expect(await agent.run('x'.repeat(400))).toMatchObject({ status: 'incomplete', limit: 'tokens' });
    expect(model.calls.length).toBeLessThan(6);
  });

  it('of wall time is looked at before each model call and each tool call', async () => {
    const clock = manualClock();
    const ran: number[] = [];
    const slow = defineTool({
      name: 'slow',
      description: '',
      input: z.object({ ms: z.number() }),
      execute({ ms }) {
        ran.push(ms);
        clock.advance(ms);
        return 'ok';
      },
    });
    const use = (ms: number) => ({ name: 'slow', args: { ms } });
    const { agent, model } = kit([calls(use(60), use(60), use(60)), calls(use(100)), 'never'], {
      tools: [slow],
      clock,
      limits: { wallMs: 100 },
    });
    expect(await agent.run('go')).toMatchObject({ status: 'incomplete', limit: 'wallMs' });
    expect([ran, model.calls.length]).toEqual([[60, 60], 1]);
    expect(await agent.run('go')).toMatchObject({ status: 'incomplete', limit: 'wallMs' });
    expect([ran, model.calls.length]).toEqual([[60, 60, 100], 2]);
  });

  it('of wall time does not count the time that a run waits for its turn', async () => {
    const clock = manualClock();
    const slow = defineTool({
      name: 'slow',
      description: '',
      input: z.object({}),
      execute() {
        clock.advance(60);
        return 'ok';
      },
    });
    const { agent } = kit([call('slow'), 'one', call('slow'), 'two'], {
      tools: [slow],
      clock,
      limits: { wallMs: 100 },
    });
    const ends = await Promise.all([agent.run('first'), agent.run('second')]);
    expect(ends.map(({ status }) => status)).toEqual(['done', 'done']);
  });

  it('of steps in a row in which every call was denied starts anew with a call that was not', async () => {
    const { tool } = echo();
    const no = call('echo', { text: 'no' });
    const script = [no, calls('echo', { name: 'echo', args: { text: 'no' } }), no, no, 'never'];
    const { agent, registry, model } = kit(script, { tools: [tool], limits: { deniedSteps: 2 } });
    registry.registerClaiming('toolPolicy', ({ args }) =>
      (args as { text: string }).text === 'no' ? { deny: 'no' } : undefined,
    );
    expect(await agent.run('go')).toMatchObject({ status: 'incomplete', limit: 'deniedSteps' });
    expect(model.calls).toHaveLength(4);
  });

  it('of steps is 100 when nothing is said, and counts anew in each run', async () => {
    const { agent, model } = kit([...Array.from({ length: 150 }, () => call('echo')), 'x'], { tools: [echo().tool] });
    expect(await agent.run('go')).toMatchObject({ status: 'incomplete', limit: 'steps', turns: 100 });
    expect(await agent.run('go on')).toMatchObject({ status: 'done', turns: 51 });
    expect(model.calls).toHaveLength(151);
  });
});
