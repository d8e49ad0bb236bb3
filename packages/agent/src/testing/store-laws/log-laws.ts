/** Laws of a log: it only grows, in order, whole, and gives back what it was given. */
import type { SessionRecord } from '@treblehook/types';
import { faultOf, refused, same } from '../law.js';
import { runRecord, type LastingLaw, type StoreLaw } from './bench.js';

export const logLaws: readonly StoreLaw[] = [
  [
    'gives back what was appended, numbered from 1, and only what stands behind a number',
    async (bench) => {
      const { store } = bench;
      const lease = await bench.take();
      const opened: SessionRecord = { type: 'opened', agent: 'a' };
      same(await store.append(lease, [opened, runRecord('r1')]), 2, 'the number of the last of two records');
      bench.at(2000);
      same(await store.append(lease, [runRecord('r2')]), 3, 'the number of a third');
      const rows = [
        { seq: 1, at: 1000, record: opened },
        { seq: 2, at: 1000, record: runRecord('r1') },
        { seq: 3, at: 2000, record: runRecord('r2') },
      ];
      same(await store.read('s'), rows, 'the whole log');
      same(await store.read('s', 2), rows.slice(2), 'what stands behind 2');
      same(await store.read('s', 3), [], 'what stands behind the last');
      same(await store.read('another'), [], 'the log of a session that nobody opened');
    },
  ],
  [
    'appends all records or none',
    async (bench) => {
      const lease = await bench.take();
      const bad = {
        type: 'run',
        runId: 'r',
        get input(): string {
          throw new Error('unreadable');
        },
      } as SessionRecord;
      await faultOf(() => bench.store.append(lease, [runRecord('r1'), bad]), 'a record that cannot be read');
      same(await bench.store.read('s'), [], 'the log behind it');
    },
  ],
  [
    'numbers what is appended at once without a gap, and leaves the records of one append together',
    async (bench) => {
      const lease = await bench.take();
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
      const pair = (name: string) => [runRecord(`${name}1`), runRecord(`${name}2`)];
      const ends = await Promise.all(names.map(async (name) => bench.store.append(lease, pair(name))));
      same(
        ends.toSorted((a, b) => a - b),
        names.map((_, at) => 2 * at + 2),
        'the numbers that eight appends of two records give',
      );
      const rows = await bench.store.read('s');
      same(
        rows.map(({ seq }) => seq),
        rows.map((_, at) => at + 1),
        'the numbers of the log',
      );
      for (const [at, name] of names.entries()) {
        const last = ends[at]!;
        same(
          await bench.records('s', last - 2).then((found) => found.slice(0, 2)),
          pair(name),
          `the records of '${name}'`,
        );
      }
    },
  ],
  [
    'keeps bytes, URLs and keys of any name',
    async (bench) => {
      const lease = await bench.take();
      const strange = { '~treblehook': 'bytes', value: 'not ours', __proto__: null, nested: { '~treblehook': 1 } };
      const record = {
        type: 'message',
        message: {
          role: 'user',
          content: [
            { type: 'file', mediaType: 'image/png', data: new Uint8Array([0, 255, 7]) },
            { type: 'file', mediaType: 'image/png', data: new URL('https://example.org/a.png') },
            { type: 'tool-call', callId: 'c', name: 'n', args: { strange, list: [strange], text: 'ä\u2028\u0000"' } },
          ],
        },
      } as SessionRecord;
      await bench.store.append(lease, [record]);
      same(await bench.records(), [record], 'the record');
    },
  ],
  [
    'does not see what is done to a record behind its append',
    async (bench) => {
      const lease = await bench.take();
      const record = { type: 'opened', agent: 'a' };
      await bench.store.append(lease, [record as SessionRecord]);
      record.agent = 'b';
      same(await bench.records(), [{ type: 'opened', agent: 'a' }], 'the record');
    },
  ],
  [
    'tells sessions apart to the last character',
    async (bench) => {
      const ids = ['s', 'S', 's ', 's/', 's%', 'ß', '__proto__', 'constructor'];
      for (const id of ids) await bench.store.append(await bench.take(id), [runRecord(id)]);
      for (const id of ids) same(await bench.records(id), [runRecord(id)], `the log of ${JSON.stringify(id)}`);
    },
  ],
];

export const lastingLaws: readonly LastingLaw[] = [
  [
    'has what was appended, and counts on, when it is opened again',
    async (bench, reopen) => {
      const old = await bench.take();
      await bench.store.append(old, [runRecord('r1')]);
      await bench.store.release(old);
      const again = await bench.reopened(reopen);
      try {
        same(await again.records(), [runRecord('r1')], 'the log');
        const lease = await again.take();
        if (lease.fence <= old.fence)
          throw new Error(`the fence went from ${old.fence} to ${lease.fence}: it only grows`);
        same(await again.store.append(lease, [runRecord('r2')]), 2, 'the number of the next record');
      } finally {
        await again.store.close();
      }
    },
  ],
  [
    'says TH_STORE_FAILED once it is closed',
    async (bench) => {
      const lease = await bench.take();
      await bench.store.close();
      await refused('TH_STORE_FAILED', () => bench.store.append(lease, [runRecord('r')]), 'an append behind close');
      await refused('TH_STORE_FAILED', () => bench.store.read('s'), 'a read behind close');
    },
  ],
];
