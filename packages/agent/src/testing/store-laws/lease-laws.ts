/** Laws of leases: one holder at a time, and a fence that shuts out whoever had it before. */
import { isHeld } from '@treblehook/types';
import { refused, same } from '../law.js';
import { runRecord, type StoreLaw } from './bench.js';

export const leaseLaws: readonly StoreLaw[] = [
  [
    'has one holder at a time, and says who it is',
    async (bench) => {
      await bench.take('s', 'first');
      same(await bench.store.acquire('s', 'second', 100), { holder: 'first', until: 1100 }, 'what the second is told');
      await bench.take('other', 'second');
    },
  ],
  [
    'gives a session to one of those who ask at once',
    async (bench) => {
      const asking = ['a', 'b', 'c', 'd'].map(async (holder) => bench.store.acquire('s', holder, 100));
      const given = (await Promise.all(asking)).filter((one) => !isHeld(one));
      same(given.length, 1, 'how many of four have it');
    },
  ],
  [
    'gives a session that was released to the next one',
    async (bench) => {
      const first = await bench.take('s', 'first');
      await bench.store.release(first);
      same((await bench.take('s', 'second')).fence, first.fence + 1, 'the next fence');
    },
  ],
  [
    'releases once: a lease that is lost takes nothing from its successor',
    async (bench) => {
      const old = await bench.take();
      await bench.store.release(old);
      await bench.take('s', 'second');
      await bench.store.release(old);
      same(await bench.store.acquire('s', 'third', 100), { holder: 'second', until: 1100 }, 'what a third is told');
    },
  ],
  [
    'lets a lease that has run out be taken over, and then refuses its appends and renewals',
    async (bench) => {
      const { store } = bench;
      const old = await bench.take('s', 'first');
      bench.at(1099);
      same(isHeld(await store.acquire('s', 'second', 100)), true, 'whether it is held 1 ms before its end');
      bench.at(1100);
      const lease = await bench.take('s', 'second');
      same(lease.fence, old.fence + 1, 'the next fence');
      await refused('TH_LEASE_LOST', () => store.append(old, [runRecord('r1')]), 'an append under the old fence');
      await refused('TH_LEASE_LOST', () => store.renew(old, 100), 'a renewal under the old fence');
      same(await store.read('s'), [], 'the log behind both');
      await store.append(lease, [runRecord('r2')]);
      same(await bench.records(), [runRecord('r2')], 'the log of the successor');
    },
  ],
  [
    'keeps a lease that is renewed',
    async (bench) => {
      const lease = await bench.take('s', 'first');
      bench.at(1090);
      await bench.store.renew(lease, 100);
      bench.at(1189);
      same(await bench.store.acquire('s', 'second', 100), { holder: 'first', until: 1190 }, 'what the second is told');
    },
  ],
];
