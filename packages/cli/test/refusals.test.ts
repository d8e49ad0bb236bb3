// Owns the laws of what a refusal says: each fault that there is, and the command, the tool or the place that was meant.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandIn } from './command.js';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'refusals-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('a command that is not there', () => {
  it.each([
    ['sesion list', "did you mean 'session list'?"],
    ['polcy chek p.yaml', "did you mean 'policy check'?"],
    ['polcy p.yaml', "did you mean 'policy'?"],
    ['audt s1', "did you mean 'audit'?"],
    ['policy chek', "did you mean 'policy check'?"],
  ])('%s: the near one is named', async (words, mend) => {
    const { code, stderr } = await commandIn(dir, ...words.split(' '));
    expect([code, stderr]).toEqual([2, expect.stringContaining(mend)]);
  });
});

describe('rules that match nothing', () => {
  it('are each a fault of the document and a line of stderr', async () => {
    const rule = (tools: string): string => `  - { tools: ${tools}, decision: deny, reason: no }\n`;
    writeFileSync(join(dir, 'p.yaml'), `rules:\n${rule('wirte_file')}${rule('lst_files')}`);
    const { code, stdout, stderr } = await commandIn(dir, 'run', 'hello', '--policy=p.yaml', '--strict', '--json');
    expect(code).toBe(2);
    const near = /p\.yaml:2:14: .*did you mean 'write_file'\? It is not offered: add it by --tools \S*write_file/;
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: 'TH_MATCHES_NOTHING',
        faults: [
          { code: 'TH_MATCHES_NOTHING', message: expect.stringMatching(near) as string },
          { message: expect.stringContaining("did you mean 'list_files'?") as string },
        ],
      },
    });
    expect(stderr.trim().split('\n')).toHaveLength(2);
  });
});

describe('a run that waits', () => {
  it('says why nobody was asked, whatever its stderr is', async () => {
    writeFileSync(join(dir, 'asks.yaml'), 'rules: [{ tools: list_files, decision: ask, reason: may it? }]\n');
    const run = (...flags: string[]) => commandIn(dir, 'run', 'list the files', '--policy=asks.yaml', ...flags);
    const plain = await run();
    expect([plain.code, plain.stderr]).toEqual([
      4,
      expect.stringContaining('nobody was asked: that takes a terminal at both stdin and stdout'),
    ]);
    expect((await run('--json')).stderr).toContain('nobody was asked: with --json stdout has the document alone');
    expect((await run('--on-ask=suspend')).stderr).not.toContain('nobody was asked');
  });
});
