// Owns the laws of checks by calls: what counts as one that has passed, and behind what.
import { memoryStore } from '@treblehook/agent';
import { definePlugin } from '@treblehook/types';
import { describe, expect, it } from 'vitest';
import { verifyFinish } from '../src/index.js';
import { calls, host, npmTest, run, tests, told, tool, write } from './kit.js';

const missing =
  "You are not done yet. What must hold before you end:\n- tests: 'run_command' with command: npm test * has not passed since the last call of write";

describe('a run that has changed something', () => {
  it('is done behind a call of the check that went well, and is told so long what is missing', async () => {
    const made = await host({ config: { checks: [tests] }, script: [calls(write), 'done!', calls(npmTest), 'done'] });
    expect(await made.agent.run('go')).toMatchObject({ status: 'done', text: 'done' });
    expect(told(made)).toEqual(['go', 'tool', missing, 'tool']);
    expect(made.faults).toEqual([]);
  });

  it.each<readonly [string, readonly object[], readonly object[]]>([
    ['nothing was changed', [], []],
    ['the check came behind the change', [calls(write), calls(npmTest)], []],
    ['both came in one answer, in this order', [calls(write, npmTest)], []],
    [
      'more words stand behind',
      [calls(write), calls({ name: 'run_command', args: { command: ['npm', 'test', 'a'] } })],
      [],
    ],
    [
      'it is a plain line',
      [calls(write), calls({ name: 'run_command', args: { command: { shell: 'npm  test' } } })],
      [],
    ],
  ])('is done at once when %s', async (_, script) => {
    const made = await host({ config: { checks: [tests] }, script: [...script, 'done'] });
    expect(await made.agent.run('go')).toMatchObject({ status: 'done', text: 'done' });
  });

  const shell = (line: string) => [calls(write), calls({ name: 'run_command', args: { command: { shell: line } } })];
  it.each<readonly [string, readonly object[]]>([
    ['the change came behind the check', [calls(npmTest), calls(write)]],
    ['the check failed', [calls(write), calls({ name: 'run_command', args: { command: ['npm', 'test', 'broken'] } })]],
    [
      'it passed and then failed',
      [calls(write), calls(npmTest), calls({ name: 'run_command', args: { command: ['npm', 'test', 'broken'] } })],
    ],
    ['another command ran', [calls(write), calls({ name: 'run_command', args: { command: ['npm', 'run', 'test'] } })]],
    ['the failure was swallowed by the shell', shell('npm test || true')],
    ['it was one of several commands', shell('npm test; true')],
    ['it was one in another', shell('npm test $(true)')],
    [
      'its arguments had names of every object',
      [calls(write), calls({ name: 'run_command', args: JSON.parse('{"constructor":"npm test"}') })],
    ],
    ['its arguments were a list', [calls(write), calls({ name: 'run_command', args: ['npm test'] })]],
    ['the change failed half-way', [calls(npmTest), calls({ name: 'write', args: 'fail' })]],
  ])('is not done when %s', async (_, script) => {
    const tools = [
      tool('write', (args) => {
        if (args === 'fail') throw new Error('disk full');
        return 'ok';
      }),
      run(),
    ];
    const made = await host({ config: { checks: [tests], maxContinuations: 0 }, tools, script: [...script, 'done'] });
    const { status, reason } = await made.agent.run('go');
    expect(status).toBe('vetoed');
    expect(reason!.text).toContain(
      "tests: 'run_command' with command: npm test * has not passed since the last call of write",
    );
  });

  it('is not done by a check that ran beside the change: it may have looked before', async () => {
    const tools = [tool('write', undefined, 'safe'), tool('check', undefined, 'safe')];
    const check = { name: 'look', tool: 'check', after: ['write'] };
    const beside = await host({
      config: { checks: [check], maxContinuations: 0 },
      tools,
      script: [calls(write, { name: 'check' }), 'done'],
    });
    expect(await beside.agent.run('go')).toMatchObject({ status: 'vetoed' });
  });

  it('is not done by a result that a handler has supplied, nor by a call that was denied', async () => {
    const cache = definePlugin({
      id: 'cache',
      setup({ hooks }) {
        hooks.registerModifying('beforeTool', ({ name }) =>
          name === 'run_command' ? { result: { output: '12 passed', isError: false } } : undefined,
        );
      },
    });
    const script = [calls(write), calls(npmTest), 'done'];
    const config = { checks: [tests], maxContinuations: 0 };
    expect(await (await host({ config, script, plugins: [cache] })).agent.run('go')).toMatchObject({
      status: 'vetoed',
    });
    const policy = { rules: [{ tools: 'run_command', decision: 'deny' as const, reason: 'no' }] };
    expect(await (await host({ config, script, policy })).agent.run('go')).toMatchObject({ status: 'vetoed' });
    // a change that was denied is none
    const noWrite = { rules: [{ tools: 'write', decision: 'deny' as const, reason: 'no' }] };
    expect(
      await (await host({ config, script: [calls(write), 'done'], policy: noWrite })).agent.run('go'),
    ).toMatchObject({ status: 'done' });
  });

  it('wants what must stand in the output, and says what to do', async () => {
    const check = { ...tests, includes: '13 passed', message: 'Run npm test.' };
    const made = await host({ config: { checks: [check] }, script: [calls(write), calls(npmTest), 'done', 'done'] });
    expect((await made.agent.run('go')).reason!.text).toContain('tests:');
    expect(told(made)[3]).toMatch(/since the last call of write\. Run npm test\.$/);
  });

  it('is not forgotten by the next run of the session, and is by another session', async () => {
    const made = await host({
      config: { checks: [tests], maxContinuations: 0 },
      script: [calls(write), 'done', 'hello', calls(npmTest), 'done', 'hi'],
    });
    const [one, two] = [made.agent.session('constructor'), made.agent.session('__proto__')];
    expect((await one.run('go')).status).toBe('vetoed');
    expect((await two.run('hello?')).status).toBe('done');
    expect((await one.run('now test')).status).toBe('done');
    expect((await one.run('hi')).status).toBe('done');
  });
});

