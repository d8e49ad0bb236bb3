/** Laws that hold for any history and any budget. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateTokens, historyFault, type Message } from '@treblehook/types';
import { compactor, isSummary, type CompactionOptions } from '../src/index.js';
import { assistant, group, request, house, system, textOf, user } from './transcripts.js';

const text = fc.string({ maxLength: 300, unit: 'grapheme' });
const pinned = fc.boolean().map((yes) => (yes ? ({ pinned: true } as const) : {}));
const rarely = fc.integer({ min: 0, max: 9 }).map((roll) => (roll === 0 ? ({ pinned: true } as const) : {}));

/** One turn: prompt, up to four groups of one to five parallel calls, maybe a further system message, maybe an answer. */
const turn = fc
  .record({
    prompt: text,
    pin: rarely,
    reminder: fc.option(text, { freq: 6 }),
    notice: fc.option(text, { freq: 8 }),
    groups: fc.array(
      fc.record({
        calls: fc.integer({ min: 1, max: 5 }),
        output: text,
        pin: rarely,
        joined: fc.boolean(),
        of: fc.nat(5),
      }),
      {
        maxLength: 4,
      },
    ),
    answer: fc.option(fc.tuple(text, pinned), { freq: 5 }),
  })
  .map(({ prompt, pin, reminder, notice, groups, answer }): Message[] => [
    user(prompt, pin),
    ...(reminder === null ? [] : [user(reminder)]),
    ...(notice === null ? [] : [system(notice)]),
    ...groups.flatMap(({ calls, output, pin, joined, of }) => {
      const names = Array.from({ length: calls }, (_, at) => `tool-${at}`);
      const [call, ...results] = group(names, output);
      // Results in one tool message or in one each: both are well-formed.
      const all = joined
        ? [call!, { ...results[0]!, content: results.flatMap(({ content }) => content) }]
        : [call!, ...results];
      return all.map((message, at) => (at === of % all.length ? { ...message, ...pin } : message));
    }),
    ...(answer === null ? [] : [assistant(...answer)]),
  ]);

const history = fc
  .tuple(fc.option(text, { freq: 5 }), fc.array(turn, { minLength: 1, maxLength: 8 }), fc.boolean(), text)
  .map(([front, turns, asks, prompt]) => [
    ...(front === null ? [] : [system(front)]),
    ...turns.flat(),
    ...(asks ? [user(prompt)] : []),
  ]);

const options = fc.record({
  share: fc.double({ min: 0.01, max: 1.1, noNaN: true }),
  tail: fc.double({ min: 0, max: 0.99, noNaN: true }),
  prune: fc.boolean(),
  summary: fc.option(
    text.filter((words) => words.trim() !== ''),
    { freq: 2 },
  ),
});

const bytes = (messages: readonly Message[]): string => JSON.stringify(messages);
const isFixed = (message: Message): boolean => message.role === 'system' || message.pinned === true;
const setUp = (
  messages: readonly Message[],
  { share, tail, prune, summary }: typeof options extends fc.Arbitrary<infer T> ? T : never,
) => {
  const maxTokens = Math.max(1, Math.floor(estimateTokens(messages) * share));
  const given: CompactionOptions = {
    maxTokens,
    keepTail: Math.min(maxTokens - 1, Math.floor(maxTokens * tail)),
    prune: prune && { maxChars: 200 },
    ...(summary === null ? {} : { summarize: () => summary }),
  };
  return given;
};

// https://github.com/langchain-ai/langchain/issues/38352
test('for any history and budget the cut is well-formed and loses nothing that it must keep', async () => {
  let cuts = 0;
  await fc.assert(
    fc.asyncProperty(history, options, async (messages, chosen) => {
      const given = setUp(messages, chosen);
      const before = bytes(messages);
      const after = (await compactor(given)({ messages, tools: [] }))?.messages;
      expect(bytes(messages)).toBe(before);
      if (estimateTokens(messages) <= given.maxTokens) expect(after).toBeUndefined();
      if (after === undefined) return;
      cuts++;

      expect(historyFault(after)).toBeUndefined();
      expect(estimateTokens(after)).toBeLessThan(estimateTokens(messages));
      if (messages[0]!.role === 'system') expect(bytes([after[0]!])).toBe(bytes([messages[0]!]));
      expect(bytes(after.filter(isFixed))).toContain(bytes(messages.filter(isFixed)).slice(1, -1));

      const lastPrompt = messages.findLastIndex(({ role }) => role === 'user');
      expect(after.filter((message) => message === messages[lastPrompt])).toHaveLength(1);

      const summaries = after.filter(isSummary);
      expect(summaries.length).toBeLessThanOrEqual(1);
      const at = after.findIndex(isSummary);
      if (at < 0) {
        expect(after.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
        return;
      }
      expect(
        after
          .slice(messages[0]!.role === 'system' ? 1 : 0, at)
          .every((message) => isFixed(message) || hasPinnedMate(message, after)),
      ).toBe(true);
      const tail = after.slice(at + 1);
      // Without a front system text, a system message of the dropped span stands behind the summary.
      if (at > 0 || tail[0]!.role !== 'system') expect(tail[0]!.role).toBe('user');
      const order = tail.map(({ id }) => messages.findIndex((message) => message.id === id));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(order).not.toContain(-1);
      expect(textOf(summaries[0])).toMatch(
        new RegExp(`^\\[Summary of ${messages.length - (after.length - 1)} earlier messages\\.`),
      );
    }),
    { numRuns: 1_500 },
  );
  expect(cuts).toBeGreaterThan(500);
});

/** A group stays whole when one message of it is pinned. */
function hasPinnedMate(message: Message, all: readonly Message[]): boolean {
  const at = all.indexOf(message);
  let start = at;
  while (all[start]!.role === 'tool') start--;
  let end = start + 1;
  while (all[end]?.role === 'tool') end++;
  return all.slice(start, end).some((mate) => mate.pinned);
}

test('for any history the tenant under the kernel and the plain callback agree, and the kernel refuses nothing', async () => {
  await fc.assert(
    fc.asyncProperty(history, options, async (messages, chosen) => {
      const given = setUp(messages, chosen);
      const { registry, fire } = house(given);
      const refused: string[] = [];
      registry.events.on('amendmentRefused', ({ error }) => refused.push(error.message));
      const viaTenant = await fire(request(messages));
      const plain = await compactor(given)({ messages, tools: [], runId: 'run-1' });
      expect(refused).toEqual([]);
      expect(viaTenant?.messages).toEqual(plain?.messages);
    }),
    { numRuns: 300 },
  );
});

test('for any chain of turns each compaction folds the one before it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 5, maxLength: 20 }),
      fc.integer({ min: 200, max: 900 }),
      async (turns, maxTokens) => {
        const cut = compactor({ maxTokens });
        let messages: readonly Message[] = [system('front')];
        for (const [at, more] of turns.entries()) {
          messages = messages.concat(more);
          messages = (await cut({ messages, tools: [], runId: `run-${at}` }))?.messages ?? messages;
          expect(historyFault(messages)).toBeUndefined();
          expect(messages.filter(isSummary).length).toBeLessThanOrEqual(1);
          expect(messages[0]!.id).toBe(messages.find(({ role }) => role === 'system')!.id);
        }
      },
    ),
    { numRuns: 200 },
  );
});
