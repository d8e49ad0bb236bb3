// A body that waits starts again from its beginning: each start is durable before it, is guarded, and counts.
import { isHeld, pending, type Answer, type SessionRecord, type SessionStore, type Tool } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { memoryStore, type Answerer } from '../src/index.js';
import { manualClock } from '../src/testing/index.js';
import { call, kit, registryWithGuard } from './kit.js';
import { tool } from './watched.js';

const yes: Answerer = { answer: ({ id }) => ({ id, ok: true }) };
const question = pending({ kind: 'code', prompt: 'which code?' });

/** A tool that asks first, and does `work` with the answer; `starts` has what each start was given. */
function asking(work: () => unknown): { readonly tool: Tool; readonly starts: (Answer | undefined)[] } {
  const starts: (Answer | undefined)[] = [];
  const body: Tool['execute'] = (_, { answer }) => {
    starts.push(answer);
    return (answer === undefined ? question : work()) as never;
  };
  return { tool: tool('pay', body), starts };
}

/** What a process that dies at this moment leaves behind. */
async function copyOf(records: readonly SessionRecord[]): Promise<SessionStore> {
  const store = memoryStore();
  const lease = await store.acquire('s', 'copy', 1_000);
  if (isHeld(lease)) throw new Error('it is held');
  await store.append(lease, records);
  await store.release(lease);
  return store;
}

describe('the second start of a body, when its process dies in it,', () => {
  it.each([
    ['the process that asked', true],
    ['the next one', false],
  ])('is in flight: nobody knows what it has done, and it is not run again (answered in %s)', async (_, isHere) => {
    const store = memoryStore();
    let left: Promise<SessionStore> | undefined;
    const paying = asking(() => {
      left = Promise.resolve(store.read('s')).then((all) => copyOf(all.map(({ record }) => record)));
      return 'paid';
    });
    const options = { store, tools: [paying.tool], ...(isHere ? { answerer: yes } : {}) };
    const session = kit([call('pay', {}), 'ok'], options).agent.session('s');
    const { pending: requests } = await session.run('go');
    if (!isHere) await session.resume({ id: requests![0]!.id, ok: true });
    expect(paying.starts).toHaveLength(2);

    const again = asking(() => 'paid twice');
    const { agent } = kit(['I cannot know'], { store: await left!, tools: [again.tool] });
    const { toolCalls } = await agent.resume('s');
    expect(toolCalls).toMatchObject([{ name: 'pay', outcome: 'outcome-unknown' }]);
    expect(again.starts).toEqual([]);
  });
});

it('each start has patience of its own with guards that change', async () => {
  const inner = memoryStore();
  const registry = registryWithGuard();
  let changes = 0;
  // a guard more each time that a start becomes durable: the start is looked at again
  const store: SessionStore = {
    ...inner,
    append: async (lease, records) => {
      if (records[0]!.type === 'started' && records[0].anew !== true) {
        registry.registerClaiming('toolPolicy', () => undefined, { id: `guard-${++changes}` });
      }
      return inner.append(lease, records);
    },
  };
  let starts = 0;
  const patient = tool('patient', () => (++starts > 4 ? 'at last' : question));
  const { agent } = kit([call('patient', {}), 'ok'], { registry, store, tools: [patient], answerer: yes });
  const { toolCalls } = await agent.run('go');
  expect(toolCalls).toMatchObject([{ outcome: 'ok', output: 'at last' }]);
  expect([starts, changes]).toEqual([5, 5]);
});

it.each([
  ['at once', (value: unknown) => value],
  ['later', (value: unknown) => Promise.resolve(value)],
])('the time of a call is that of all starts of its body, and not that of the answer (told %s)', async (_, told) => {
  const clock = manualClock();
  const answerer: Answerer = { answer: ({ id }) => (clock.advance(1_000), { id, ok: true }) };
  const slow = tool('slow', (_args, { answer }) => {
    clock.advance(answer === undefined ? 30 : 4);
    return told(answer === undefined ? question : 'done') as never;
  });
  const { agent, registry } = kit([call('slow', {}), 'ok'], { clock, tools: [slow], answerer });
  const times: number[] = [];
  registry.registerModifying('afterTool', ({ ms }) => void times.push(ms));
  await agent.run('go');
  expect(times).toEqual([34]);
});
