/** Laws of the list: each session with how it stands, the last changed first. */
import type { RunStatus, SessionRecord } from '@treblehook/types';
import { same } from '../law.js';
import { requestRecord, runRecord, settledRecord, type StoreLaw } from './bench.js';

export const listLaws: readonly StoreLaw[] = [
  [
    'lists its sessions, the last changed first',
    async (bench) => {
      const { store } = bench;
      await store.append(await bench.take('one'), [requestRecord('q')]);
      bench.at(1050);
      await store.append(await bench.take('two', 'me', 10), [runRecord('r'), runRecord('s')]);
      await bench.take('empty');
      bench.at(1070);
      const rows = [
        { sessionId: 'two', records: 2, openedAt: 1050, changedAt: 1050, pending: 0, last: 'open' },
        { sessionId: 'one', records: 1, openedAt: 1000, changedAt: 1000, pending: 1, holder: 'me' },
      ];
      same(await store.list(), rows, 'the list, without the session that has no record');
    },
  ],
  [
    'says of the session of a task whose it is',
    async (bench) => {
      const lease = await bench.take('s/call_1');
      const parent = { sessionId: 's', callId: 'call_1', digest: 'd', terms: { budget: {}, model: 'm' } };
      await bench.store.append(lease, [{ type: 'opened', agent: 'helper', parent }]);
      await bench.store.release(lease);
      const [row] = await bench.store.list();
      same([row?.sessionId, row?.parent], ['s/call_1', 's'], 'the session and whose it is');
    },
  ],
  [
    'takes times with a fraction, and beyond all dates',
    async (bench) => {
      const { store } = bench;
      bench.at(1000.25);
      const lease = await bench.take('s', 'me', 100.5);
      const asked = [requestRecord('a', 1001.5), requestRecord('b', 1e300), requestRecord('c', Infinity)];
      await store.append(lease, asked);
      await store.renew(lease, 100.5);
      const pending = async (): Promise<unknown> => (await store.list())[0]?.pending;
      bench.at(1001);
      same(await pending(), 3, 'what can be answered at 1001');
      bench.at(1002);
      same(await pending(), 2, 'what can be answered at 1002');
      same(await store.settle('s', { id: 'a', ok: true }), { state: 'expired' }, 'an answer to the first');
      same(await store.settle('s', { id: 'b', ok: true }), { state: 'settled' }, 'an answer to the second');
    },
  ],
  [
    'counts as pending what can be answered: not what was, nor what has expired',
    async (bench) => {
      const { store } = bench;
      const pending = async (): Promise<unknown> => (await store.list())[0]?.pending;
      await store.append(await bench.take(), [requestRecord('a'), requestRecord('b', 1500), requestRecord('c', 1600)]);
      same(await pending(), 3, 'at first');
      await store.settle('s', { id: 'a', ok: true });
      same(await pending(), 2, 'behind an answer');
      bench.at(1500);
      same(await pending(), 1, 'at the end of the second');
      bench.at(1600);
      same(await pending(), 0, 'at the end of the third');
    },
  ],
  [
    'says how the last run of a session stands, from its newest record about that alone',
    async (bench) => {
      const { store } = bench;
      const lease = await bench.take();
      const last = async (): Promise<unknown> => (await store.list()).find(({ sessionId }) => sessionId === 's')?.last;
      const behind = async (...records: readonly SessionRecord[]): Promise<unknown> => {
        await store.append(lease, records);
        return last();
      };
      const late: SessionRecord = { type: 'late', runId: 'r', callId: 'c', text: 'settled' };
      same(await behind({ type: 'opened', agent: 'a' }), undefined, 'without a run');
      same(Object.hasOwn((await store.list())[0] ?? {}, 'last'), false, "whether 'last' is there without a run");
      same(await behind(runRecord('r')), 'open', 'behind its start');
      same(await behind(requestRecord('q'), settledRecord('pending')), 'pending', 'of one that waits');
      await store.settle('s', { id: 'q', ok: true });
      same(await last(), 'pending', 'behind the answer');
      same(await behind({ type: 'resumed', runId: 'r' }), 'open', 'of one that goes on');
      same(await behind(requestRecord('p')), 'open', 'behind a request');
      for (const status of ['done', 'vetoed', 'incomplete', 'aborted', 'failed'] as const satisfies RunStatus[]) {
        same(await behind(runRecord('r'), settledRecord(status)), status, `of one that ended ${status}`);
        same(await behind(late, { type: 'personality', id: 'p' }), status, `behind what bears on no end, ${status}`);
      }
      same(await behind(settledRecord('aborted'), runRecord('r2')), 'open', 'of a further run');
      await store.append(await bench.take('other'), [runRecord('o'), settledRecord('done')]);
      same(await last(), 'open', 'behind a record of another session');
    },
  ],
];
