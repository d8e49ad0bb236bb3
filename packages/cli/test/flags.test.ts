// Owns the laws of the command line: what is not known is refused with the mend, before anything is done.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../src/index.js';
import { commandIn } from './command.js';

const cwd = mkdtempSync(join(tmpdir(), 'treblehook-flags-'));
afterAll(() => rmSync(cwd, { recursive: true }));
const command = (...argv: string[]) => commandIn(cwd, ...argv);

describe('what is not known is refused', () => {
  it.each([
    [['run', 'x', '--polcy', 'p.yaml'], 'there is no flag --polcy: did you mean --policy?'],
    [['run', 'x', '--modle=offline'], 'there is no flag --modle: did you mean --model?'],
    [['run', 'x', '--no-trace'], 'there is no flag --no-trace: see treblehook run --help'],
    [['run', 'x', '--verbose-everything'], 'there is no flag --verbose-everything: see treblehook run --help'],
    [['run', 'x', '-t'], 'there is no flag -t: see treblehook run --help'],
    [['run', 'x', '--model'], '--model needs a value: --model=<provider:id[@url]>'],
    [['run', 'x', '--model', '--trace'], '--model needs a value: --model=<provider:id[@url]>'],
    [['run', 'x', '--model='], '--model needs a value: --model=<provider:id[@url]>'],
    [['run', 'x', '--json=yes'], '--json takes no value: write --json alone, or leave it out'],
    [['run', 'x', '--trace', 'false'], '--trace takes no value: write --trace alone, or leave it out'],
    [['run', 'x', '--version'], '--version stands in place of a command: treblehook --version'],
    [
      ['plan', '--policy', 'x'],
      "'plan' takes no --policy, only 'run' and 'session resume' and 'policy explain' and 'policy test' and 'policy simulate' and 'why' do: leave it out",
    ],
    [
      ['run', 'x', '--yes', 'r'],
      "'run' takes no --yes, only 'session resume' and 'trust' and 'plugin check' do: leave it out",
    ],
    [['run', 'x', '--no-store', '--store', 'f'], '--store and --no-store: give one of them'],
    [
      ['run', 'x', '--no-store', '--session', 's'],
      '--session needs the store that the session is kept in: leave out --no-store',
    ],
    [['run', 'x', '--on-ask', 'suspnd'], "--on-ask takes deny or suspend, not 'suspnd': did you mean 'suspend'?"],
    [
      ['run', 'x', '--on-ask', 'suspend', '--no-store'],
      '--on-ask suspend needs a store to wait in: leave out --no-store',
    ],
    [['session', 'lst'], "there is no command 'session lst': did you mean 'session list'?"],
    [
      ['session', 'forget'],
      "there is no command 'session forget': there is session list, session show, session resume, session revoke, session export",
    ],
    [
      ['session', 'delete'],
      "there is no command 'session delete': there is session list, session show, session resume, session revoke, session export",
    ],
    [
      ['session', 'revoke', 's'],
      "'session revoke' needs a grant: treblehook session revoke <session> <grant>; treblehook session show tells them",
    ],
    [['session', 'revoke', 's', 'g', 'h'], "'session revoke' takes one session and one grant, and got 3 words: s g h"],
    [['session', 'list', 's'], "'session list' takes no words, and got one: s"],
    [
      ['session', 'show'],
      "'session show' needs a session: treblehook session show <id>; treblehook session list shows them",
    ],
    [['session', 'resume', 's', '--yes', 'a', '--no', 'b'], '--yes and --no: give one answer at a time'],
    [['session', 'resume', 's', '--remember'], '--remember goes with --yes <request>: only a yes is kept'],
    [['session', 'resume', 's', '--yes', 'a', '--reason', 'b'], '--reason goes with --no <request>'],
    [
      ['session', 'export', 's', '--format', 'jsom'],
      "--format takes jsonl, json, markdown, not 'jsom': did you mean 'json'?",
    ],
    [['session', 'export', 's', '--force'], '--force goes with --out <file>'],
    [['run', 'x', '--dir', 'a', '--dir', 'b'], '--dir is given twice: give it once'],
    [['run'], `'run' needs a prompt: treblehook run "…"`],
    [['run', '--trace'], `'run' needs a prompt: treblehook run "…"`],
    [['run', '  '], 'the prompt is empty: say in quotes what to do'],
    [
      ['run', 'what', 'is', 'this'],
      `'run' takes one prompt, and got 3 words: put it in quotes, treblehook run "what is this"`,
    ],
    [['plan', 'beforeLLM', 'toolPolicy'], "'plan' takes one hook, and got 2 words: beforeLLM toolPolicy"],
    [['rum', 'x'], "there is no command 'rum': did you mean 'run'?"],
    [
      ['what is this?'],
      `there is no command 'what is this?': write treblehook run "what is this?", or see treblehook --help`,
    ],
    [['--trace'], 'there is no flag --trace before a command: see treblehook --help'],
    [
      ['constructor'],
      `there is no command 'constructor': write treblehook run "constructor", or see treblehook --help`,
    ],
  ])('%j', async (argv, line) => {
    expect(await command(...argv)).toEqual({ code: exitCodes.wrongInput, stdout: '', stderr: `treblehook: ${line}\n` });
    expect(existsSync(join(cwd, '.treblehook'))).toBe(false);
  });
});

it('a flag that goes by another name is told by it', async () => {
  const { code, stderr } = await command('session', 'export', 's', '--json');
  expect([code, stderr]).toEqual([2, "treblehook: 'session export' takes no --json: write --format json\n"]);
});

describe('help', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']]])(
    '%j teaches the commands, the environment and the exit codes',
    async (argv) => {
      const { code, stdout, stderr } = await command(...argv);
      expect([code, stderr]).toEqual([0, '']);
      for (const word of ['run', 'plan', 'EXAMPLES', 'TREBLEHOOK_MODEL', 'NO_COLOR', 'EXIT CODES', '130']) {
        expect(stdout).toContain(word);
      }
      expect(stdout).not.toContain('\u001B');
      expect(stdout).not.toContain(' \n');
    },
  );

  it.each(['run', 'plan'])('of %s has its flags and examples, whatever else is on the line', async (name) => {
    for (const argv of [
      [name, '--help'],
      [name, '--nonsense', '-h'],
    ]) {
      const { code, stdout } = await command(...argv);
      expect(code).toBe(0);
      expect(stdout).toContain(`treblehook ${name}`);
      expect(stdout).toContain('--personality');
      expect(stdout).toContain('EXAMPLES');
      expect(stdout).toMatch(/--help, -h [^]*--version, -v /);
    }
  });

  it.each(['list', 'show', 'resume', 'revoke', 'export'])('of session %s teaches by examples', async (name) => {
    const { code, stdout } = await command('session', name, '--help');
    expect(code).toBe(0);
    for (const word of [`treblehook session ${name}`, '--store', 'EXAMPLES', '.treblehook/sessions.db', 'EXIT CODES']) {
      expect(stdout).toContain(word);
    }
  });

  it.each([[['session']], [['session', '--help']], [['session', 'help']]])('%j names the commands', async (argv) => {
    const { code, stdout } = await command(...argv);
    expect(code).toBe(0);
    for (const word of ['list', 'show', 'resume', 'export', 'EXAMPLES']) expect(stdout).toContain(word);
  });

  it('--version prints the version alone', async () => {
    expect((await command('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
