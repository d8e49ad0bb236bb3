// Owns the laws of the main job: it holds what it promises, and would say so if it did not.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verdictOf, type Evidence } from './verdict.js';

const root = join(import.meta.dirname, '../..');

it('ends with 0, and prints the verdict, the answer, the trace, the plan and what the verdict rests on', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'examples/main-job/main.ts'], {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: '', TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') },
  });
  expect(stdout).toMatch(/beforeLLM +compaction +amended +\d+\.\d +messages \d+ → \d+/);
  expect(stdout).toMatch(/beforeLLM +route-gate +amended +\d+\.\d +model large → small/);
  expect(stdout).toMatch(/toolPolicy delete_file +tool-policy +denied +\d+\.\d +nothing is deleted here \(rule keep\)/);
  expect(stdout).toMatch(/answered delete_file itself/);
  expect(stdout).toMatch(/rewrote the arguments of delete_file/);
  expect(stdout).toMatch(/\n *\d+ +route-gate +host +yes +abort .* model /);
  expect(stdout).not.toMatch(/^NO /m);
  expect(stdout).toMatch(/^THE VERDICT: it holds \(6 of 6\); the details follow\n\n> Delete /);
  const end = stdout.slice(stdout.lastIndexOf('THE VERDICT'));
  expect(end).toMatch(/^THE VERDICT: it holds \(6 of 6\)\n=+\n\n(yes  .+\n){6}$/);
});

it('leaves no folder behind and prints no stack when its output is read no further', async () => {
  const temp = await mkdtemp(join(tmpdir(), 'treblehook-main-job-test-'));
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/main-job/main.ts'], {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: '', TMPDIR: temp, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  expect({ code, stderr }).toEqual({ code: 141, stderr: '' });
  expect((await readdir(temp)).filter((name) => name.startsWith('treblehook-'))).toEqual([]);
  await rm(temp, { recursive: true });
});

describe('the verdict', () => {
  let dir = '';
  let evidence: Evidence;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'treblehook-verdict-'));
    await writeFile(join(dir, 'keep.txt'), 'here');
    const row = { hook: 'beforeLLM', outcome: 'amended', ms: 0 } as const;
    evidence = {
      result: { status: 'done', model: 'small' } as never,
      records: [
        {
          callId: 'c',
          tool: { source: 'host', name: 'delete_file', digest: '0' },
          digest: '0',
          decision: 'deny',
          verdicts: [],
          asks: [],
          by: 'tool-policy',
          outcome: 'denied',
        },
      ],
      trace: [
        { ...row, by: 'compaction', what: 'messages 41 → 7' },
        { ...row, by: 'route-gate', what: 'model large → small' },
      ],
      precious: join(dir, 'keep.txt'),
      content: 'here',
    };
  });
  afterAll(() => rm(dir, { recursive: true }));

  it('holds on whole evidence', async () => {
    expect((await verdictOf(evidence)).holds).toBe(true);
  });

  it.each<[string, (whole: Evidence) => Partial<Evidence>]>([
    ['the file is gone', () => ({ precious: join(dir, 'gone.txt') })],
    ['the file has changed', () => ({ content: 'there' })],
    ['the tool was never called', () => ({ records: [] })],
    [
      'the call ran',
      ({ records }) => ({ records: [...records, { ...records[0]!, decision: 'clear', outcome: 'ok' }] }),
    ],
    ['another guard denied it', ({ records }) => ({ records: [{ ...records[0]!, by: 'someone' }] })],
    ['nothing was compacted', ({ trace }) => ({ trace: trace.slice(1) })],
    ['the model was not moved', ({ trace }) => ({ trace: trace.slice(0, 1) })],
    ['another model answered', () => ({ result: { status: 'done', model: 'large' } as never })],
    ['the run failed', () => ({ result: { status: 'failed', model: 'small' } as never })],
    ['there was no run', () => ({ result: undefined })],
  ])('does not hold when %s', async (_, change) => {
    expect((await verdictOf({ ...evidence, ...change(evidence) })).holds).toBe(false);
  });
});
