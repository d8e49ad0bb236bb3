// Owns the laws of what a run was given: what goes on with it begins from there, and from nothing that looks alike.
import { describe, expect, it } from 'vitest';
import { changesOf, flagsBeside, flagsFrom, givenBy, givenOf } from '../src/given.js';
import { keysOf } from '../src/keys.js';

const dir = import.meta.dirname;

describe('the note of a run', () => {
  it('is what it was given, with absolute paths, and is read as that again', () => {
    const given = givenBy({ dir: 'a', policy: '../p.yaml', strict: true }, '/home/me/here', 'offline');
    expect(given).toEqual({ dir: '/home/me/here/a', policy: '/home/me/p.yaml', model: 'offline', strict: true });
    expect(givenOf({ note: { ...given } })).toEqual(given);
  });

  it.each([undefined, {}, { dir: 5 }, { dir: '/a', policy: ['p.yaml'] }, { dir: '/a', strict: 'yes' }])(
    'that is not of the command line, %j, is none',
    (note) => {
      expect(givenOf(note === undefined ? {} : { note })).toBeUndefined();
    },
  );
});

describe('a run that is gone on with', () => {
  it('has what it was given, and in place of it what is given now', () => {
    const given = { dir, policy: import.meta.filename, model: 'offline', strict: true };
    expect(flagsFrom({}, given, dir)).toMatchObject(given);
    expect(flagsFrom({ dir: '/b', model: 'openai:x', policy: 'p' }, given, dir)).toMatchObject({
      dir: '/b',
      model: 'openai:x',
      policy: 'p',
      strict: true,
    });
  });

  it('is refused when the log has its model with a secret taken out, unless one is given', () => {
    const given = { dir, model: 'openai-compatible:m@http://h/[redacted]/v1' };
    expect(() => flagsFrom({}, given, dir)).toThrow('give it by --model');
    expect(flagsFrom({ model: 'offline' }, given, dir).model).toBe('offline');
  });

  it('says what is another one now', () => {
    expect(changesOf({ dir: '/a', policy: '/p' }, { dir: '/b' })).toEqual([
      "the folder was '/a', and is '/b' now",
      "the policy was '/p', and is none now",
    ]);
  });

  it('sends no key to a URL that the log alone names, and says so', () => {
    const said: string[] = [];
    const model = 'openai-compatible:m@http://h/v1';
    const env = { TREBLEHOOK_API_KEY: 'key-that-is-mine' };
    expect(keysOf(env, (line) => said.push(line), 'the log of the session')(model, 'host')).toEqual({});
    expect(said).toEqual([expect.stringContaining('named by the log of the session, so no key is sent')]);
    expect(keysOf(env, (line) => said.push(line))(model, 'host')).toEqual({ apiKey: 'key-that-is-mine' });
  });
});

describe('the command that goes on', () => {
  it.each([
    ['nothing, of what the log has', { dir: '/a', policy: '/p', model: 'offline' }, undefined, ''],
    [
      'a model with a URL, whose key is sent to none but a named one',
      { dir: '/a', model: 'o:m@http://h' },
      undefined,
      ' --model o:m@http://h',
    ],
    ['the store that was named, from any folder', { dir: '/a' }, 'b c.db', " --store '/cwd/b c.db'"],
  ])('says %s', (_, given, store, words) => {
    expect(flagsBeside(given, given, { store }, '/cwd')).toBe(words);
  });

  it('says all that is not so by itself where no log has it', () => {
    const now = { dir: '/a', policy: '/p q', model: 'offline', strict: true };
    expect(flagsBeside(undefined, now, {}, '/cwd')).toBe(" --dir /a --policy '/p q' --strict");
    expect(flagsBeside(undefined, { ...now, dir: '/cwd' }, {}, '/cwd')).toBe(" --policy '/p q' --strict");
  });
});
