// Owns the laws of hosts: a URL is read once, as `fetch` reads it, and one on which programs disagree is not read.
import { describe, expect, it } from 'vitest';
import { compilePolicy, parsePolicy, type HostTest } from '../src/index.js';

function truth(test: HostTest, url: string): string {
  const policy = { rules: [{ tools: 't', hosts: test, decision: 'ask' as const, reason: 'x' }] };
  const { explain } = compilePolicy(policy);
  const [report] = explain({ tool: { source: 'host', name: 't', urls: ['url'] }, args: { url } }).rules;
  return report!.unknown ?? (report!.matches ? 'yes' : 'no');
}

describe('a host', () => {
  it.each([
    ['https://example.org/x', 'example.org', 'yes'],
    ['https://EXAMPLE.org./', 'example.org', 'yes'],
    ['https://example.org:8443', 'example.org', 'yes'],
    ['example.org/x', 'example.org', 'yes'],
    ['example.org:443/x', 'example.org', 'yes'],
    ['https://api.example.org', 'example.org', 'no'],
    ['https://api.example.org', '*.example.org', 'yes'],
    ['https://example.org', '*.example.org', 'no'],
    ['https://example.org.evil.net', 'example.org', 'no'],
    ['https://notexample.org', '*example.org', 'yes'],
    ['https://bücher.example', 'xn--bcher-kva.example', 'yes'],
    ['https://ｅｘａｍｐｌｅ.org', 'example.org', 'yes'],
    ['https://example。org', 'example.org', 'yes'],
    ['https://exa%6dple.org', 'example.org', 'yes'],
    ['wss://example.org', 'example.org', 'yes'],
    ['http://0x7f.1/', '127.0.0.0/8', 'yes'],
    ['http://2130706433/', '127.0.0.1', 'yes'],
    ['http://0177.0.0.1/', '127.0.0.1', 'yes'],
    ['http://[::ffff:127.0.0.1]/', '127.0.0.0/8', 'yes'],
    ['http://[::ffff:7f00:1]/', 'private', 'yes'],
    ['http://[64:ff9b::7f00:1]/', 'private', 'yes'],
    ['http://[::1]:80/', '::1', 'yes'],
    ['http://[0:0::1]/', '[::1]', 'yes'],
    ['http://[fe80::1]/', 'private', 'yes'],
    ['http://169.254.169.254/latest/meta-data', 'private', 'yes'],
    ['http://localhost:3000', 'private', 'yes'],
    ['http://db.internal', 'private', 'yes'],
    ['http://router', 'private', 'yes'],
    ['http://[64:ff9b::1]', 'private', 'yes'],
    ['http://[2002:7f00:1::]', 'private', 'yes'],
    ['http://[2002:7f00:1::]', '127.0.0.0/8', 'yes'],
    ['http://[4000::1]', 'private', 'yes'],
    ['http://[e000::1]', 'private', 'yes'],
    ['http://[::ffff:0:7f00:1]', 'private', 'yes'],
    ['http://[3ffe::1]', 'private', 'no'],
    ['http://[::7f00:1]', '127.0.0.1', 'yes'],
    ['http://[2606:4700::1]', 'private', 'no'],
    ...[
      '10.0.0.1',
      '100.64.0.1',
      '172.31.0.1',
      '192.0.0.8',
      '192.0.2.1',
      '192.88.99.1',
      '192.168.1.1',
      '198.19.0.1',
    ].map((address): [string, string, string] => [`http://${address}`, 'private', 'yes']),
    ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '255.255.255.255', '0.0.0.0'].map(
      (address): [string, string, string] => [`http://${address}`, 'Private', 'yes'],
    ),
    ...[
      '::',
      '64:ff9b:1::1',
      '100::1',
      '2001::1',
      '2001:db8::1',
      '3fff::1',
      'fc00::1',
      'fdff::1',
      'fec0::1',
      'ff02::1',
    ].map((address): [string, string, string] => [`http://[${address}]`, 'private', 'yes']),
    ...['a.localhost', 'a.local', 'a.lan', 'a.home.arpa'].map((name): [string, string, string] => [
      `http://${name}`,
      'private',
      'yes',
    ]),
    ['http://8.8.8.8', 'private', 'no'],
    ['http://example.org', 'private', 'no'],
    ['http://10.1.2.3', '10.0.0.0/8', 'yes'],
    ['http://11.1.2.3', '10.0.0.0/8', 'no'],
  ])('%s is %s: %s', (url, host, expected) => {
    expect(truth({ host }, url)).toBe(expected);
    expect(truth({ not: { host } }, url)).toBe(expected === 'yes' ? 'no' : 'yes');
  });

  it.each(['2002:808:808::', '64:ff9b::808:808', '::ffff:8.8.8.8', '::ffff:0:808:808'])(
    '%s carries a public address, so that it is neither public nor private to a rule',
    (address) => {
      expect(truth({ host: 'private' }, `http://[${address}]`)).toContain('carries the public address 8.8.8.8');
      expect(truth({ not: { host: 'private' } }, `http://[${address}]`)).toContain('carries the public address');
      expect(truth({ host: '8.8.8.8' }, `http://[${address}]`)).toBe('yes');
    },
  );

  it.each([
    'https://good.org@evil.org/',
    'https://good.org:x@evil.org/',
    'https://good.org\\@evil.org',
    'https://evil.org\\.good.org',
    'https://good.org#@evil.org',
    'https://good.org/\n.evil.org',
    ' https://good.org',
    'https://go\tod.org',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'git+ssh://good.org/x',
    'https://',
    'https://[::1',
    'https://a b',
    '',
  ])('%j is not known to be any host, and so neither allowed nor passed over', (url) => {
    expect(truth({ host: 'good.org' }, url)).not.toMatch(/^(yes|no)$/);
    expect(truth({ not: { host: 'good.org' } }, url)).not.toMatch(/^(yes|no)$/);
  });

  it.each([
    ['https://example.org', /write its host alone/],
    ['10.0.0.0/33', /no range of addresses/],
    ['example.org/x', /has a path behind it, and each path of a host counts: write its host alone: 'example\.org'/],
    ['10.0.0.0/x', /no range of addresses/],
    ['Bücher.example', /xn--bcher-kva\.example/],
    ['exa mple', /is no host: write a name/],
    ['evil.org:8443', /has a port, and each port of a host counts: write 'evil\.org'/],
    ['*.EXAMPLE.org:80', /write '\*\.EXAMPLE\.org'/],
    ['*.exämple.org', /in its ASCII form \(xn--…\): '\*\.exämple\.org' is not/],
    ['0x7f.1', /as it is compared: '127\.0\.0\.1'/],
  ])('a rule for %j is refused', (host, message) => {
    expect(() => parsePolicy({ rules: [{ tools: '*', hosts: { host }, decision: 'deny', reason: 'x' }] })).toThrow(
      message,
    );
  });
});
