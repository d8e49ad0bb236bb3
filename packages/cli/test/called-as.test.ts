// Owns the laws of the name of the command: what is told to be typed is what was typed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { asCalled } from '../src/called-as.js';
import { commandWith } from './command.js';

const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true });
});
function place() {
  const dir = mkdtempSync(join(tmpdir(), 'treblehook-called-'));
  made.push(dir);
  const env = { TREBLEHOOK_CALLED_AS: 'npm start --' };
  return (...argv: string[]) => commandWith({ cwd: dir, env }, ...argv);
}

describe('called by another name', () => {
  it.each([
    ['a refusal', ['session', 'show'], 'npm start -- session show <id>; npm start -- session list shows them'],
    ['a command that is not there', ['nothing'], 'write npm start -- run "nothing", or see npm start -- --help'],
    ['the end of a run', ['run', 'hello'], 'go on by npm start -- run "…" --session session_'],
  ])('%s names it', async (_, argv, text) => {
    expect((await place()(...argv)).stderr).toContain(text);
  });

  it('help, a list without sessions and the document of a refusal name it', async () => {
    const run = place();
    const help = await run('run', '--help');
    expect(help.stdout).toContain('npm start -- run "what does this project do?"');
    expect(help.stdout).not.toContain('treblehook run');
    const whole = await run('--help');
    expect(whole.stdout).toContain('Use npm start -- <command> --help');
    expect(whole.stdout).not.toMatch(/(?<!\()treblehook /);
    const coloured = '\u001B[36mtreblehook run\u001B[39m; a/treblehook run';
    expect(asCalled(coloured, { TREBLEHOOK_CALLED_AS: 'npm start --' })).toBe(
      '\u001B[36mnpm start -- run\u001B[39m; a/treblehook run',
    );
    expect((await run('session', 'list')).stdout).toContain('npm start -- run "…" makes one');
    const { stdout } = await run('run', 'a', 'b', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      error: { message: expect.stringContaining('npm start -- run "a b"') as string },
    });
  });
});

describe('what is no command line', () => {
  it.each(['treblehook: the store', '@treblehook/agent run', './treblehook run x', 'treblehook runs'])(
    'stays: %s',
    (text) => {
      expect(asCalled(text, { TREBLEHOOK_CALLED_AS: 'npm start --' })).toBe(text);
    },
  );

  it('nor is anything changed when nobody says a name', () => {
    expect(asCalled('treblehook run "x"', {})).toBe('treblehook run "x"');
  });
});
