// Owns the property of the door: for any set of plugins and any schedule, a call that some guard denies on its final
// arguments is not executed; and what nobody denies runs, once, as itself.
import { createAgent } from '@treblehook/agent';
import { scriptedModel } from '@treblehook/agent/testing';
import { createHookRegistry } from '@treblehook/core';
import { install, type Policy } from '@treblehook/plugin-tool-policy';
import { agentHooks, defineTool, type Answer, type Request } from '@treblehook/types';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { randomOf, type Random } from './random.js';

const inParallel = 64;
const seeds = Number(process.env['TREBLEHOOK_SEEDS'] ?? 200);
const firstSeed = Number(process.env['TREBLEHOOK_SEED'] ?? 1);

type Verdict = 'pass' | 'deny' | 'ask' | 'throw' | 'hang' | 'odd';
const often = <T>(count: number, verdict: T): readonly T[] => Array.from({ length: count }, () => verdict);
/** To hang costs the time of the test, so it is rare. */
const verdicts: readonly Verdict[] = [
  ...often(60, 'pass' as const),
  ...often(10, 'deny' as const),
  ...often(10, 'ask' as const),
  ...often(8, 'throw' as const),
  ...often(8, 'odd' as const),
  ...often(2, 'hang' as const),
];

/** What each of them says of each number: fixed by the seed, whenever and however often it is asked. */
const verdictTable = (random: Random, from: readonly Verdict[] = verdicts): readonly Verdict[] =>
  Array.from({ length: 2 * inParallel }, () => random.of(from));

const odd = [{ allow: true }, { handled: true }, { ask: 7 }, { deny: true }, true, 'allow', [], { decision: 'clear' }];

async function waits(random: Random): Promise<void> {
  const ticks = random.below(4);
  for (let at = 0; at < ticks; at++) await Promise.resolve();
  if (random.below(4) === 0) await new Promise((resolve) => setImmediate(resolve));
}

function guardOf(id: string, table: readonly Verdict[], random: Random): (call: { readonly args: unknown }) => unknown {
  const said = (n: number): unknown => {
    switch (table[n]) {
      case 'deny':
        return { deny: `${id} denies ${n}` };
      case 'ask':
        return { ask: `${id} asks of ${n}` };
      case 'throw':
        throw new Error(`${id} throws at ${n}`);
      case 'odd':
        return random.of(odd);
      default:
        return undefined;
    }
  };
  return ({ args }) => {
    const { n } = args as { readonly n: number };
    if (random.below(2) === 0) return said(n);
    return waits(random).then(() => said(n));
  };
}

interface World {
  readonly ran: { readonly n: number; readonly call: number; readonly denied: readonly string[] }[];
  readonly outcomes: readonly { readonly outcome: string; readonly output: string; readonly args: unknown }[];
  readonly mayRun: (n: number) => boolean;
  readonly finalOf: (call: number) => number;
}

