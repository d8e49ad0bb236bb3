/** Laws of answers: one request, one answer, as long as its time and its run last. */
import { same } from '../law.js';
import { requestRecord, runRecord, settledRecord, type StoreLaw } from './bench.js';

export const settleLaws: readonly StoreLaw[] = [
  [
    'settles a request once: the first answer stands',
    async (bench) => {
      const { store } = bench;
      await store.append(await bench.take(), [requestRecord('q')]);
      same(await store.settle('s', { id: 'q', ok: true }), { state: 'settled' }, 'the first answer');
      const taken = { state: 'taken', answer: { id: 'q', ok: true } };
      same(await store.settle('s', { id: 'q', ok: false }), taken, 'a second answer');
      const answered = { type: 'answered', answer: { id: 'q', ok: true } };
      same(await bench.records(), [requestRecord('q'), answered], 'the log');
    },
  ],
  [
    'lets one of the answers stand that come at once',
    async (bench) => {
      const { store } = bench;
      await store.append(await bench.take(), [requestRecord('q')]);
      const answers = [true, false, true, false].map(async (ok) => store.settle('s', { id: 'q', ok }));
      const states = (await Promise.all(answers)).map(({ state }) => state).toSorted();
      same(states, ['settled', 'taken', 'taken', 'taken'], 'what four are told');
      same((await store.read('s')).length, 2, 'the length of the log');
    },
  ],
  [
    'settles no request that it does not know, in another session neither',
    async (bench) => {
      const { store } = bench;
      await store.append(await bench.take(), [requestRecord('q')]);
      same(await store.settle('s', { id: 'p', ok: true }), { state: 'unknown' }, 'another request');
      same(await store.settle('other', { id: 'q', ok: true }), { state: 'unknown' }, 'another session');
    },
  ],
  [
    'takes no answer for a request that has expired',
    async (bench) => {
      const { store } = bench;
      await store.append(await bench.take(), [requestRecord('q', 1500)]);
      bench.at(1500);
      same(await store.settle('s', { id: 'q', ok: true }), { state: 'expired' }, 'an answer at its end');
      bench.at(1499);
      same(await store.settle('s', { id: 'q', ok: true }), { state: 'settled' }, 'an answer 1 ms before');
    },
  ],
  [
    'settles without a lease, while another holds the session, and the holder goes on',
    async (bench) => {
      const { store } = bench;
      const lease = await bench.take();
      await store.append(lease, [requestRecord('q')]);
      await store.settle('s', { id: 'q', ok: true });
      same(await store.append(lease, [runRecord('r')]), 3, 'the number of the next record');
    },
  ],
  ...(['done', 'failed', 'aborted'] as const).map((status): StoreLaw => [
    `lets requests expire with a run that ends ${status}, and with none that waits`,
    async (bench) => {
      const { store } = bench;
      const lease = await bench.take();
      await store.append(await bench.take('other'), [requestRecord('q')]);
      await store.append(lease, [requestRecord('a'), requestRecord('b'), settledRecord('pending')]);
      await store.settle('s', { id: 'a', ok: true });
      const pending = async (): Promise<unknown> =>
        Object.fromEntries((await store.list()).map((row) => [row.sessionId, row.pending]));
      same(await pending(), { s: 1, other: 1 }, 'what can be answered while it waits');
      await store.append(lease, [settledRecord(status)]);
      same(await pending(), { s: 0, other: 1 }, 'what can be answered behind its end');
      same(await store.settle('s', { id: 'b', ok: true }), { state: 'expired' }, 'an answer behind its end');
      const taken = { state: 'taken', answer: { id: 'a', ok: true } };
      same(await store.settle('s', { id: 'a', ok: false }), taken, 'a second answer');
      const answers = (await bench.records()).filter(({ type }) => type === 'answered');
      same(answers.length, 1, 'answers in the log');
      await store.append(lease, [requestRecord('c')]);
      same(await store.settle('s', { id: 'c', ok: true }), { state: 'settled' }, 'an answer to a later request');
    },
  ]),
];
