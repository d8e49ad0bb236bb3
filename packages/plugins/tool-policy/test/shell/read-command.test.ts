import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCommand } from '../../src/shell/read-command.js';
import { evasions } from './evasions.js';

const programsOf = (line: string | readonly string[]): string[] =>
  readCommand(line).commands.map(({ program }) => program);

describe('what people write to hide a command', () => {
  it.each(evasions)('$line', ({ line, programs, writes = [], unknown }) => {
    const reading = readCommand(line);
    const run = reading.commands.filter(({ program }) => program !== '');
    expect(run.map(({ program }) => program).join(' ')).toBe(programs);
    const redirects = reading.commands.flatMap((command) => command.redirects);
    expect(redirects.filter(({ kind }) => kind === 'write').map(({ target }) => target)).toEqual(writes);
    expect(reading.unknown[0]).toBe(unknown);
  });
});

describe('what is said of a command', () => {
  it('the words, the redirects, the assignments and the wrappers, outermost first', () => {
    const line = 'A=1 sudo -u bob env B=2 sh -c \'rm "$x" "a b" ~/c *.d < e\' > /f';
    expect(readCommand(line).commands).toEqual([
      {
        program: 'sudo',
        path: 'sudo',
        words: ['-u', 'bob', 'env', 'B=2', 'sh', '-c', 'rm "$x" "a b" ~/c *.d < e'],
        redirects: [{ kind: 'write', target: '/f' }],
        assigns: ['A'],
        behind: [],
      },
      expect.objectContaining({ program: 'env', assigns: ['A'], behind: ['sudo'], redirects: [] }),
      expect.objectContaining({ program: 'sh', assigns: ['A', 'B'], behind: ['sudo', 'env'] }),
      {
        program: 'rm',
        path: 'rm',
        words: [undefined, 'a b', '~/c', undefined],
        redirects: [{ kind: 'read', target: 'e' }],
        assigns: [],
        behind: ['sudo', 'env', 'sh -c'],
      },
    ]);
  });

  it('assignments and redirects that stand alone are a command without a program', () => {
    expect(readCommand('PATH=/x >> y').commands).toEqual([
      { program: '', path: '', words: [], redirects: [{ kind: 'write', target: 'y' }], assigns: ['PATH'], behind: [] },
    ]);
  });

  it('the names that export and its like assign are theirs', () => {
    expect(readCommand('export PATH=/x A=$b').commands[0]).toMatchObject({
      words: ['PATH=/x', undefined],
      assigns: ['PATH', 'A'],
    });
  });

  it('copies of descriptors and here-documents are no redirects', () => {
    expect(readCommand('ls 2>&1 <&3 >&- <<A\nx\nA\n').commands[0]?.redirects).toEqual([]);
  });

  it('an argv list is seen by no shell', () => {
    expect(readCommand(['ls', '$x', '> y', '*', '{a,b}']).commands[0]).toMatchObject({
      words: ['$x', '> y', '*', '{a,b}'],
      redirects: [],
    });
  });
});

describe('what is too much', () => {
  const deep = (times: number): string => `${'$(ls '.repeat(times)}rm${')'.repeat(times)}`;

  it('a longer command than the limit is not read', () => {
    expect(readCommand(`ls ${'a'.repeat(65_536)}`)).toEqual({
      commands: [],
      unknown: ['the command is longer than 65536 characters'],
    });
    expect(readCommand(['ls', 'a'.repeat(65_536)]).unknown).toHaveLength(1);
  });

  it('commands nested deeper than the limit are not known', () => {
    expect(readCommand(`ls ${deep(32)}`).unknown.join()).not.toContain('deep');
    expect(readCommand(`ls ${deep(33)}`).unknown).toContain('commands are nested more than 32 deep');
    expect(readCommand('sudo '.repeat(40)).unknown).toContain('commands are nested more than 32 deep');
  });

  const pieces = `( $( " \` ' { (( $(( \${ <( "$( <<A <<<x a& a; a| >a a=b [[ if~ {a,b} {a, @( 1+ \\ ! $x $' $[ eval~ alias~a= \
sh~-c~ env~-S~ xargs~ find~.~-exec~ time~ coproc~ f()~ function~f~ '((~$(~' [[~$(~ echo~a| printf~%s~ "~$x~" \${a:- x[$(~ ?[`;
  it.each(pieces.split(' '))(
    '64 KiB of %s come to an end, soon',
    (piece) => {
      const text = piece.replaceAll('~', ' ');
      const line = text.repeat(Math.floor(65_536 / text.length));
      const before = process.cpuUsage();
      const { commands, unknown } = readCommand(line);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(5000);
      expect(commands.length + unknown.length).toBeGreaterThan(0);
    },
    60_000,
  );

  it('what doubles with each step is stopped', () => {
    const before = process.cpuUsage();
    readCommand(`${'(( $( [[ a || $( '.repeat(15)}x${') ]] ) ))'.repeat(15)}`);
    readCommand(`echo ${'{1..60} '.repeat(7000)}`);
    readCommand(`printf '${'x'.repeat(30_000)}%s' ${'a '.repeat(15_000)} | sh`);
    readCommand(`awk '${'print '.repeat(10_000)}'`);
    readCommand(`sed 's/${'[a'.repeat(30_000)}'`);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(10_000);
  }, 60_000);
});

