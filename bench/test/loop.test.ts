import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { contender, Seen, text } from '../loop/model.mjs';
import { loop, peerOf, peers } from '../loop/questions.js';
import { withPeers } from '../loop/with-peers.js';
import { contendersOf } from '../measuring/questions.js';
import { measureAll } from '../measuring/rounds.js';
import { allCases, command } from './rooms.js';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

describe('the command', () => {
  test('measures one case in processes of its own and gives it as data', async () => {
    const { code, stdout, stderr } = await command('loop', '--case', 'steps', '--rounds', '1', '--ms', '1', '--json');
    expect(stderr).toContain('round 1 of 1: steps-200');
    expect(code).toBe(0);
    const { lines } = JSON.parse(stdout);
    expect(lines).toEqual([
      expect.objectContaining({ question: 'steps-200', against: '50 of them', as: 'ratio', reach: 4.4 }),
    ]);
    expect(lines[0].ours).toBeGreaterThan(lines[0].theirs);
  });

  test('refuses what it does not know in one line', async () => {
    const { code, stdout, stderr } = await command('loop', '--case', 'nothing-like-it');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe("bench: there is no question 'nothing-like-it'; --list tells the names\n");
  });

  test('--help tells of itself, and measures nothing', async () => {
    const { code, stdout } = await command('loop', '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^npm run bench:loop -- \[options\]/);
  });
});

describe('the peers', () => {
  test('stand outside of the workspace: its lock file knows none of them, their own pins each exactly', () => {
    const { dependencies } = JSON.parse(read('bench/peers/package.json')) as { dependencies: Record<string, string> };
    const locked = JSON.parse(read('bench/peers/package-lock.json')) as {
      packages: Record<string, { version: string }>;
    };
    for (const name of Object.values(peers)) {
      expect(dependencies[name]).toMatch(/^\d+\.\d+\.\d+$/);
      expect(locked.packages[`node_modules/${name}`]?.version).toBe(dependencies[name]);
      expect(read('pnpm-lock.yaml')).not.toContain(`'${name}@`);
    }
  });

  test('where they cannot be installed the rest is measured, and the table says so', async () => {
    const { room, without } = await withPeers(loop, async () => 'no network');
    expect(without).toBe('without peers: no network');
    expect(room.questions.map(({ name }) => name)).toEqual(
      loop.questions.map(({ name }) => name).filter((name) => name !== 'streamed'),
    );
    for (const one of room.questions) expect(contendersOf(one).map(peerOf)).not.toContainEqual(expect.anything());
  });

  test('are not installed for a question that asks for none', async () => {
    const asked = { ...loop, questions: loop.questions.filter(({ name }) => name === 'steps-200') };
    await expect(withPeers(asked, () => Promise.reject(new Error('it was asked')))).resolves.toEqual({ room: asked });
  });
});

describe('the contenders', () => {
  test('of ours and by hand: each does the work that it is timed for', async () => {
    let checked = 0;
    for (const cases of Object.values(await allCases('loop'))) {
      for (const [name, contenders] of Object.entries(cases)) {
        for (const [one, make] of Object.entries(contenders)) {
          if (peerOf(one) !== undefined || name === 'await') continue;
          await expect(
            Promise.resolve(make()).then(({ check }) => check?.()),
            `${name} ${one}`,
          ).resolves.not.toThrow();
          checked++;
        }
      }
    }
    expect(checked).toBeGreaterThan(12);
  });

  test.each([
    ['the tool', { calls: 0, args: undefined, deltas: 20 }, text, 'calls of the tool'],
    ['a delta', { calls: 1, args: { query: 'budget' }, deltas: 19 }, text, 'deltas that were seen'],
    ['the arguments', { calls: 1, args: {}, deltas: 20 }, text, 'arguments'],
    ['the text', { calls: 1, args: { query: 'budget' }, deltas: 20 }, 'another', 'text of the first run'],
  ])('one that leaves out %s is found out', async (_what, did, said, fault) => {
    const seen = new Seen();
    const run = async (): Promise<string> => {
      Object.assign(seen, did);
      return said;
    };
    await expect(contender(seen, run).check()).rejects.toThrow(fault);
  });

  test('a long history is measured in bytes too', async () => {
    const bytes = loop.questions.find(({ name }) => name === 'history-10k-bytes')!;
    const samples = await measureAll({ ...loop, questions: [bytes] }, { rounds: 1, ms: 1 });
    expect(samples.get(bytes)).toEqual({ ours: [expect.any(Number)], '10 messages': [expect.any(Number)] });
  });
});
