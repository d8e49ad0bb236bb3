import { describe, expect, it } from 'vitest';
import { connectMcp } from '../src/index.js';

const refusal = (servers: unknown, options: unknown = {}): Promise<unknown> =>
  connectMcp(servers as never, options as never).then(
    () => 'accepted',
    (error: unknown) => error,
  );

describe('the settings of a server', () => {
  it.each<[string, unknown, RegExp]>([
    ['no object', 'files', /takes an object of servers/],
    ['a list', [], /takes an object of servers/],
    ['a name with a slash', { 'a/b': { command: 'x' } }, /'a\/b' is no name for a server/],
    ['a name that is empty', { '': { command: 'x' } }, /'' is no name for a server/],
    [
      'two names that differ in case alone',
      { Files: { command: 'x' }, files: { command: 'x' } },
      /one name to a reader/,
    ],
    ['nothing', { a: null }, /must be \{ command \} or \{ url \}/],
    ['neither', { a: {} }, /either a command or a url/],
    ['both', { a: { command: 'x', url: 'http://x' } }, /either a command or a url/],
    ['a command that is empty', { a: { command: '' } }, /command of the server 'a' must be the name of a program/],
    ['a misspelt key', { a: { command: 'x', arg: [] } }, /has 'arg': did you mean 'args'\?/],
    ['arguments as a line', { a: { command: 'x', args: '-y z' } }, /args of the server 'a' must be a list of texts/],
    ['a variable that is not set', { a: { command: 'x', env: { A: undefined } } }, /env of the server 'a' has 'A'/],
    ['a folder that is none', { a: { command: 'x', cwd: 5 } }, /cwd of the server 'a'/],
    ['optional as a text', { a: { command: 'x', optional: 'no' } }, /optional of the server 'a'/],
    ['a URL that is none', { a: { url: 'nowhere' } }, /url of the server 'a' cannot be read/],
    ['a URL of a file', { a: { url: 'file:///etc/passwd' } }, /only https: and http: are spoken/],
    ['a URL with a password', { a: { url: 'http://me:secret@127.0.0.1' } }, /give a header 'authorization' instead/],
    [
      'a header that is no text',
      { a: { url: 'http://127.0.0.1', headers: { a: 5 } } },
      /headers of the server 'a' has 'a'/,
    ],
    ['a fetch that is none', { a: { url: 'http://127.0.0.1', fetch: 5 } }, /fetch of the server 'a'/],
  ])('cannot be %s', async (_, servers, message) => {
    expect(await refusal(servers)).toMatchObject({
      code: 'TH_OPTION_INVALID',
      message: expect.stringMatching(message),
    });
  });

  it('say nothing of a password that they refuse', async () => {
    expect(String(await refusal({ a: { url: 'http://me:secret@127.0.0.1' } }))).not.toContain('secret');
  });
});

describe('the options', () => {
  it.each<[object, RegExp]>([
    [{ timeoutMs: 5 }, /has 'timeoutMs': /],
    [{ connectTimeoutMs: 0 }, /connectTimeoutMs must be a whole number from 1/],
    [{ callTimeoutMs: 1.5 }, /callTimeoutMs must be a whole number/],
    [{ closeGraceMs: -1 }, /closeGraceMs must be a whole number from 0/],
    [{ maxTools: 0 }, /maxTools must be a whole number/],
    [{ maxMessageBytes: Infinity }, /maxMessageBytes must be a whole number/],
    [{ backoff: { base: 5 } }, /backoff has 'base'/],
    [{ signal: {} }, /signal is no AbortSignal/],
    [{ onNotice: 'log' }, /onNotice must be a function/],
  ])('cannot be %j', async (options, message) => {
    expect(await refusal({}, options)).toMatchObject({
      code: 'TH_OPTION_INVALID',
      message: expect.stringMatching(message),
    });
  });

  it('of no servers give no tools', async () => {
    const servers = await connectMcp({});
    expect([servers.tools, servers.describe()]).toEqual([[], []]);
    await servers.refresh();
    await servers.close();
  });
});
