// Owns the laws of what is a secret: spelled plainly, in JSON, in JSON in JSON; and of how long it takes to look.
import { describe, expect, it } from 'vitest';
import { detectors, secretsAcross, secretsIn } from '../src/detectors.js';
import { isSecretField } from '../src/assignments.js';
import { secrets } from './kit.js';

const found = (text: string): readonly (readonly [string, string])[] =>
  secretsIn(text, detectors).map(({ kind, from, to }) => [kind, text.slice(from, to)]);

describe('a secret is found by its kind', () => {
  const long = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6';
  it.each<readonly [string, string, string]>([
    ['aws-key', `id ${secrets.aws}.`, secrets.aws],
    ['google-key', `AIza${long.slice(0, 35)}`, `AIza${long.slice(0, 35)}`],
    ['google-key', `ya29.${long}`, `ya29.${long}`],
    ['azure-key', `;AccountKey=${long}==;Endpoint=x`, `${long}==`],
    ['github-token', `with ${secrets.github}`, secrets.github],
    ['github-token', `github_pat_${long}`, `github_pat_${long}`],
    ['gitlab-token', `glpat-${long.slice(0, 20)}`, `glpat-${long.slice(0, 20)}`],
    ['slack-token', `xoxb-123456789012-${long.slice(0, 24)}`, `xoxb-123456789012-${long.slice(0, 24)}`],
    ['anthropic-key', `sk-ant-api03-${long}`, `sk-ant-api03-${long}`],
    ['openai-key', `sk-proj-${long}`, `sk-proj-${long}`],
    ['stripe-key', `sk_live_${long.slice(0, 24)}`, `sk_live_${long.slice(0, 24)}`],
    ['package-token', `npm_${long.slice(0, 36)}`, `npm_${long.slice(0, 36)}`],
    ['service-token', `hf_${long.slice(0, 34)}`, `hf_${long.slice(0, 34)}`],
    ['jwt', `x ${secrets.jwt} y`, secrets.jwt],
    ['private-key', `key:\n${secrets.pem}\nend`, secrets.pem],
    ['auth-header', `Authorization: Bearer abcdefghij`, 'abcdefghij'],
    ['auth-header', `curl -H "authorization: Basic dXNlcjpwYXNzd29yZA=="`, 'dXNlcjpwYXNzd29yZA=='],
    ['auth-header', `bearer ${long.slice(0, 20)}`, long.slice(0, 20)],
    ['connection-string', 'postgres://app:s3cr@t!@db.internal:5432/x', 's3cr@t!'],
    ['connection-string', 'redis://:onlyapassword@cache', 'onlyapassword'],
    ['assignment', 'password=hunter2', 'hunter2'],
    ['assignment', 'DB_PASSWORD: "correct horse"', 'correct horse'],
    ['assignment', 'api_key: a8f5f167f44f4964', 'a8f5f167f44f4964'],
    ['assignment', "const clientSecret = 'Zx81-Qw72-Er63'", 'Zx81-Qw72-Er63'],
    ['assignment', '{"access_token":"0123456789abcdef"}', '0123456789abcdef'],
  ])('%s in %j', (kind, text, secret) => {
    expect(found(text)).toEqual([[kind, secret]]);
  });

  it.each([
    'The password: please choose one that you remember.',
    'password: string; token: string',
    'const token = getToken(); apiKey: process.env.API_KEY',
    'password=$DB_PASSWORD token=${TOKEN} secret: <your secret> key=****',
    'max_tokens: 4096, tokens: 128000, token_type: bearer',
    'The bearer authentication middleware and basic authentication.',
    'see https://example.org:8080/a@b and mail bob@example.org',
    'sk-circle-fade-dot-animation-name',
    'commit 3f786850e387550fdab836ed7e6dc881de23001b',
    '-----BEGIN PRIVATE KEY----- is how such a file begins.',
    'AKIA is a prefix, ghp_ another one, eyJ a third.',
    '',
  ])('and nothing is found in %j', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('in JSON, and in JSON in JSON, where an escape stands right in front of it or in it', () => {
    const inner = JSON.stringify({ note: `line\n${secrets.aws}\n`, pem: secrets.pem, password: 'hun"ter2' });
    const outer = JSON.stringify({ body: inner });
    const twice = JSON.stringify([outer]);
    for (const text of [inner, outer, twice]) {
      const spans = secretsIn(text, detectors);
      expect(spans.map(({ kind }) => kind)).toEqual(['aws-key', 'private-key', 'assignment']);
      expect(spans[0]!.secret).toBe(secrets.aws);
      expect(spans[1]!.secret).toBe(secrets.pem);
    }
    expect(found(String.raw`\u0041${secrets.aws.slice(1)}`)).toEqual([
      ['aws-key', String.raw`\u0041${secrets.aws.slice(1)}`],
    ]);
  });

  it('over the ends of texts that stand behind one another, and in each of them for itself', () => {
    const [a, b] = [secrets.aws.slice(0, 9), secrets.aws.slice(9)];
    expect(secretsAcross([`x ${a}`, `${b} y`], detectors)).toMatchObject([{ kind: 'aws-key', from: 2, to: 22 }]);
    expect(secretsAcross(['x', secrets.aws], detectors)).toMatchObject([{ kind: 'aws-key', from: 1, to: 21 }]);
  });

  it('of a private key that was cut, what there is', () => {
    const lines = secrets.pem.split('\n');
    expect(found(`a\n${lines.slice(0, 3).join('\n')}`)).toEqual([['private-key', lines.slice(0, 3).join('\n')]]);
    const tail = lines.slice(1).join('\n');
    expect(found(`text\n${tail}\nmore`)).toEqual([['private-key', tail]]);
  });

  it('by the name of a field in JSON', () => {
    expect(isSecretField('dbPassword', 'hunter2')).toBe(true);
    expect(isSecretField('api_key', 'a8f5f167f44f4964')).toBe(true);
    expect(isSecretField('tokens', '128000')).toBe(false);
    expect(isSecretField('constructor', 'hunter2')).toBe(false);
  });
});

describe('a megabyte that is made to be slow', () => {
  const mega = (unit: string): string => unit.repeat(Math.ceil(1_000_000 / unit.length));
  it.each([
    'a',
    'A',
    '1',
    ' ',
    '\\',
    '\\n',
    '\\\\"',
    'eyJ',
    'eyJaaaaaaaa.',
    '-eyJaaaaaaaa',
    'sk-',
    'ghp_',
    'github_pat_',
    'xoxb-',
    'pwd=',
    'password: "',
    'token',
    'token"""""" ',
    'secret_',
    'api_key-',
    'a://',
    'a://b:',
    'http://a:a',
    'bearer ',
    'basic aaaaaaa',
    'authorization: ',
    'authorization: basic ',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\n',
    '-----END PRIVATE KEY-----\n',
    'MIIEpAIBAAKCAQEA7bq4F1v0\n',
    '-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq4F1v0\n',
    '[secret:',
    '[secret:aws-key#1]',
    'SG.aaaaaaaaaaaaaaaaa',
    '1234567890:AA',
    '&sig=',
  ])('of %j is looked through in linear time', (unit) => {
    const text = mega(unit);
    const began = performance.now();
    secretsIn(text, detectors);
    const once = performance.now() - began;
    expect(once).toBeLessThan(10_000);
  });
});
