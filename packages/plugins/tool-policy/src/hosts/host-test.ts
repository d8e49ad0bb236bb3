/** Tests on the host of a URL. */
import { BlockList, isIP } from 'node:net';
import { matchName, ownFields } from '@treblehook/types';
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

/** Private, loopback, link-local, shared, benchmarking, documentation, multicast and reserved ranges (IANA's special-purpose registries). */
const privateRanges = [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24',
  '192.0.2.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4',
  '::/128', '::1/128', '64:ff9b:1::/48', '100::/64', '2001:db8::/32', 'fc00::/7', 'fe80::/10', 'ff00::/8',
]; // prettier-ignore

/** Compiles a test of a host that was read, or of why it could not be. */
export function compileHostTest(test: HostTest): (host: Host | string) => Truth {
  const own: { readonly host?: string | readonly string[]; readonly not?: HostTest } = ownFields(test);
  if (own.not !== undefined) {
    const inner = compileHostTest(own.not);
    return (host) => not(inner(host));
  }
  const hosts = textsOf(own.host!);
  const local = hosts.includes('private');
  const given = hosts.flatMap((host) => rangeOf(host) ?? []);
  const ranges = [...given, ...(local ? privateRanges.map((range) => rangeOf(range)!) : [])];
  const blocks = new BlockList();
  for (const range of ranges) blocks.addSubnet(range.address, range.bits, family(range.address));
  const names = hosts.map((host) => host.toLowerCase().replace(/\.$/, ''));
  return (host) => {
    if (typeof host === 'string') return host;
    const { name } = host;
    if (names.some((glob) => matchName(glob, name))) return true;
    if (isIP(name) !== 0) return addressesOf(name).some((one) => blocks.check(one, family(one)));
    return local && isLocalName(name);
  };
}

/** Says in words why a text is no host of a rule. */
export function hostFault(text: string): string | undefined {
  if (text === 'private' || rangeOf(text) !== undefined) return undefined;
  if (text.includes('://')) return `'${text}' is a URL: write its host alone`;
  if (text.includes('/')) return `'${text}' is no range of addresses: write one as 10.0.0.0/8`;
  const sample = text.replaceAll('*', 'x');
  if (!URL.canParse(`http://${sample}`)) return `'${text}' is no host`;
  const { host } = new URL(`http://${sample}`);
  if (host !== sample.toLowerCase().replace(/\.$/, '') && host !== sample.toLowerCase()) {
    return `a host is written as it is compared: '${host.replaceAll('x', text.includes('*') ? '*' : 'x')}'`;
  }
  return undefined;
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

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** An IPv6 address that carries an IPv4 one (mapped, or by NAT64) leads where that one does. */
function addressesOf(address: string): readonly string[] {
  const carried = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address);
  if (carried === null) return [address];
  const [high, low] = [Number.parseInt(carried[1]!, 16), Number.parseInt(carried[2]!, 16)];
  return [address, `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`];
}

/** Names that no public name server knows (RFC 6761, RFC 6762, RFC 9476), and single labels. */
const isLocalName = (name: string): boolean =>
  isIP(name) === 0 && (!name.includes('.') || /\.(?:localhost|local|internal|lan|home\.arpa)$/.test(name));
