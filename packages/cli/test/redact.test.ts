// Owns the laws of redaction: a secret leaves in no form, whole or in pieces, and what is none leaves as it was.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactor } from '../src/redact.js';

const [key, longer, same] = ['sk-abcabcab', 'sk-abcabcabcabX', 'aXaXaXaXa'];
const redact = redactor({ OPENAI_API_KEY: key, ANTHROPIC_API_KEY: longer, TREBLEHOOK_API_KEY: same });

const streamed = (pieces: readonly string[]): string => {
  const stream = redact.stream();
  return pieces.map((piece) => stream.push(piece)).join('') + stream.flush();
};
const parts = fc.constantFrom(
  key,
  longer,
  same,
  'sk-',
  'abc',
  'aX',
  'http://',
  'me:pass@',
  'x/y ',
  '@',
  ' ',
  '\n',
  'é',
);

describe('a streamed text', () => {
  it('is what the whole would be, however it is cut', () => {
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), fc.array(fc.nat(9), { minLength: 1 }), (words, widths) => {
        const whole = words.join('');
        const pieces: string[] = [];
        for (let at = 0, turn = 0; at < whole.length; turn++) {
          const width = 1 + widths[turn % widths.length]!;
          pieces.push(whole.slice(at, at + width));
          at += width;
        }
        const out = streamed(pieces);
        expect(out).toBe(redact.text(whole));
        for (const secret of [key, longer, same]) expect(out).not.toContain(secret);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is held back no longer than it could become a secret', () => {
    const stream = redact.stream();
    expect(stream.push('hello sk-ab')).toBe('hello ');
    expect(stream.push('out')).toBe('sk-about');
    expect(stream.push(' at http://me')).toBe(' at http://me');
    expect(stream.flush()).toBe('');
  });
});

it('plain data is redacted in names and texts, and stays the data that it was', () => {
  const data = { [key]: ['a', `"${same}"`, 1, null, true], at: { url: 'http://me:pa@ss@host/@' } }; // what a model may have written
  expect(redact.data(data)).toEqual({
    '[redacted]': ['a', '"[redacted]"', 1, null, true],
    at: { url: 'http://me:pa@ss@host/@' },
  });
  const three = { '[redacted]': 1, [key]: 2, [same]: 3 };
  expect(Object.values(redact.data(three))).toEqual([1, 2, 3]);
});

it.each([
  ['http://me:pa@ss@host/@', 'http://[redacted]@host/@'],
  [`git+ssh://me@[::1]: no ${key}`, 'git+ssh://[redacted]@[::1]: no [redacted]'],
  ["u='://'; rm -rf /@ok.org", "u='://'; rm -rf /@ok.org"],
  ["x://a';rm@ok.org", "x://a';rm@ok.org"],
  ['x://a b@ok.org', 'x://a b@ok.org'],
])('of the words of a fault the user part of a URL is taken out, and nothing but that: %s', (words, shown) => {
  expect(redact.fault(words)).toBe(shown);
});

it('a short key is no secret, and without keys every text is left as it is', () => {
  expect(redactor({ OPENAI_API_KEY: 'short' }).text('short')).toBe('short');
  expect(redactor({}).text('a b')).toBe('a b');
});