async function play(seed: number, disrupted: boolean): Promise<World> {
  const random = randomOf(seed);
  const registry = createHookRegistry(agentHooks);
  registry.events.on('handlerFailed', () => {});
  const tables = new Map<string, readonly Verdict[]>();
  const policied = verdictTable(random, ['pass', 'pass', 'pass', 'pass', 'pass', 'deny', 'ask']);
  const rule = (decision: 'deny' | 'ask') => ({
    tools: 'work',
    when: { '/n': { in: [-1, ...policied.flatMap((one, n) => (one === decision ? [n] : []))] } },
    decision,
    reason: `policy says ${decision}`,
  });
  const policy: Policy = { rules: [rule('deny'), rule('ask')] };
  tables.set('tool-policy', policied);
  const ids = Array.from({ length: 1 + random.below(4) }, (_, at) => `plugin-${at}`);
  const late = disrupted ? ['late-0', 'late-1', 'late-2'] : [];
  const join = (id: string): void => {
    const table = verdictTable(random);
    registry.replace(id, (own) => {
      own.registerClaiming('toolPolicy', guardOf(id, table, random) as never, { id: 'guard' });
      // One of its own, so that no short budget meets a guard that is merely slow.
      const hangs = ({ args }: { readonly args: unknown }): unknown =>
        table[(args as { readonly n: number }).n] === 'hang' ? new Promise(() => {}) : undefined;
      own.registerClaiming('toolPolicy', hangs as never, { id: 'hangs', timeoutMs: 1 });
    });
    tables.set(id, table);
  };
  const isPolicyFirst = random.below(2) === 0;
  if (isPolicyFirst) install(registry, policy);
  for (const id of ids) join(id);
  if (!isPolicyFirst) install(registry, policy);

  const shift = verdictTable(random).map(() => random.below(2 * inParallel));
  registry.forPlugin('plugin-0').registerModifying('beforeTool', ({ args }) => {
    const { n, call } = args as { n: number; call: number };
    const amended = { args: { n: shift[n]!, call } };
    return random.below(2) === 0 ? amended : waits(random).then(() => amended);
  });
  const deniedBy = (n: number): readonly string[] =>
    [...tables].flatMap(([id, table]) => (['pass', 'ask'].includes(table[n]!) ? [] : [id]));

  const ran: World['ran'][number][] = [];
  const work = defineTool({
    name: 'work',
    description: 'works',
    input: z.strictObject({ n: z.int(), call: z.int() }),
    concurrency: 'safe',
    execute: async ({ n, call }) => {
      ran.push({ n, call, denied: deniedBy(n) });
      if (late.length > 0 && random.below(3) === 0) join(random.of(late));
      await waits(random);
      return `worked ${call}`;
    },
  });
  const says = verdictTable(random, ['pass', 'deny']);
  const answerer = {
    answer: async ({ id, data }: Request): Promise<Answer> => {
      await waits(random);
      if (late.length > 0 && random.below(4) === 0) join(random.of(late));
      const { n } = (data as { readonly args: { readonly n: number } }).args;
      return { id, ok: says[n] === 'pass' };
    },
  };
  const calls = Array.from({ length: inParallel }, (_, call) => ({ name: 'work', args: { n: call, call } }));
  const agent = createAgent({
    model: scriptedModel([{ calls }, 'done']),
    registry,
    tools: [work],
    answerer,
    personality: { id: 'p', plugins: [...ids, ...late] },
    maxConcurrentTools: 1 + random.below(inParallel),
    limits: { toolCalls: 1_000 },
  });
  const { status, toolCalls } = await agent.run('go');
  expect(status).toBe('done');
  const asks = (n: number): boolean => [...tables.values()].some((table) => table[n] === 'ask');
  return {
    ran,
    outcomes: toolCalls,
    mayRun: (n) => deniedBy(n).length === 0 && (!asks(n) || says[n] === 'pass'),
    finalOf: (call) => shift[call]!,
  };
}

it(
  `64 parallel calls with random verdicts, ${seeds} seeds: what is denied does not run, what is cleared does, no cross-talk`,
  { timeout: 240_000 },
  async () => {
    let bodies = 0;
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
      const { ran, outcomes, mayRun, finalOf } = await play(seed, false);
      const where = `seed ${seed} (TREBLEHOOK_SEED=${seed} TREBLEHOOK_SEEDS=1)`;
      expect(outcomes, where).toHaveLength(inParallel);
      const wanted = outcomes.flatMap((_, call) =>
        mayRun(finalOf(call)) ? [{ n: finalOf(call), call, denied: [] }] : [],
      );
      expect(
        ran.toSorted((a, b) => a.call - b.call),
        where,
      ).toEqual(wanted);
      for (const [call, { outcome, output, args }] of outcomes.entries()) {
        expect(args, where).toEqual({ n: finalOf(call), call });
        if (mayRun(finalOf(call)))
          expect({ outcome, output }, where).toEqual({ outcome: 'ok', output: `worked ${call}` });
        else expect(outcome, `${where}, call ${call}: ${output}`).toBe('denied');
      }
      bodies += ran.length;
    }
    expect(bodies).toBeGreaterThan(seeds);
  },
);

it(
  `the same, while guards come and are replaced, ${Math.ceil(seeds / 4)} seeds: no body runs that a guard of that moment denies`,
  { timeout: 240_000 },
  async () => {
    let bodies = 0;
    for (let seed = firstSeed; seed < firstSeed + seeds / 4; seed++) {
      const { ran } = await play(10_000 + seed, true);
      for (const { denied, call } of ran) expect(denied, `seed ${10_000 + seed}, call ${call}`).toEqual([]);
      expect(new Set(ran.map(({ call }) => call)).size, `seed ${10_000 + seed}`).toBe(ran.length);
      bodies += ran.length;
    }
    expect(bodies).toBeGreaterThan(0);
  },
);
