/** Tests on the host of a URL. */
import { BlockList, isIP } from 'node:net';
import { matchName, ownFields, specialIpv4, specialIpv6 } from '@treblehook/types';
import { textsOf } from '../paths/path-test.js';
import { not, type Truth } from '../truth.js';
import type { Host } from './host-of.js';

/** Exactly one of these. */
export type HostTest =
  /**
   * Each a name (`example.org`), a glob over names (`*.example.org`, which leaves out the name itself), an address, a
   * range (`10.0.0.0/8`, `fc00::/7`), or `private`: what does not lead out into the world.
   */
  { readonly host: string | readonly string[] } | { readonly not: HostTest };

/** Compiles a test of a host that was read, or of why it could not be. */
export function compileHostTest(test: HostTest): (host: Host | string) => Truth {
  const own: { readonly host?: string | readonly string[]; readonly not?: HostTest } = ownFields(test);
  if (own.not !== undefined) {
    const inner = compileHostTest(own.not);
    return (host) => not(inner(host));
  }
  const hosts = textsOf(own.host!);
  const local = hosts.some(isPrivate);
  const blocks = blocksOf(hosts.flatMap((host) => rangeOf(host) ?? []));
  const names = hosts.map((host) => host.toLowerCase().replace(/\.$/, ''));
  return (host) => {
    if (typeof host === 'string') return host;
    const { name, isAddress } = host;
    if (names.some((glob) => matchName(glob, name))) return true;
    if (!isAddress) return local && isLocalName(name);
    const addresses = addressesOf(name);
    return addresses.some((one) => isIn(blocks, one)) || (local && isSpecial(addresses));
  };
}

const blocksOf = (ranges: readonly Range[]): BlockList => {
  const blocks = new BlockList();
  for (const { address, bits } of ranges) blocks.addSubnet(address, bits, family(address));
  return blocks;
};
const isIn = (blocks: BlockList, address: string): boolean => blocks.check(address, family(address));

const special = {
  ipv4: blocksOf(specialIpv4.map((range) => rangeOf(range)!)),
  ipv6: blocksOf(specialIpv6.map((range) => rangeOf(range)!)),
};

/** Not public. One that carries a public address leads there on some machines and on others nowhere. */
function isSpecial(addresses: readonly string[]): Truth {
  const [own = '', carried] = addresses;
  if (carried === undefined || isIn(special.ipv4, carried)) return isIn(special[family(own)], own);
  return `'${own}' carries the public address ${carried}, and whether it leads there depends on the machine`;
}

const isPrivate = (host: string): boolean => host.toLowerCase() === 'private';

/** Says in words why a text is no host of a rule. */
export function hostFault(text: string): string | undefined {
  if (isPrivate(text) || rangeOf(text) !== undefined) return undefined;
  if (text.includes('://')) return `'${text}' is a URL: write its host alone`;
  if (/^[\d.]+\/|^[^/]*:[^/]*:[^/]*\//.test(text)) return `'${text}' is no range of addresses: write one as 10.0.0.0/8`;
  if (text.includes('/'))
    return `'${text}' has a path behind it, and each path of a host counts: write its host alone: '${text.split('/')[0]!}'`;
  if (text.startsWith('.')) return `'${text}' begins with a dot: write '*${text}'`;
  if (text.includes('..')) return `'${text}' has two dots with nothing between: write a name such as example.org`;
  if (/:\d*$/.test(text))
    return `'${text}' has a port, and each port of a host counts: write '${text.replace(/:\d*$/, '')}'`;
  // in front of each sign stands something that no host has twice, so that it is found again
  const sample = text.replaceAll('*', 'th0star');
  if (!URL.canParse(`http://${sample}`))
    return `'${text}' is no host: write a name (example.org), an address, a range (10.0.0.0/8) or 'private'`;
  const { hostname } = new URL(`http://${sample}`);
  if (hostname === sample.toLowerCase().replace(/\.$/, '') || hostname === sample.toLowerCase()) return undefined;
  const compared = text.includes('*') && /[^\x20-\x7e]/.test(text) ? undefined : hostname.replaceAll('th0star', '*');
  return compared === undefined
    ? `a host is written as it is compared, in its ASCII form (xn--…): '${text}' is not`
    : `a host is written as it is compared: '${compared}'`;
}

interface Range {
  readonly address: string;
  readonly bits: number;
}

/** An address alone is a range of one. */
function rangeOf(text: string): Range | undefined {
  const [address = '', bits, ...more] = text.replace(/^\[(.*)\]$/, '$1').split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return undefined;
  const widest = version === 4 ? 32 : 128;
  if (bits === undefined) return { address, bits: widest };
  return /^\d{1,3}$/.test(bits) && Number(bits) <= widest ? { address, bits: Number(bits) } : undefined;
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** An IPv6 address that carries an IPv4 one leads where that one does: mapped, compatible, translated, by NAT64, by 6to4. */
function addressesOf(address: string): readonly string[] {
  const groups = groupsOf(address);
  if (groups === undefined) return [address];
  const starts = (...prefix: number[]): boolean => prefix.every((group, at) => groups[at] === group);
  const at = starts(0x2002) ? 1 : mappings.some((prefix) => starts(...prefix)) ? 6 : undefined;
  if (at === undefined) return [address];
  const [high, low] = [groups[at]!, groups[at + 1]!];
  return [address, `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`];
}
const mappings = [
  [0, 0, 0, 0, 0, 0xffff],
  [0, 0, 0, 0, 0, 0],
  [0, 0, 0, 0, 0xffff, 0],
  [0x64, 0xff9b, 0, 0, 0, 0],
];

/** The eight groups of an IPv6 address as a URL writes it; `undefined` of another one. */
function groupsOf(address: string): readonly number[] | undefined {
  if (isIP(address) !== 6 || address.includes('.')) return undefined;
  const [head = [], tail] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const missing = tail === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array.from({ length: missing }, () => '0'), ...(tail ?? [])].map((group) =>
    Number.parseInt(group, 16),
  );
}

/** Names that no public name server knows (RFC 6761, RFC 6762, RFC 9476), and single labels. */
const isLocalName = (name: string): boolean =>
  !name.includes('.') || /\.(?:localhost|local|internal|lan|home\.arpa)$/.test(name);