it('a check without changes must pass in each run', async () => {
  const check = { name: 'look', tool: 'run_command' };
  const made = await host({
    config: { checks: [check], maxContinuations: 0 },
    script: [calls(npmTest), 'done', 'done'],
  });
  const session = made.agent.session();
  expect((await session.run('go')).status).toBe('done');
  expect((await session.run('go')).reason!.text).toContain("look: 'run_command' has not passed in this run");
});

it('a run that waits for an answer counts what it did before; one that another process goes on with does not know it, and checks again', async () => {
  const asks = definePlugin({
    id: 'asks',
    setup: ({ hooks }) =>
      void hooks.registerClaiming('toolPolicy', ({ tool: { name } }) =>
        name === 'run_command' ? { ask: 'may it?' } : undefined,
      ),
  });
  const config = { checks: [tests], maxContinuations: 1 };
  const same = await host({ config, plugins: [asks], script: [calls(write), calls(npmTest), 'done'] });
  const waits = await same.agent.session('s').run('go');
  expect(await same.agent.resume('s', { id: waits.pending![0]!.id, ok: true })).toMatchObject({ status: 'done' });

  const store = memoryStore();
  const check = { name: 'look', tool: 'run_command' };
  const parts = { store, plugins: [asks], config: { checks: [check], maxContinuations: 1 } };
  const one = await host({ ...parts, script: [calls(npmTest)] });
  const left = await one.agent.session('s').run('go');
  await one.close();
  const two = await host({ ...parts, script: ['done', 'done'] });
  const result = await two.agent.resume('s', { id: left.pending![0]!.id, ok: true });
  expect(result.status).not.toBe('done');
  expect(told(two)[1]).toContain('You are not done yet');
});

it('a reload knows nothing of before: what has changed before is not asked for', async () => {
  const made = await host({ config: { checks: [tests], maxContinuations: 0 }, script: [calls(write), 'done', 'done'] });
  const session = made.agent.session();
  await session.run('go');
  await made.reload({ plugin: verifyFinish(), config: { checks: [tests] } });
  expect((await session.run('go')).status).toBe('done');
});
