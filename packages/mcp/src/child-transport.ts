/** The transport of a server process: one JSON-RPC message for each line of its standard streams. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseJSONRPCMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { textOf } from '@treblehook/types';
import { childEnv } from './child-env.js';
import type { McpStdioServer } from './contract.js';
import { fieldsOf } from './json-fields.js';
import { LineReader } from './line-reader.js';
import { endGroup, hasGroups } from './process-group.js';

/** Of what a process writes to stderr, the end is kept: so many characters. */
const stderrChars = 4_096;
/** How long what a process wrote before its end is still read, in ms: others may hold its streams open. */
const drainMs = 200;

/** Of JSON-RPC. */
const internalError = -32_603;

/** Why a transport is over that was closed from here. */
export const closedHere = 'was closed';

export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  /** What is no message, once each line. */
  ongarbage?: (line: string) => void;
  /** Why it is over. */
  ended: string | undefined;
  readonly #server: McpStdioServer;
  readonly #graceMs: number;
  readonly #lines: LineReader;
  #child: ChildProcess | undefined;
  #stderr = '';
  #closing: Promise<void> | undefined;

  constructor(server: McpStdioServer, { closeGraceMs, maxMessageBytes }: TransportLimits) {
    this.#server = server;
    this.#graceMs = closeGraceMs;
    this.#lines = new LineReader(maxMessageBytes);
  }

  /** The end of what the process has written to stderr. */
  get stderr(): string {
    return this.#stderr.trim();
  }

  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      const failed = (error: unknown): void => {
        this.#over(`cannot be started: ${whyNot(error, this.#server)}`);
        reject(error);
      };
      try {
        this.#start().once('spawn', resolve).on('error', failed);
      } catch (error) {
        failed(error); // such as arguments that are too long
      }
    });
  }

  #start(): ChildProcess {
    const { command, args = [], env = {}, cwd } = this.#server;
    const child = spawn(command, args, {
      env: childEnv(env),
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      windowsHide: true,
      detached: hasGroups,
    });
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-stderrChars);
    });
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream.on('error', (error) => this.onerror?.(error)); // such as EPIPE: its end is told by 'exit'
    }
    child.once('exit', (code, signal) => {
      const how = signal === null ? `exit code ${code}` : signal;
      const timer = setTimeout(() => this.#over(`has ended (${how})`), drainMs);
      child.once('close', () => {
        clearTimeout(timer);
        this.#over(`has ended (${how})`);
      });
    });
    return child;
  }

  /** Resolves when the process has taken it, or cannot take anything any more. */
  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === null || stdin === undefined || this.ended !== undefined || !stdin.writable) {
      return Promise.reject(new Error(`the server ${this.ended ?? 'takes nothing any more'}`));
    }
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Resolves when the process, and all that it has started, is gone. */
  close(): Promise<void> {
    this.#over(closedHere);
    return this.#closing!;
  }

  #read(chunk: Buffer): void {
    if (this.ended !== undefined) return;
    try {
      for (const line of this.#lines.push(chunk)) this.#take(line);
    } catch (error) {
      this.#over(textOf(error));
    }
  }

  #take(line: string): void {
    if (line.trim() === '') return;
    const message = messageOf(line);
    if (message === undefined) return this.ongarbage?.(line);
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(textOf(error)));
    }
  }

  #over(why: string): void {
    if (this.ended !== undefined) return;
    this.ended = why;
    const child = this.#child;
    this.#closing = child === undefined ? Promise.resolve() : endGroup(child, this.#graceMs).then(() => release(child));
    this.onclose?.();
  }
}

/** The words of the system, or what is missing and the mend: of a folder that is not there the system names the program. */
function whyNot(error: unknown, { command, cwd }: McpStdioServer): string {
  const { code } = fieldsOf(error) ?? {};
  if (code === 'ENOENT' && cwd !== undefined && !existsSync(cwd))
    return `there is no folder '${cwd}' to start it in: mend its cwd`;
  if (code === 'ENOENT') return `there is no program '${command}': install it, or mend its command`;
  if (code === 'EACCES') return `'${command}' may not be run: check its permissions, or mend its command`;
  return textOf(error);
}

/** `undefined` of what is none. An answer that is none is a failure of its request, which would else wait for another. */
function messageOf(line: string): JSONRPCMessage | undefined {
  let given: unknown;
  try {
    given = JSON.parse(line);
    return parseJSONRPCMessage(given);
  } catch {
    // swallows what the parsers say of it: it is told as what it is
    const { id, method } = fieldsOf(given) ?? {};
    if (method !== undefined || typeof id !== 'number') return undefined;
    return { jsonrpc: '2.0', id, error: { code: internalError, message: 'its answer is none' } };
  }
}

export interface TransportLimits {
  readonly closeGraceMs: number;
  readonly maxMessageBytes: number;
}

/** What it has started may hold its streams, and they would hold this process. */
function release({ stdin, stdout, stderr }: ChildProcess): void {
  stdin?.destroy();
  stdout?.destroy();
  stderr?.destroy();
}
