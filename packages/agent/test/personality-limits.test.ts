// Limits of a personality: in each run as it, of each limit the smaller of the agent's and its own.
import { describe, expect, it } from 'vitest';
import { createAgent, createRuntime, memoryStore, type AgentOptions, type Personality } from '../src/index.js';
import { scriptedModel, type ScriptedStep } from '../src/testing/index.js';
import { call, calls, echo, kit, registryWithGuard } from './kit.js';

const looping: ScriptedStep[] = Array.from({ length: 30 }, () => call('echo'));
const agentOf = (options: Omit<Partial<AgentOptions>, 'model'>, script = looping) =>
  kit(script, { tools: [echo().tool], ...options });
const p = (limits: Personality['limits'], id = 'p'): Personality => ({ id, ...(limits !== undefined && { limits }) });

describe('a limit of a personality', () => {
  it.each([
    ['smaller than the agent’s', { steps: 5 }, { steps: 2 }, 2],
    ['larger than the agent’s', { steps: 2 }, { steps: 5 }, 2],
    ['the agent has none', undefined, { steps: 3 }, 3],
    ['it has none', { steps: 4 }, undefined, 4],
    ['each has another one', { steps: 4 }, { toolCalls: 20 }, 4],
  ])('holds where it is %s', async (_, limits, own, turns) => {
    const { agent } = agentOf({ ...(limits && { limits }), personality: p(own) });
    expect(await agent.run('go')).toMatchObject({ status: 'incomplete', limit: 'steps', turns });
  });

  it.each([
    ['toolCalls', { toolCalls: 1 }],
    ['tokens', { tokens: 20 }],
    ['cost', { cost: 1 }],
  ] as const)('may be one of %s', async (limit, limits) => {
    const prices = { scripted: { input: 1e6, output: 1e6 } };
    const { agent } = agentOf({ personality: p(limits), prices });
    expect(await agent.run('go')).toMatchObject({ status: 'incomplete', limit });
  });

  it('is that of who the session is: a switch changes it, in either direction', async () => {
    const { agent } = agentOf({
      personality: p({ steps: 1 }),
      personalities: [p({ steps: 3 }, 'q'), p(undefined, 'r')],
    });
    const session = agent.session('s');
    const turns = async (): Promise<number> => (await session.run('go')).turns;
    expect(await turns()).toBe(1);
    await session.switchPersonality('q');
    expect(await turns()).toBe(3);
    await session.switchPersonality('r');
    const { agent: other } = agentOf({
      limits: { steps: 2 },
      personality: p({ steps: 1 }),
      personalities: [p(undefined, 'r')],
    });
    const second = other.session('s');
    await second.switchPersonality('r');
    expect((await second.run('go')).turns).toBe(2);
  });

  it('holds over a resume, with what was used before', async () => {
    const store = memoryStore();
    const registry = registryWithGuard();
    let asks = 0;
    registry.registerClaiming('toolPolicy', () => (asks++ === 1 ? { ask: 'may it?' } : undefined), { id: 'asker' });
    const { agent } = agentOf({ store, registry, personality: p({ steps: 3 }) });
    const { pending: requests } = await agent.session('s').run('go');
    const later = agentOf({ store, personality: p({ steps: 3 }) });
    const result = await later.agent.resume('s', { id: requests![0]!.id, ok: true });
    expect(result).toMatchObject({ status: 'incomplete', limit: 'steps', turns: 3 });
  });

  it('is shown beside what holds for the one that the agent starts as', () => {
    const { agent } = agentOf({
      limits: { steps: 9, tokens: 50 },
      personality: p({ steps: 2 }),
      personalities: [p({ tokens: 7 }, 'q'), p(undefined, 'r')],
    });
    const { limits, personality, personalities } = agent.describe();
    expect(limits).toMatchObject({ steps: 2, tokens: 50 });
    expect(personality.limits).toEqual({ steps: 2 });
    expect(personalities.map(({ limits: own }) => own)).toEqual([{ tokens: 7 }, undefined]);
  });

  it.each([
    [{ step: 1 }, /'step' is no key of personality\.limits: did you mean 'steps'/],
    [{ steps: 0 }, /personality\.limits\.steps must be a whole number from 1/],
    [{ cost: 1 }, /personality\.limits\.cost counts by prices/],
    [null, /give an object/],
  ])('is checked as the agent’s are: %j', (limits, message) => {
    expect(() => agentOf({ personality: p(limits as never) })).toThrow(message);
    expect(() => agentOf({ personality: p(limits as never) })).toThrow(
      expect.objectContaining({ code: 'TH_OPTION_INVALID' }),
    );
  });

  it('inherited from Object.prototype is none', async () => {
    // oxlint-disable-next-line no-extend-native -- that is the attack
    Object.defineProperty(Object.prototype, 'limits', { value: { steps: 1 }, configurable: true, writable: true });
    try {
      const registry = registryWithGuard();
      const agent = createAgent({
        model: scriptedModel([call('echo'), 'done']),
        registry,
        tools: [echo().tool],
        personality: { id: 'p' },
      });
      expect(await agent.run('go')).toMatchObject({ status: 'done', turns: 2 });
    } finally {
      delete (Object.prototype as { limits?: object }).limits;
    }
  });
});

describe('the child of a task', () => {
  const task = calls({ name: 'task', args: { agent: 'helper', prompt: 'do it' } });
  async function turnsOf(lead: Personality, helper: Personality, choose?: string, more: readonly Personality[] = []) {
    const registry = registryWithGuard();
    const model = scriptedModel(looping, { modelId: 'helper' });
    const budgets: unknown[] = [];
    registry.registerModifying('subagentSpawning', ({ budget }) => {
      budgets.push(budget);
      return choose === undefined ? undefined : { personality: choose };
    });
    const runtime = createRuntime({
      registry,
      agents: {
        lead: { model: scriptedModel([task, 'end']), agents: ['helper'], tools: [echo().tool], personality: lead },
        helper: { model, tools: [echo().tool], personality: helper, personalities: more },
      },
    });
    await runtime.agent('lead').run('go');
    return { turns: model.calls.length, budgets };
  }

  it('has the limits of its personality, and what its parent has left', async () => {
    expect(await turnsOf(p(undefined), p({ steps: 2 }))).toEqual({ turns: 2, budgets: [{ steps: 2 }] });
    // one call of its parent's three is the task
    expect(await turnsOf(p({ toolCalls: 3 }), p({ steps: 20 }))).toEqual({
      turns: 3,
      budgets: [{ steps: 20, toolCalls: 2 }],
    });
  });

  it('as another personality has those of that one', async () => {
    const { turns } = await turnsOf(p(undefined), p({ steps: 2 }), 'q', [p({ steps: 4 }, 'q')]);
    expect(turns).toBe(4);
    expect((await turnsOf(p(undefined), p({ steps: 4 }), 'q', [p({ steps: 2 }, 'q')])).turns).toBe(2);
  });
});
