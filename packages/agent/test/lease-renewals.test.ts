// A lease is renewed at a third of its time: one renewal that failed for a moment ended the run, with two thirds of it left.
import { defineTool, HookError, type SessionStore } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryStore } from '../src/index.js';
import { deferred, manualClock } from '../src/testing/index.js';
import { call, kit, settle } from './kit.js';

function running(renew: (nth: number) => unknown) {
  const clock = manualClock();
  const inner = memoryStore({ now: clock.date });
  let asked = 0;
  const store: SessionStore = { ...inner, renew: (lease, ms) => (renew(++asked) ?? inner.renew(lease, ms)) as void };
  const body = deferred<string>();
  const begun = deferred();
  const slow = defineTool({
    name: 'slow',
    description: 's',
    input: z.object({}),
    execute() {
      begun.resolve();
      return body.promise;
    },
  });
  const run = kit([call('slow', {}), 'done'], { store, clock, tools: [slow], graceMs: 0 })
    .agent.session('s')
    .run('go');
  const pass = async (seconds: number): Promise<void> => {
    for (let at = 0; at < seconds; at++) {
      clock.advance(1_000);
      await settle();
    }
  };
  return { run, pass, begun: begun.promise, body, asked: () => asked };
}

describe('a fault of the store at a renewal', () => {
  it('is none of the run while the lease has time left', async () => {
    const { run, pass, begun, body, asked } = running((nth) => {
      if (nth < 5) throw new HookError('TH_STORE_FAILED', { store: 's', what: 'busy', mend: 'wait' });
    });
    await begun;
    await pass(60);
    expect(asked()).toBeGreaterThan(8);
    body.resolve('x');
    expect(await run).toMatchObject({ status: 'done' });
  });

  it.each([
    ['fails each time', () => Promise.reject(new Error('away')), /away/],
    ['never answers', () => new Promise(() => {}), /has not answered/],
  ] as const)('ends the run with the lease, when it %s', async (_, renew, what) => {
    const { run, pass, begun } = running(renew);
    await begun;
    let status: string | undefined;
    void run.then((result) => (status = result.status));
    await pass(29);
    expect(status).toBeUndefined();
    await pass(3);
    expect(await run).toMatchObject({
      status: 'failed',
      error: expect.objectContaining({ message: expect.stringMatching(what) as string }),
    });
  });
});

it('a lease that is lost ends the run at once', async () => {
  const lost = new HookError('TH_LEASE_LOST', { session: 's', fence: '1' });
  const { run, pass, begun, asked } = running(() => Promise.reject(lost));
  await begun;
  await pass(11);
  expect(await run).toMatchObject({ status: 'failed', error: lost });
  expect(asked()).toBe(1);
});
