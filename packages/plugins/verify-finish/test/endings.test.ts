// Owns the laws of how a run ends that does not pass: never done, and the reason says what is missing.
import { definePlugin, type AgentDone, type BeforeFinish } from '@treblehook/types';
import { testHost } from '@treblehook/testing';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import plugin, { verifyFinish, type CodeCheck } from '../src/index.js';
import { calls, host, told, tool } from './kit.js';

const never = (check: CodeCheck['check'], more: Partial<CodeCheck> = {}): CodeCheck => ({
  name: 'never',
  check,
  ...more,
});

describe('a run whose check does not pass', () => {
  it('is stopped behind the cap: nothing is sent any more, and who stopped it is named, streamed or not', async () => {
    let n = 0;
    const code = { checks: [never(() => `attempt ${++n}`)], maxContinuations: 2 };
    const done: AgentDone[] = [];
    const ear = definePlugin({
      id: 'ear',
      setup: ({ hooks }) => void hooks.registerVoid('agentDone', (end) => void done.push(end)),
    });
    const made = await host({ code, plugins: [ear], script: ['a', 'b', 'c'] });
    const result = await made.agent.run('go');
    expect(result).toMatchObject({
      status: 'vetoed',
      text: 'c',
      reason: { text: 'it may not end, and was told so 2 times: never: attempt 3', by: 'verify-finish/stop' },
    });
    expect(made.model.calls).toHaveLength(3);
    expect(done).toMatchObject([{ status: 'vetoed', reason: { by: 'verify-finish/stop' } }]);
    expect(made.faults).toEqual([]);

    const streamed = await host({ code, script: ['a', 'b', 'c'] });
    const events = [];
    for await (const event of streamed.agent.stream('go')) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'done', result: { status: 'vetoed' } });
  });

  it('and who does nothing about it, ends as the loop ends what does not go on', async () => {
    const made = await host({ code: { checks: [never(() => 'no')] }, script: ['a', 'b'] });
    expect(await made.agent.run('go')).toMatchObject({
      status: 'incomplete',
      limit: 'no-progress',
      reason: { text: expect.stringContaining('- never: no') },
    });
  });

  it('ends at the fifth continuation of all handlers, whoever asks for more', async () => {
    let n = 0;
    const nags = definePlugin({
      id: 'nags',
      setup: ({ hooks }) => void hooks.registerModifying('beforeFinish', () => ({ revise: [`nag ${++n}`] })),
    });
    const made = await host({
      code: { checks: [never(() => 'no')], maxContinuations: 4 },
      plugins: [nags],
      script: ['a', 'b', 'c', 'd', 'e', 'f'],
    });
    const { status, reason } = await made.agent.run('go');
    expect(status).toBe('vetoed');
    expect(reason!.text).toContain('never: no');
  });

  it('and another session of the same host is not stopped with it', async () => {
    const code = { checks: [never(({ text }) => text === 'fine' || 'no')], maxContinuations: 0 };
    const made = await host({ code, script: ['bad', 'fine', 'fine'] });
    const one = made.agent.session();
    expect((await one.run('go')).status).toBe('vetoed');
    expect((await made.agent.session().run('go')).status).toBe('done');
    expect((await one.run('go on')).status).toBe('done');
  });
});

