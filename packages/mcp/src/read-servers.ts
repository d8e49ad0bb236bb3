/** The settings of `connectMcp`: each checked, each with its default, none ignored. */
import { didYouMean, HookError, longestTimerMs, ownFields } from '@treblehook/types';
import type { McpHttpServer, McpOptions, McpServerSettings, McpStdioServer } from './contract.js';

export type ReadServer = { readonly name: string; readonly optional: boolean } & (
  | { readonly stdio: McpStdioServer; readonly http?: undefined }
  | { readonly http: McpHttpServer & { readonly url: URL }; readonly stdio?: undefined }
);

export interface ReadOptions {
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly closeGraceMs: number;
  readonly baseMs: number;
  readonly maxMs: number;
  readonly maxTools: number;
  readonly maxMessageBytes: number;
  readonly signal: AbortSignal | undefined;
  readonly onNotice: McpOptions['onNotice'];
}

const optionNames: Readonly<Record<keyof McpOptions, true>> = {
  connectTimeoutMs: true,
  callTimeoutMs: true,
  closeGraceMs: true,
  backoff: true,
  maxTools: true,
  maxMessageBytes: true,
  signal: true,
  onNotice: true,
};
const stdioNames: Readonly<Record<keyof McpStdioServer, true>> = {
  command: true,
  args: true,
  env: true,
  cwd: true,
  optional: true,
};
const httpNames: Readonly<Record<keyof McpHttpServer, true>> = {
  url: true,
  headers: true,
  fetch: true,
  optional: true,
};

/** Throws `TH_OPTION_INVALID`. */
export function readOptions(given: McpOptions): ReadOptions {
  assertKnown('the options of connectMcp', given, optionNames);
  const { backoff = {}, signal, onNotice, ...numbers } = ownFields(given);
  assertKnown('backoff', backoff, { baseMs: true, maxMs: true });
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalid('signal is no AbortSignal');
  if (onNotice !== undefined && typeof onNotice !== 'function') throw invalid('onNotice must be a function');
  return {
    connectTimeoutMs: whole('connectTimeoutMs', numbers.connectTimeoutMs, 1) ?? 30_000,
    callTimeoutMs: whole('callTimeoutMs', numbers.callTimeoutMs, 1) ?? 120_000,
    closeGraceMs: whole('closeGraceMs', numbers.closeGraceMs, 0) ?? 2_000,
    baseMs: whole('backoff.baseMs', backoff.baseMs, 0) ?? 500,
    maxMs: whole('backoff.maxMs', backoff.maxMs, 0) ?? 30_000,
    maxTools: whole('maxTools', numbers.maxTools, 1) ?? 500,
    maxMessageBytes: whole('maxMessageBytes', numbers.maxMessageBytes, 1) ?? 10 * 1024 * 1024,
    signal,
    onNotice,
  };
}

/** Throws `TH_OPTION_INVALID`. */
export function readServers(given: Readonly<Record<string, McpServerSettings>>): readonly ReadServer[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid('connectMcp takes an object of servers, by their names');
  }
  const taken = new Map<string, string>();
  return Object.entries(given).map(([name, settings]) => {
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
      throw invalid(`'${name}' is no name for a server: take letters, digits, '.', '_' and '-', at most 64`);
    }
    const rival = taken.get(name.toLowerCase());
    if (rival !== undefined) throw invalid(`'${rival}' and '${name}' are one name to a reader: rename one of the two`);
    taken.set(name.toLowerCase(), name);
    return readServer(name, settings);
  });
}

function readServer(name: string, given: McpServerSettings): ReadServer {
  const what = `the server '${name}'`;
  if (typeof given !== 'object' || given === null) throw invalid(`${what} must be { command } or { url }`);
  const hasCommand = Object.hasOwn(given, 'command');
  if (hasCommand === Object.hasOwn(given, 'url')) throw invalid(`${what} must have either a command or a url`);
  if (given.optional !== undefined && typeof given.optional !== 'boolean') {
    throw invalid(`optional of ${what} must be true or false`);
  }
  const optional = given.optional === true;
  return hasCommand
    ? { name, optional, stdio: readStdio(what, given as McpStdioServer) }
    : { name, optional, http: readHttp(what, given as McpHttpServer) };
}

function readStdio(what: string, given: McpStdioServer): McpStdioServer {
  assertKnown(what, given, stdioNames);
  const { command, args = [], env = {}, cwd } = ownFields(given);
  if (typeof command !== 'string' || command === '') throw invalid(`command of ${what} must be the name of a program`);
  if (!Array.isArray(args) || args.some((arg) => typeof arg !== 'string')) {
    throw invalid(`args of ${what} must be a list of texts: what stands behind the program, one by one`);
  }
  assertTexts(`env of ${what}`, env);
  if (cwd !== undefined && typeof cwd !== 'string') throw invalid(`cwd of ${what} must be the path of a folder`);
  return { command, args: [...(args as readonly string[])], env: { ...env }, ...(cwd === undefined ? {} : { cwd }) };
}

function readHttp(what: string, given: McpHttpServer): McpHttpServer & { readonly url: URL } {
  assertKnown(what, given, httpNames);
  const { url: text, headers = {}, fetch } = ownFields(given);
  if (!(text instanceof URL) && typeof text !== 'string') throw invalid(`url of ${what} must be a URL`);
  const url = URL.canParse(String(text)) ? new URL(text) : undefined;
  if (url === undefined) throw invalid(`url of ${what} cannot be read: it begins with https:// or http://`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw invalid(`url of ${what} is of '${url.protocol}': only https: and http: are spoken`);
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid(`url of ${what} has a user or a password: give a header 'authorization' instead`);
  }
  assertTexts(`headers of ${what}`, headers);
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      // swallows a text that has the value in it
      throw invalid(
        `headers of ${what} has '${name}', which is no header: look for line ends and other control characters`,
      );
    }
  }
  if (fetch !== undefined && typeof fetch !== 'function') throw invalid(`fetch of ${what} must be a function`);
  return { url, headers: { ...headers }, ...(fetch === undefined ? {} : { fetch }) };
}

function assertTexts(what: string, given: unknown): asserts given is Readonly<Record<string, string>> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw invalid(`${what} must be an object`);
  for (const [key, value] of Object.entries(given)) {
    if (typeof value !== 'string') throw invalid(`${what} has '${key}', which is no text: leave out what is not set`);
  }
}

function assertKnown(what: string, given: object, names: Readonly<Record<string, true>>): void {
  if (typeof given !== 'object' || given === null) throw invalid(`${what} must be an object`);
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(names, key)) continue;
    const all = Object.keys(names);
    throw invalid(`${what} has '${key}': ${didYouMean(key, all) ?? `there is ${all.join(', ')}`}`);
  }
}

function whole(what: string, given: number | undefined, least: number): number | undefined {
  if (given === undefined || (Number.isSafeInteger(given) && given >= least && given <= longestTimerMs)) return given;
  throw invalid(`${what} must be a whole number from ${least} to ${longestTimerMs}`);
}

const invalid = (what: string): HookError => new HookError('TH_OPTION_INVALID', { what });