describe('for any text', () => {
  const piece = fc.constantFrom(
    ...`rm ls ; & | && || ( ) { } " ' \\ $ \` # $( \${ [[ ]] (( )) ! if then fi for do done case esac in = < > << <<E E sh -c
    bash eval env sudo xargs find -exec {} \\; $x \${x:- $' echo | sh trap alias time * ? [ ] ~`.split(/\s+/),
    ' ',
    '\n',
    '\0',
    '\u202e',
  );
  const soup = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((all) => all.join(' ')),
    fc.array(piece, { maxLength: 40 }).map((all) => all.join('')),
    fc.string({ unit: 'binary' }),
  );

  it('nothing is thrown, and the answer is frozen, plain and the same each time', () => {
    fc.assert(
      fc.property(fc.oneof(soup, fc.array(soup, { maxLength: 6 })), (command) => {
        const reading = readCommand(command);
        expect(isFrozen(reading)).toBe(true);
        expect(structuredClone(reading)).toEqual(reading);
        expect(readCommand(command)).toEqual(reading);
      }),
      { numRuns: 500 },
    );
  });

  it('what is not a text or a list of texts is not known', () => {
    const odd = [undefined, null, 1, {}, [], [1], ['ls', undefined], Array<string>(2)];
    for (const command of odd) expect(readCommand(command as never).unknown).toHaveLength(1);
  });

  it('however a name is quoted, it is the same program', () => {
    const letter = fc.constantFrom<(one: string) => string>(
      (one) => one,
      (one) => `\\${one}`,
      (one) => `'${one}'`,
      (one) => `"${one}"`,
      (one) => `$'\\x${one.charCodeAt(0).toString(16)}'`,
      (one) => `$'\\${one.charCodeAt(0).toString(8)}'`,
      (one) => `""${one}`,
      (one) => `${one}''`,
      (one) => `\\\n${one}`,
      (one) => `{${one},}`.replace(/^\{(.),\}$/, '$1'),
    );
    const name = fc.constantFrom('rm', 'curl', 'mkfs', 'shutdown');
    fc.assert(
      fc.property(name, fc.array(letter, { minLength: 8, maxLength: 8 }), (program, ways) => {
        const written = program.split('').map((one, at) => ways[at]!(one));
        expect(programsOf(`${written.join('')} x`)).toEqual([program]);
      }),
    );
  });

  it('a command inside of any wrappers is found', () => {
    const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
    const wrapper = fc.constantFrom<(inner: string) => string>(
      (inner) => `sh -c ${quote(inner)}`,
      (inner) => `bash -lc ${quote(inner)}`,
      (inner) => `eval ${quote(inner)}`,
      (inner) => `sudo -u root sh -c ${quote(inner)}`,
      (inner) => `ls $( ${inner})`,
      (inner) => `ls "$( ${inner}\n)"`,
      (inner) => `( ${inner})`,
      (inner) => `{ ${inner}\n}`,
      (inner) => `if ${inner}\nthen ls; fi`,
      (inner) => `bash <<'EOF${inner.length}'\n${inner}\nEOF${inner.length}\n`,
      (inner) => `ssh host ${quote(inner)}`,
      (inner) => `timeout 5 nice env A=b sh -c ${quote(inner)}`,
      (inner) => `find . -exec sh -c ${quote(inner)} \\;`,
      (inner) => `f() { ${inner}\n}; f`,
    );
    fc.assert(
      fc.property(fc.array(wrapper, { maxLength: 5 }), (wrappers) => {
        const line = wrappers.reduce((inner, wrap) => wrap(inner), 'rm -rf /');
        const { commands } = readCommand(line);
        expect(commands.some(({ program, words }) => program === 'rm' && words.join(' ') === '-rf /')).toBe(true);
      }),
    );
  });
});

function isFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}
