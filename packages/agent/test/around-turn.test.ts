// Around a turn: it can be observed and delayed, and nothing of it replaced.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryStore, type Around, type TurnDone } from '../src/index.js';
import { deferred, manualClock } from '../src/testing/index.js';
import { faultOf, wrapped } from './around-kit.js';
import { call, echo, settle } from './kit.js';

afterEach(() => void vi.restoreAllMocks());

describe('a wrapped turn', () => {
  it('says what became of it; each turn has its own', async () => {
    const seen: unknown[] = [];
    const around: Around = {
      async turn({ origin, isTakenUp }, core) {
        const { status, text, toolCalls } = await core();
        seen.push([origin.turn, isTakenUp, status, text, toolCalls.map(({ output }) => output)]);
      },
    };
    expect(await wrapped([call('echo'), 'ok'], around, { tools: [echo().tool] }).run()).toMatchObject({
      status: 'done',
    });
    expect(seen).toEqual([
      [0, false, undefined, '', ['said hi']],
      [1, false, 'done', 'ok', []],
    ]);
  });

  it('waits for its wrapper, in front and behind', async () => {
    const front = deferred<void>();
    const behind = deferred<void>();
    const around: Around = {
      async turn(_, core) {
        await front.promise;
        await core();
        await behind.promise;
      },
    };
    const made = wrapped(['ok'], around);
    let isOver = false;
    const run = made.run().finally(() => (isOver = true));
    await settle();
    expect(made.model.calls).toEqual([]);
    front.resolve();
    await settle();
    expect([made.model.calls.length, isOver]).toEqual([1, false]);
    behind.resolve();
    expect((await run).status).toBe('done');
  });

  it('cannot be replaced: what its wrapper gives is not read, and a turn that it does not take is taken behind it', async () => {
    const made = wrapped(['ok'], { turn: () => ({ status: 'vetoed', text: 'no' }) });
    expect(await made.run()).toMatchObject({ status: 'done', text: 'ok' });
  });

  it('is taken once, with nothing to change about it', async () => {
    const faults: unknown[] = [];
    let kept: (() => Promise<TurnDone>) | undefined;
    const around: Around = {
      async turn(_, core) {
        kept = core;
        faults.push(await faultOf((core as (changed: unknown) => Promise<unknown>)({ text: 'x' })));
        await core();
        faults.push(await faultOf(core()));
      },
    };
    const made = wrapped(['ok', 'never'], around);
    await made.run();
    faults.push(await faultOf(kept!()));
    expect(faults).toMatchObject([
      { code: 'TH_OPTION_INVALID' },
      { code: 'TH_CORE_REFUSED' },
      { code: 'TH_CORE_REFUSED' },
    ]);
    expect(made.model.calls).toHaveLength(1);
  });

  it.each<[string, boolean, number]>([
    ['in front of it, before anything is sent', false, 0],
    ['behind it', true, 1],
  ])('whose wrapper throws %s ends the run failed with that very error', async (_, isBehind, sent) => {
    const broken = new Error('broken');
    const around: Around = {
      async turn(__, core) {
        if (isBehind) await core();
        throw broken;
      },
    };
    const made = wrapped(['ok'], around);
    const { status, error } = await made.run();
    expect([status, made.model.calls.length]).toEqual(['failed', sent]);
    expect(error).toBe(broken);
  });

  it('whose own fault its wrapper hides still ends the run with it', async () => {
    const broken = new Error('broken');
    let fault: unknown;
    const around: Around = {
      async turn(_, core) {
        fault = await faultOf(core());
      },
    };
    const { status, error } = await wrapped([broken], around).run();
    expect([status, error, fault]).toEqual(['failed', broken, broken]);
  });

  it('that waits for answers waits when its wrapper throws, and is taken up as the rest of that turn', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const store = memoryStore();
    const around: Around = {
      async turn(_, core) {
        await core();
        throw new Error('broken');
      },
    };
    const first = wrapped([call('echo')], around, { tools: [echo().tool], store });
    first.registry.registerClaiming('toolPolicy', () => ({ ask: 'sure?' }));
    const one = await first.run();
    expect([one.status, warn.mock.calls.length]).toEqual(['pending', 1]);
    const seen: unknown[] = [];
    const second = wrapped(
      ['ok'],
      {
        async turn({ origin, isTakenUp }, core) {
          seen.push([origin.turn, isTakenUp, (await core()).toolCalls.map(({ outcome }) => outcome)]);
        },
      },
      { tools: [echo().tool], store },
    );
    expect(await second.session.resume({ id: one.pending![0]!.id, ok: true })).toMatchObject({ status: 'done' });
    expect(seen).toEqual([
      [0, true, ['ok']],
      [1, false, []],
    ]);
  });

  it('of a run that is aborted is waited for no longer than graceMs', async () => {
    const clock = manualClock();
    const abort = new AbortController();
    const made = wrapped(['never'], { turn: () => new Promise(() => {}) }, { clock, graceMs: 100 });
    const run = made.run({ signal: abort.signal });
    await settle();
    abort.abort();
    clock.advance(100);
    expect((await run).status).toBe('aborted');
    expect([made.model.calls, clock.pending()]).toEqual([[], 0]);
  });

  it('stands around its model call, and that and its tool calls around nothing else', async () => {
    const order: string[] = [];
    const around: Around = {
      async turn(_, core) {
        order.push('turn');
        await core();
        order.push('/turn');
      },
      async llmCall(_, core) {
        order.push('llm');
        await core();
        order.push('/llm');
      },
      async toolCall(_, core) {
        order.push('tool');
        await core();
        order.push('/tool');
      },
    };
    const made = wrapped([call('echo'), 'ok'], around, { tools: [echo().tool] });
    await made.run();
    expect(order).toEqual(['turn', 'llm', '/llm', 'tool', '/tool', '/turn', 'turn', 'llm', '/llm', '/turn']);
    expect(made.agent.describe().around).toEqual(['toolCall', 'llmCall', 'turn']);
  });
});
