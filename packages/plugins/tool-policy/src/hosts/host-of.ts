/** The host that a URL leads to, parsed once, as `fetch` parses it. */
import { isIP } from 'node:net';

export interface Host {
  /** Lower case, in its ASCII form (IDNA), without the dot at its end; an address in its usual spelling, IPv6 without brackets. */
  readonly name: string;
  readonly isAddress: boolean;
}

/** Schemes whose host WHATWG URL reads as one: names in ASCII, IPv4 in whatever base as four numbers. */
const special = new Set(['http:', 'https:', 'ws:', 'wss:', 'ftp:']);

/** Reads a URL, or an address without a scheme as a browser would. In words, why the host cannot be told. */
export function hostOf(text: string): Host | string {
  // Programs disagree on each of these; the host that one reads is not the host that another one reaches.
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return 'the URL contains a blank, a control character or a backslash';
  const url = parsed(text) ?? (text.includes('://') ? undefined : parsed(`http://${text}`));
  if (url === undefined) return `'${clipped(text)}' is no URL`;
  if (!special.has(url.protocol)) return `'${url.protocol}' is no scheme whose host is known`;
  if (url.username !== '' || url.password !== '' || text.includes('@')) return 'the URL names a user before its host';
  const name = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return name === '' ? `'${clipped(text)}' names no host` : { name, isAddress: isIP(name) !== 0 };
}

/** `example.org:443` is no scheme: what stands in front of the colon has a dot, or a number follows. */
function parsed(text: string): URL | undefined {
  if (/^[^/?#]*:\d+(?:[/?#]|$)/.test(text)) return undefined;
  return URL.canParse(text) ? new URL(text) : undefined;
}

const clipped = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
