/** One request and its answer: no redirect is followed, no cookie or credential sent, no unchecked address connected to. */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { BlockList, LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ToolError } from './tool-error.js';
import { assertAddress } from './url-text.js';

/** Finds all addresses of a host name. */
export type ResolveHost = (
  host: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

export interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  readonly allowed: BlockList;
  readonly resolve: ResolveHost;
  /** Of the decoded body; what is behind them is not read. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface Answered {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** There is more of the body than was read. */
  readonly cut: boolean;
}

export const resolveBySystem: ResolveHost = (host, done) => {
  systemLookup(host, { all: true, verbatim: true }, (error, addresses) => done(error, addresses));
};

/** Rejects with a `ToolError` of code `address` or `network`, or the fault of the signal. */
export async function exchange(wanted: Exchange): Promise<Answered> {
  const response = await responseTo(wanted);
  try {
    const { statusCode: status = 0, statusMessage: statusText = '', headers } = response;
    const bare = wanted.method === 'HEAD' || isRedirect(status);
    const { bytes, cut } = bare ? { bytes: [], cut: false } : await bodyOf(decoded(response), wanted.maxBytes);
    return { status, statusText, headers, body: Buffer.concat(bytes), cut };
  } catch (error) {
    throw networkFault(wanted, error);
  } finally {
    response.destroy();
  }
}

export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

function responseTo(wanted: Exchange): Promise<IncomingMessage> {
  const { url, method, body, contentType, allowed, signal } = wanted;
  const isSecure = url.protocol === 'https:';
  const headers: Record<string, string> = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'treblehook' };
  if (body !== undefined) {
    headers['content-type'] = contentType ?? 'text/plain; charset=utf-8';
    headers['content-length'] = String(Buffer.byteLength(body));
  }
  const shared = { method, headers, signal, lookup: lookupFor(wanted) };
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(networkFault(wanted, error));
    // an agent of its own has no socket of another call, and no proxy
    const request = isSecure
      ? httpsRequest(url, { ...shared, agent: new HttpsAgent({ keepAlive: false }), rejectUnauthorized: true })
      : httpRequest(url, { ...shared, agent: new HttpAgent({ keepAlive: false }) });
    request.on('error', fail);
    request.on('response', resolve);
    request.on('socket', (socket) => {
      socket.once('connect', () => {
        try {
          assertAddress(socket.remoteAddress ?? '', url.hostname, allowed);
        } catch (error) {
          request.destroy(error as Error);
        }
      });
    });
    request.end(body);
  });
}

/** What is connected to is what was checked: the name is resolved once, here, and all that it stands for must be allowed. */
function lookupFor({ url, allowed, resolve }: Exchange): LookupFunction {
  return (host, options, done) => {
    resolve(host, (error, addresses) => {
      if (error !== null) return done(error, '', 0);
      try {
        if (addresses.length === 0) throw new ToolError('network', `'${host}' has no address`);
        for (const { address } of addresses) assertAddress(address, url.hostname, allowed);
      } catch (fault) {
        return done(fault as Error, '', 0);
      }
      if (options.all === true) return done(null, [...addresses]);
      const [{ address, family }] = addresses as readonly [LookupAddress];
      done(null, address, family);
    });
  };
}

function decoded(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const decoders: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  };
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (decoder !== undefined) return pipeline(response, decoder(), () => {}); // a fault is told by the reading of it
  if (encoding === 'identity' || encoding === '') return response;
  throw new ToolError('network', `the body is encoded as '${encoding}', which is not read here`);
}

async function bodyOf(
  stream: Readable,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer[]; readonly cut: boolean }> {
  const bytes: Buffer[] = [];
  let left = maxBytes;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes.push(chunk.subarray(0, left));
    if (chunk.length > left) return { bytes, cut: true };
    left -= chunk.length;
  }
  return { bytes, cut: false };
}

function networkFault({ url, signal }: Exchange, error: unknown): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof ToolError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const host = `'${url.host}'`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new ToolError('network', `there is no host ${host}, or no network`);
  if (code === 'ECONNREFUSED') return new ToolError('network', `${host} takes no connection`);
  if (code === 'ECONNRESET') return new ToolError('network', `${host} ended the connection in the middle`);
  return new ToolError('network', `${host} could not be asked (${code ?? message})`);
}
