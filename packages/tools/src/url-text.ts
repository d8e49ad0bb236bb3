/** URLs as texts: which are never fetched, and the one form in which the others are sealed. */
import { isIP, type BlockList } from 'node:net';
import { mayConnect } from './address.js';
import { ToolError } from './tool-error.js';

const maxLength = 8_192;

/** The URL in its normal form, without its fragment, which no server gets. Throws a `ToolError` that names the mend. */
export function urlOf(text: string, allowed: BlockList): URL {
  if (text.length > maxLength)
    throw new ToolError('url', `a URL has at most ${maxLength} characters: give a shorter one`);
  if (/[\s\p{Cc}\\]/u.test(text)) {
    throw new ToolError('url', 'a URL has no white space, control character or backslash in it: percent-encode them');
  }
  const [, authority] = /^https?:\/\/([^/?#]+)/i.exec(text) ?? [];
  if (authority === undefined)
    throw new ToolError(
      'url',
      "only URLs with 'http://' or 'https://' and a host are fetched: write one such as https://example.org/path",
    );
  if (authority.includes('@'))
    throw new ToolError('url', "a URL with a user in front of '@' is not fetched: leave it out");
  if (authority.includes('%')) throw new ToolError('url', 'the host of a URL has no percent-encoding: write it out');
  const url = parsed(text);
  assertHost(url.hostname, authority.replace(/:\d*$/, ''), allowed);
  url.hash = '';
  return url;
}

function assertHost(host: string, written: string, allowed: BlockList): void {
  if (host.endsWith('.')) throw new ToolError('url', `leave out the dot at the end of '${host}'`);
  const address = host.startsWith('[') ? host.slice(1, -1) : host;
  if (isIP(address) === 0) return;
  // '0x7f.1' and '2130706433' are addresses to a browser, and none to who reads them
  if (isIP(address) === 4 && written !== host) throw new ToolError('url', `write the address as '${host}'`);
  assertAddress(address, host, allowed);
}

/** Throws a `ToolError` of code `address` where a connection may not go. */
export function assertAddress(address: string, host: string, allowed: BlockList): void {
  if (mayConnect(address, allowed)) return;
  const whose = host.replaceAll(/[[\]]/g, '') === address ? `'${host}'` : `'${host}' is at ${address}, which`;
  throw new ToolError('address', `${whose} is no public address: only the host of this tool can allow it`);
}

function parsed(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new ToolError('url', 'this is no URL: write one such as https://example.org/path'); // swallows "Invalid URL"
  }
}
