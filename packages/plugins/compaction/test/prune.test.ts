/** Laws of the first stage: long tool results are cut in the middle, without a model. */
import { expect, test } from 'vitest';
import type { Message } from '@treblehook/types';
import { compactor, isSummary } from '../src/index.js';
import { cutMiddle } from '../src/prune.js';
import { group, house, request, system, user } from './transcripts.js';

const outputs = (messages: readonly Message[]) =>
  messages.flatMap(({ content }) => content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : [])));

const long = (): Message[] => [
  system('s'),
  user('look around'),
  ...group(['a'], 'first line\n'.padEnd(9_000, 'x')),
  ...group(['b'], 'short'),
  ...group(['c'], 'newest\n'.padEnd(3_000, 'z')),
];

test('when cutting long results is enough, nothing is summarised and no message is dropped', async () => {
  let asked = 0;
  const flushed: (readonly Message[])[] = [];
  const messages = long();
  const { fire, told } = house({
    maxTokens: 2_000,
    prune: true,
    summarize: () => ((asked += 1), 'short'),
    flush: (dropping) => void flushed.push(dropping),
  });
  const after = (await fire(request(messages)))!.messages! as readonly Message[];
  expect(asked).toBe(0);
  expect(after.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
  expect(outputs(after)[0]).toHaveLength(2_000);
  expect(outputs(after)[0]).toMatch(/^first line\nx+\n\[… 7000 or more characters were cut here …\]\nx+$/);
  expect(outputs(after).slice(1)).toEqual(outputs(messages).slice(1));
  expect(flushed).toEqual([[messages[3]]]);
  expect(told).toMatchObject([
    { hook: 'before', dropping: [] },
    { hook: 'after', outcome: 'done', dropping: [] },
  ]);
});

test('a veto keeps long results whole', async () => {
  const { registry, fire } = house({ maxTokens: 2_000, prune: true });
  registry.registerModifying('beforeCompaction', () => ({ veto: 'not now' }));
  expect(await fire(request(long()))).toBeUndefined();
});

test('what is cut once is not cut again', async () => {
  const cut = compactor({ maxTokens: 2_000, prune: true });
  const once = (await cut({ messages: long(), tools: [] }))!.messages;
  const more = [...once, ...group(['d'], 'y'.repeat(6_000))];
  const twice = (await cut({ messages: more, tools: [] }))!.messages;
  const first = outputs(twice).find((output) => output.startsWith('first line'));
  if (first !== undefined) expect(first).toBe(outputs(once)[0]);
  expect(twice.length).toBeGreaterThan(3);
});

test('pinned results and results that the model has not seen yet are not cut', async () => {
  const pinned = group(['rules'], 'r'.repeat(5_000), { pinned: true });
  const messages = [
    system('s'),
    user('go'),
    ...pinned,
    ...group(['b'], 'b'.repeat(9_000)),
    ...group(['c'], 'c'.repeat(5_000)),
  ];
  const after = (await compactor({ maxTokens: 3_200, prune: true })({ messages, tools: [] }))!.messages;
  expect(outputs(after).map((output) => output.length)).toEqual([5_000, 2_000, 5_000]);
});

test('what cutting does not save is summarised, from the cut results; hooks and flush see them whole', async () => {
  const messages = [...long().slice(0, -2), user('now what'), ...group(['c'], 'c'.repeat(400))];
  const sizes: number[] = [];
  const { fire, told } = house({
    maxTokens: 400,
    prune: true,
    summarize: (older) => (sizes.push(...outputs(older).map((output) => output.length)), 'short'),
    flush: (dropping) => void sizes.push(...outputs(dropping).map((output) => output.length)),
  });
  const after = (await fire(request(messages)))!.messages! as readonly Message[];
  expect(sizes).toEqual([9_000, 5, 2_000, 5]);
  expect(outputs(told[0]!.dropping).map((output) => output.length)).toEqual([9_000, 5]);
  expect(after.filter(isSummary)).toHaveLength(1);
});

test('when nothing else is left the newest result is cut too', async () => {
  const messages = [system('s'), user('go'), ...group(['a'], 'a'.repeat(1_000)), ...group(['b'], 'b'.repeat(40_000))];
  const after = (await compactor({ maxTokens: 1_000, prune: true })({ messages, tools: [] }))!.messages;
  expect(outputs(after).at(-1)).toHaveLength(2_000);
});

test('no character is split by a cut', () => {
  for (let size = 200; size < 260; size++) {
    const cut = cutMiddle('😀'.repeat(400), size);
    expect(cut.length).toBeLessThanOrEqual(size);
    expect(cut).not.toMatch(/\p{Surrogate}/u);
  }
});
