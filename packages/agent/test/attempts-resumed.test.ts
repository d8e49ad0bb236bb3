// What a wrapper calls again behind a resume is the call that it would have been in one process: it was amended twice, or began from what a person had edited for the attempt before.
import type { Answer, JsonObject, Request } from '@treblehook/types';
import { defineTool } from '@treblehook/types';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { auditSession, memoryStore, type AgentOptions } from '../src/index.js';
import { call, kit, registryWithGuard } from './kit.js';

const around: NonNullable<AgentOptions['around']> = {
  async toolCall(_, core) {
    if ((await core()).outcome === 'error') await core();
    return undefined;
  },
};
function wayOf(data: (nth: number) => JsonObject | undefined, amends: boolean) {
  const store = memoryStore();
  const ran: string[] = [];
  const asked: unknown[] = [];
  const flaky = defineTool({
    name: 'echo',
    description: 'fails once',
    input: z.object({ text: z.string() }),
    execute({ text }) {
      if (ran.push(text) === 1) throw new Error('flaky');
      return text;
    },
  });
  const answer = (request: Request): Answer => {
    const given = data(asked.length);
    asked.push((request.data as { args: { text: string } }).args.text);
    return { id: request.id, ok: true, ...(given !== undefined && { data: given }) };
  };
  const sessionOf = (answerer: AgentOptions['answerer']) => {
    const registry = registryWithGuard();
    registry.registerClaiming('toolPolicy', () => ({ ask: 'may it?', rule: 'r' }), { id: 'asker' });
    if (amends) {
      registry.registerModifying(
        'beforeTool',
        ({ args }) => ({ args: { text: `/box/${(args as { text: string }).text}` } }),
        {
          id: 'box',
        },
      );
    }
    const options = { registry, tools: [flaky], around, store, ...(answerer && { answerer }) };
    return kit([call('echo', { text: 'a' }), 'done'], options).agent.session('s');
  };
  return { store, ran, asked, answer, sessionOf };
}

it.each([
  ['a stage amends it', () => undefined, true, ['/box/a', '/box/a']],
  [
    'an answer edits it',
    (nth: number) => (nth === 0 ? { args: { text: 'edited' } } : undefined),
    false,
    ['edited', 'a'],
  ],
] as const)('%s', async (_, data, amends, expected) => {
  const one = wayOf(data, amends);
  expect(await one.sessionOf({ answer: one.answer }).run('go')).toMatchObject({ status: 'done' });
  const other = wayOf(data, amends);
  const session = other.sessionOf(undefined);
  let result = await session.run('go');
  while (result.status === 'pending') result = await session.resume(other.answer(result.pending![0]!));
  expect(result.status).toBe('done');
  expect(other.ran).toEqual(expected);
  expect([other.ran, other.asked]).toEqual([one.ran, one.asked]);
  for (const { store } of [one, other]) expect(auditSession(await store.read('s')).problems).toEqual([]);
});
