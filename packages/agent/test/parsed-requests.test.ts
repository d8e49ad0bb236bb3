// What a run waits for is plain data: written down and read again it can do what it could before.
import type { Answer, Request } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { memoryStore, type RunResult } from '../src/index.js';
import { calls, echo, kit, registryWithGuard } from './kit.js';

const answers: readonly [string, (request: Request) => Omit<Answer, 'id'>][] = [
  ['approved', () => ({ ok: true })],
  ['approved for the session', () => ({ ok: true, data: { remember: { for: 'session', args: 'any' } } })],
  ['approved as edited', () => ({ ok: true, data: { args: { text: 'edited' } } })],
  ['refused', () => ({ ok: false, reason: 'not today' })],
];
/** What does not differ from run to run. */
const shownOf = ({ status, text, toolCalls, messages }: RunResult) => ({
  status,
  text,
  toolCalls: toolCalls.map(({ name, args, output, isError, outcome }) => ({ name, args, output, isError, outcome })),
  roles: messages.map(({ role }) => role),
});

// https://github.com/openai/openai-agents-js/pull/993
describe.each(answers)('requests that are %s', (_, answerOf) => {
  async function waiting() {
    const store = memoryStore();
    const { tool, ran } = echo();
    const made = (script: Parameters<typeof kit>[0]) => {
      const registry = registryWithGuard();
      registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?', rule: 'r' }), { id: 'asker' });
      return kit(script, { registry, store, tools: [tool] });
    };
    const one = made([calls('echo', { name: 'echo', args: { text: 'other' } }), 'done', 'done', 'done']);
    const session = one.agent.session('s');
    const { pending } = await session.run('go');
    return { session, ran, pending: pending!, anew: () => made(['done', 'done', 'done']).agent.session('s') };
  }

  it('end the same whether they were kept in memory, or written as JSON and read in another process', async () => {
    const kept = await waiting();
    const read = await waiting();
    const requests = JSON.parse(JSON.stringify(read.pending)) as readonly Request[];
    const other = read.anew();
    await other.load();
    for (const list of [other.requests(), read.pending]) expect(requests).toEqual(list);

    const results: RunResult[][] = [[], []];
    for (const [at, { session, pending }] of [
      [0, { session: kept.session, pending: kept.pending }],
      [1, { session: other, pending: requests }],
    ] as const) {
      let open: readonly Request[] = pending;
      while (open.length > 0) {
        const request = open[0]!;
        const result = await session.resume(
          JSON.parse(JSON.stringify({ id: request.id, ...answerOf(request) })) as Answer,
        );
        results[at]!.push(result);
        open = result.pending ?? [];
      }
    }
    expect(results[1]!.map(shownOf)).toEqual(results[0]!.map(shownOf));
    expect(results[0]!.at(-1)).toMatchObject({ status: 'done' });
    expect(read.ran).toEqual(kept.ran);
  });
});
