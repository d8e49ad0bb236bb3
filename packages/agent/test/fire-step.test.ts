import { afterEach, describe, expect, it } from 'vitest';
import type { Tool } from '@treblehook/types';
import { call, calls, echo, kit } from './kit.js';
import { tool, watched } from './watched.js';

const everybodys = Object.prototype as unknown as Record<string, unknown>;
const shared = Array.prototype as unknown as Record<string, unknown>;
/** It is asked of every list that a promise resolves to, and changes nothing: the tests themselves go on. */
const hangThen = (): void => {
  // oxlint-disable-next-line unicorn/no-thenable -- that is the attack
  Object.defineProperty(shared, 'then', { value: undefined, configurable: true });
};
afterEach(() => {
  delete shared['then'];
  delete everybodys['veto'];
});

describe('a point whose answer the run goes on with', () => {
  it.each(['beforePromptBuild', 'beforeLLM'] as const)(
    'is not read when its handlers alter the prototypes: a run at %s fails before anything else is asked',
    async (point) => {
      const { agent, registry, model } = kit(['never']);
      const later: string[] = [];
      registry.registerModifying(point, hangThen);
      registry.registerVoid('llmRequest', () => void later.push('llmRequest'));
      if (point === 'beforePromptBuild') registry.registerModifying('beforeLLM', () => void later.push('beforeLLM'));
      const { status, error } = await agent.run('go');
      expect({ status, error }).toMatchObject({ status: 'failed', error: { code: 'TH_PROTOTYPE_ALTERED' } });
      expect([later, model.calls]).toEqual([[], []]);
    },
  );

  it('is not fired once they are altered, and the call says that the run failed, not that a hook did', async () => {
    const odd: Tool = {
      ...tool('odd', () => 'ran'),
      input: { '~standard': { version: 1, vendor: 'own', validate: async (value) => (hangThen(), { value }) } },
      inputSchema: { type: 'object' },
    };
    const { agent, registry } = kit([call('odd'), 'never'], { tools: [odd] });
    let asked = 0;
    registry.registerModifying('beforeTool', () => void asked++);
    const { status, error, toolCalls } = await agent.run('go');
    expect({ status, error }).toMatchObject({ status: 'failed', error: { code: 'TH_PROTOTYPE_ALTERED' } });
    expect(toolCalls).toMatchObject([{ outcome: 'error', output: "'odd' has no result: the run has failed" }]);
    expect(asked).toBe(0);
  });

  it.each<[string, () => { error: string }]>([
    ['has refused the call', () => ({ error: 'no' })],
    [
      'has failed',
      () => {
        throw new Error('no');
      },
    ],
  ])('is read as aborted when the run is, also behind a gate that %s', async (_, gate) => {
    const abort = new AbortController();
    const { tool: one, ran } = echo();
    const { agent, registry } = kit([call('echo'), 'never'], { tools: [one] });
    // behind the last answer, where the kernel looks no more
    registry.registerModifying('beforeTool', () => (queueMicrotask(() => abort.abort()), gate()), { onError: 'abort' });
    const { status, toolCalls } = await agent.run('go', { signal: abort.signal });
    expect({ status, ran }).toEqual({ status: 'aborted', ran: [] });
    expect(toolCalls).toMatchObject([{ outcome: 'cancelled' }]);
  });

  it('is read by own fields: what stands on Object.prototype is nobody’s amendment', async () => {
    const { agent, registry, model } = kit(['ok']);
    registry.registerModifying('beforeLLM', () => {
      everybodys['veto'] = 'no';
      return { settings: { seed: 1 } };
    });
    const { status } = await agent.run('go');
    delete everybodys['veto'];
    expect([status, model.calls.length]).toEqual(['done', 1]);
  });
});

describe('the guards', () => {
  it('are not asked while a list that they wait for would lie to them', async () => {
    let checks = 0;
    const lie = (): void => {
      // oxlint-disable-next-line unicorn/no-thenable -- that is the attack
      Object.defineProperty(shared, 'then', {
        configurable: true,
        value(this: unknown[], resolve: (list: unknown[]) => void) {
          delete shared['then'];
          resolve(this.map(() => true));
        },
      });
    };
    const ran: unknown[] = [];
    const odd: Tool = {
      ...tool('odd', (args) => (ran.push(args), 'ran')),
      input: {
        '~standard': { version: 1, vendor: 'own', validate: (value) => (++checks === 2 && lie(), { value }) },
      },
      inputSchema: { type: 'object' },
    };
    const { agent, registry } = kit([call('odd'), 'never'], { tools: [odd] });
    registry.registerModifying('beforeTool', () => ({ args: { all: 'files' } }));
    registry.registerClaiming('toolPolicy', async () => {
      const opinions = await Promise.all([Promise.resolve(false), Promise.resolve(true)]);
      return opinions.every(Boolean) ? undefined : { deny: 'one of us says no' };
    });
    const { status, error } = await agent.run('go');
    expect({ status, error, ran }).toMatchObject({
      status: 'failed',
      error: { code: 'TH_PROTOTYPE_ALTERED' },
      ran: [],
    });
  });

  it('that have cleared a call run no body once the run is aborted', async () => {
    const abort = new AbortController();
    const { tool: one, ran } = echo();
    const { agent, registry } = kit([call('echo'), 'never'], { tools: [one] });
    registry.registerClaiming('toolPolicy', () => queueMicrotask(() => abort.abort()) as undefined);
    const { toolCalls } = await agent.run('go', { signal: abort.signal });
    expect(ran).toEqual([]);
    expect(toolCalls).toMatchObject([{ outcome: 'cancelled' }]);
  });
});

it('a call of an aborted run is cancelled, whatever it asks for', async () => {
  const abort = new AbortController();
  const { agent, registry } = kit([calls('echo', 'ghost'), 'never'], { tools: [echo().tool] });
  registry.registerVoid('toolEnd', () => abort.abort());
  const { toolCalls } = await agent.run('go', { signal: abort.signal });
  expect(toolCalls.map(({ outcome }) => outcome)).toEqual(['ok', 'cancelled']);
});

describe('a point that tells what has happened', () => {
  it('is fired and read also when a body has altered the prototypes; nothing is sent behind it', async () => {
    const spoil = tool('spoil', () => (hangThen(), 'done it'));
    const { agent, registry, ends, model } = watched([call('spoil'), 'never'], [spoil]);
    registry.registerModifying('afterTool', ({ result }) => ({ result: { ...result, output: 'redacted' } }));
    const { status, error } = await agent.run('go');
    expect({ status, error }).toMatchObject({ status: 'failed', error: { code: 'TH_PROTOTYPE_ALTERED' } });
    expect(ends).toMatchObject([{ outcome: 'ok', result: { output: 'redacted' } }]);
    expect(model.calls).toHaveLength(1);
  });
});