describe('a function', () => {
  it.each<readonly [string, CodeCheck['check'], string]>([
    [
      'throws',
      () => {
        throw new Error('no disk');
      },
      'its check failed: no disk',
    ],
    ['rejects', () => Promise.reject(new Error('no net')), 'its check failed: no net'],
    ['says nothing', () => undefined, 'its check gave neither true nor a reason'],
    ['says 1', () => 1, 'its check gave neither true nor a reason'],
    ['gives an object of its own', () => Object.create(null) as object, 'its check gave neither true nor a reason'],
    ['gives an empty reason', () => ' ', 'its check gave no reason'],
    [
      'throws what cannot be printed',
      () => {
        throw Object.create(null);
      },
      'its check failed: a value that cannot be printed',
    ],
    ['hangs', () => new Promise(() => {}), 'its check did not answer within 20 ms'],
  ])('that %s has not passed, and the reason says so', async (_, check, why) => {
    const made = await host({
      code: { checks: [never(check, { timeoutMs: 20, message: 'Mend it.' })], maxContinuations: 0 },
      script: ['a'],
    });
    const { status, reason } = await made.agent.run('go');
    expect(status).toBe('vetoed');
    expect(reason!.text).toContain(`never: ${why}`);
    expect(made.faults).toEqual([]);
  });

  it('sees the finish and a signal that aborts when nobody waits any more', async () => {
    let seen: BeforeFinish | undefined;
    let signal: AbortSignal | undefined;
    const check = never((finish, ctx) => ((seen = finish), (signal = ctx.signal), new Promise(() => {})), {
      timeoutMs: 10,
    });
    await (await host({ code: { checks: [check], maxContinuations: 0 }, script: ['a'] })).agent.run('go');
    expect(seen).toMatchObject({ text: 'a', continuations: 0 });
    expect(signal!.aborted).toBe(true);
  });

  it('that hangs holds no run that is aborted', async () => {
    const end = new AbortController();
    const check = never(() => (end.abort(), new Promise(() => {})));
    const made = await host({ code: { checks: [check] }, script: ['a'] });
    expect((await made.agent.run('go', { signal: end.signal })).status).toBe('aborted');
  });

  it('that goes over the budget of an operator ends the run failed, not done', async () => {
    const made = await host({
      code: { checks: [never(() => new Promise(() => {}))] },
      script: ['a'],
      budgets: { beforeFinish: 30 },
    });
    expect((await made.agent.run('go')).status).toBe('failed');
  });

  it('with changes is asked when something has changed since it passed, and at no other time', async () => {
    let asked = 0;
    const check = never(() => (++asked, true), { after: ['write'] });
    const made = await host({
      code: { checks: [check] },
      script: ['hello', calls({ name: 'write' }), 'done', 'hi', calls({ name: 'write' }), 'x'],
    });
    const session = made.agent.session();
    for (const expected of [0, 1, 1, 2]) {
      expect((await session.run('go')).status).toBe('done');
      expect(asked).toBe(expected);
    }
  });
});

describe('several checks', () => {
  it('are all told at once, those of the code and those of the config', async () => {
    const made = await host({
      code: { checks: [never(() => 'first')] },
      config: { checks: [{ name: 'look', tool: 'run_command' }], maxContinuations: 1 },
      script: ['a', calls({ name: 'run_command', args: {} }), 'b'],
    });
    await made.agent.run('go');
    expect(told(made)[1]).toBe(
      "You are not done yet. What must hold before you end:\n- never: first\n- look: 'run_command' has not passed in this run",
    );
  });
});

describe('what is wrong is refused', () => {
  const check = { name: 'a', tool: 'b' };
  it.each<readonly [string, object | undefined, RegExp]>([
    ['no check at all', undefined, /'checks' is missing/],
    ['a cap beyond the loop', { checks: [check], maxContinuations: 5 }, /whole number from 0 to 4/],
    ['a key that is none', { checks: [{ ...check, tol: 'x' }] }, /there is no 'tol' here/],
    ['a check without a tool', { checks: [{ name: 'a' }] }, /'tool' is missing/],
    ['two of one name', { checks: [check, check] }, /two checks are called 'a'/],
    ['a function in config', { checks: [{ name: 'a', check: () => true }] }, /there is no 'check' here/],
  ])('%s', async (_, config, what) => {
    const failing = testHost({ plugins: [config === undefined ? plugin : { plugin, config }] });
    await expect(failing).rejects.toMatchObject({ code: 'TH_CONFIG_INVALID' });
    await expect(failing).rejects.toThrow(what);
  });

  it.each<readonly [string, unknown, RegExp]>([
    ['an option that is none', { check: [] }, /'check' is no option/],
    ['no list', { checks: {} }, /must be a list/],
    ['no check', { checks: [null] }, /checks\[0\] is no check/],
    ['no function', { checks: [{ name: 'a', check: 1 }] }, /checks\[0\].check must be a function/],
    ['no name', { checks: [{ check: () => true }] }, /checks\[0\].name/],
    ['no time', { checks: [{ name: 'a', check: () => true, timeoutMs: 0 }] }, /timeoutMs must be/],
    ['a cap that is none', { maxContinuations: 9 }, /whole number from 0 to 4/],
    ['a check by calls that is none', { checks: [{ name: 'a', tool: 1 }] }, /'tool' is a number/],
  ])('in code: %s', (_, options, what) => {
    expect(() => verifyFinish(options as never)).toThrow(what);
  });
});

it('what it registers is what its manifest declares', async () => {
  const { hooks, tools, config } = manifest.treblehook;
  const use = { plugin, config: { checks: [{ name: 'a', tool: 'b' }] }, declared: { hooks, tools } };
  const made = await testHost({ plugins: [use], tools: [tool('b')] });
  expect(made.plugins).toEqual(['verify-finish']);
  const extra = await plugin.config!['~standard'].validate({ nothing: 1 });
  expect(extra.issues![0]!.message).toContain(Object.keys(config.properties).join(', '));
});
