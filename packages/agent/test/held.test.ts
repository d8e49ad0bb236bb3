// A handler that has no budget is waited for no longer than its caller waits, and holds no process behind that.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const child = fileURLToPath(new URL('held-child.mjs', import.meta.url));

it.each([
  ['toolEnd', 'pending', 0],
  ['agentDone', 'done', 0],
  ['afterTool', 'pending', 0],
  ['subagentEnded', 'pending', 0],
  ['messageSent', 'sent', 0],
  ['sessionEnd', 'done', 1],
  ['personalitySwitched', 'TH_DISPOSED', 1],
])('at %s', async (mode, outcome, stuck) => {
  const args = ['--unhandled-rejections=strict', child, mode];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  expect([stdout, stderr]).toEqual([`${JSON.stringify([outcome, stuck])}\n`, '']);
});
