/** Which addresses of the internet protocol are public: one that is not leads to this machine or its neighbours. */
import { BlockList, isIP } from 'node:net';

/** IANA's registry of special IPv4 addresses, with multicast and what is reserved. */
const special4 = rangesOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/** Of IPv6 only this is given out to the public; IPv4 that is mapped or translated into IPv6 lies outside of it. */
const global6 = rangesOf(['2000::/3']);

/** IANA's registry of special IPv6 addresses, as far as it lies within that: Teredo, 6to4 and documentation among it. */
const special6 = rangesOf(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** Whether a connection may go there: it is public, or one of `allowed`. */
export function mayConnect(address: string, allowed: BlockList): boolean {
  const bare = address.replace(/%.*$/s, ''); // the interface of a link-local address
  const family = isIP(bare);
  if (family === 0) return false;
  if (allowed.check(bare, family === 4 ? 'ipv4' : 'ipv6')) return true;
  if (family === 4) return !special4.check(bare, 'ipv4');
  return global6.check(bare, 'ipv6') && !special6.check(bare, 'ipv6');
}

/** Addresses, and ranges of them such as `10.0.0.0/8`. Throws a `TypeError` that names what is none. */
export function rangesOf(texts: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const text of texts) {
    const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
    const family = isIP(address);
    const bits = family === 4 ? 32 : 128;
    const length = prefix === undefined ? bits : Number(prefix);
    if (family === 0 || length > bits) throw new TypeError(`'${text}' is no address and no range such as 10.0.0.0/8`);
    ranges.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6');
  }
  return ranges;
}
