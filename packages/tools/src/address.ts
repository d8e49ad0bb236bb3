/** Which addresses of the internet protocol are public: one that is not leads to this machine or its neighbours. */
import { BlockList, isIP } from 'node:net';
import { specialIpv4, specialIpv6 } from '@treblehook/types';

const special4 = rangesOf(specialIpv4);
const special6 = rangesOf(specialIpv6);

/** Whether a connection may go there: it is public, or one of `allowed`. */
export function mayConnect(address: string, allowed: BlockList): boolean {
  const bare = address.replace(/%.*$/s, ''); // the interface of a link-local address
  const family = isIP(bare);
  if (family === 0) return false;
  if (allowed.check(bare, family === 4 ? 'ipv4' : 'ipv6')) return true;
  return family === 4 ? !special4.check(bare, 'ipv4') : !special6.check(bare, 'ipv6');
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
