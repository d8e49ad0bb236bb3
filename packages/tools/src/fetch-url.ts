/** The tool `fetch_url`: one request over HTTP, whose redirects are told and not followed. */
import type { BlockList } from 'node:net';
import {
  defineTool,
  didYouMean,
  HookError,
  textOf,
  type Tool,
  type ToolAnnotations,
  type ToolResult,
} from '@treblehook/types';
import { z } from 'zod';
import { rangesOf } from './address.js';
import { bodyText } from './body-text.js';
import { exchange, isRedirect, resolveBySystem, type Answered, type ResolveHost } from './exchange.js';
import { strictArguments } from './strict-arguments.js';
import { ToolError } from './tool-error.js';
import { urlOf } from './url-text.js';
import { onOneLine } from './visible.js';

export interface FetchOptions {
  /** What may be asked; default `GET` and `HEAD`. Any other lets a call send a `body`. */
  readonly methods?: readonly string[];
  /** Addresses, and ranges such as `127.0.0.1/32`, that are taken though they are not public; default none. */
  readonly allow?: readonly string[];
  /** From the look-up of the host to the end of the body, in ms; default 30,000. */
  readonly timeoutMs?: number;
  /** Bytes of the body, decoded, that are read; default 200,000. */
  readonly maxBytes?: number;
  /** Gives all addresses of a host; default the system's. What it gives is checked. */
  readonly resolve?: ResolveHost;
}

interface Settled extends Required<Omit<FetchOptions, 'allow'>> {
  readonly allowed: BlockList;
}

const optionNames: Readonly<Record<keyof FetchOptions, true>> = {
  methods: true,
  allow: true,
  timeoutMs: true,
  maxBytes: true,
  resolve: true,
};
const reading: readonly string[] = ['GET', 'HEAD'];

function inputOf({ methods, allowed }: Settled) {
  const url = z
    .string({ error: 'write an absolute URL, such as "https://example.org/path"' })
    .superRefine((text, context) => {
      const fault = faultOf(text, allowed);
      if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
    })
    .overwrite((text) => (faultOf(text, allowed) === undefined ? urlOf(text, allowed).href : text))
    .describe('An absolute URL, http or https');
  const method = z
    .enum(methods, { error: `write one of ${methods.join(', ')}, in capital letters` })
    .default(methods[0]!);
  const mediaType = 'it is no media type: write one such as "application/json"';
  const base = { url, method };
  const withBody = {
    ...base,
    body: z.string({ error: 'it is no text: write the body as one' }).optional(),
    contentType: z
      .string({ error: mediaType })
      .regex(/^[\x20-\x7e]+$/, mediaType)
      .optional()
      .describe('Of the body'),
  };
  // where no method has a body, none can be given, and none is read
  return strictArguments((methods.every((name) => reading.includes(name)) ? base : withBody) as typeof withBody);
}

/** A request tells the world what is in its URL, so that it is none that reads alone; `GET` and `HEAD` destroy nothing there. */
const hintsOf = (methods: readonly string[]): ToolAnnotations => {
  const reads = methods.every((method) => reading.includes(method));
  return { readOnlyHint: false, destructiveHint: !reads, idempotentHint: reads, openWorldHint: true };
};

/** Fetches from public hosts, one request a call. Put a policy in front of it. Throws `TH_OPTION_INVALID`. */
export function fetchUrlTool(given: FetchOptions = {}): Tool {
  const options = optionsOf(given);
  return defineTool({
    name: 'fetch_url',
    description:
      'Asks for one URL and gives the text of the answer. A redirect is told, not followed: call again with its target.',
    input: inputOf(options),
    annotations: hintsOf(options.methods),
    concurrency: ({ method }) => (reading.includes(method) ? 'safe' : 'exclusive'),
    urls: ['url'],
    execute: async ({ url: text, method, body, contentType }, { signal }) => {
      const { timeoutMs, maxBytes, resolve, allowed } = options;
      const url = urlOf(text, allowed);
      const late = new ToolError('limit', `'${url.host}' has not answered in full after ${timeoutMs} ms`);
      const answer = await inTime(timeoutMs, late, signal, (stop) =>
        exchange({ url, method, body, contentType, allowed, resolve, maxBytes, signal: stop }),
      );
      return resultOf(url, answer);
    },
  });
}

/** Stops the work when its time is over, with `late`, or when the call is aborted, with its reason. */
async function inTime<T>(
  ms: number,
  late: ToolError,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(late), ms);
  const aborted = (): void => stop.abort(signal.reason);
  signal.addEventListener('abort', aborted);
  try {
    return await work(stop.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', aborted);
  }
}

function resultOf(url: URL, { status, statusText, headers, body, cut }: Answered): ToolResult {
  const type = headers['content-type'];
  const told = [`HTTP ${status} ${onOneLine(statusText)}`.trim(), ...(type === undefined ? [] : [onOneLine(type)])];
  const metadata = { status, url: url.href, bytes: body.length, cut, ...(type !== undefined && { contentType: type }) };
  const { location } = headers;
  if (isRedirect(status) && location !== undefined) {
    const target = targetOf(location, url);
    const output = `${told[0]}: it redirects to ${onOneLine(target)}\n[not followed: call fetch_url with that URL]`;
    return { output, isError: false, metadata: { ...metadata, location: target } };
  }
  const { text, why } = bodyText(body, type, cut);
  const notes = [
    ...(why === undefined ? [] : [why]),
    ...(cut ? [`there is more than the ${body.length} bytes that were read`] : []),
  ];
  const head = [...told, `${body.length} bytes${cut ? ' or more' : ''}`].join('; ');
  const output = [
    head,
    ...(text === undefined || text === '' ? [] : ['', text]),
    ...(notes.length > 0 ? [`[${notes.join('; ')}]`] : []),
  ];
  return { output: output.join('\n'), isError: status >= 400, metadata };
}

function targetOf(location: string, url: URL): string {
  return URL.canParse(location, url.href) ? new URL(location, url.href).href : location;
}

function faultOf(text: string, allowed: BlockList): string | undefined {
  try {
    urlOf(text, allowed);
    return undefined;
  } catch (error) {
    return textOf(error);
  }
}

function optionsOf(given: FetchOptions): Settled {
  const names = Object.keys(optionNames);
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(optionNames, name)) continue;
    throw invalid(`'${name}' is no option of fetch_url: ${didYouMean(name, names) ?? `there are ${names.join(', ')}`}`);
  }
  const { methods = reading, allow = [], timeoutMs = 30_000, maxBytes = 200_000, resolve = resolveBySystem } = given;
  if (!Array.isArray(methods) || methods.length === 0 || !methods.every(isMethod)) {
    throw invalid("'methods' must be a list of methods in capital letters, CONNECT and TRACE not among them");
  }
  for (const [name, value] of Object.entries({ timeoutMs, maxBytes })) {
    if (!Number.isSafeInteger(value) || value < 1 || value >= 2 ** 31)
      throw invalid(`'${name}' must be a whole number from 1`);
  }
  if (typeof resolve !== 'function') throw invalid("'resolve' must be a function");
  try {
    return { methods, allowed: rangesOf(allow), timeoutMs, maxBytes, resolve };
  } catch (error) {
    throw invalid(`'allow': ${textOf(error)}`);
  }
}

const isMethod = (name: unknown): boolean =>
  typeof name === 'string' && /^[A-Z]+$/.test(name) && name !== 'CONNECT' && name !== 'TRACE';

const invalid = (what: string): HookError => new HookError('TH_OPTION_INVALID', { what });
