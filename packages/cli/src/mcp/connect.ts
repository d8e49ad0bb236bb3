/** The MCP servers of a run: connected before it, ended behind it, and their notices told. */
import type { McpNotice, McpServers } from '@treblehook/mcp';
import { HookError, isHookError, textOf, type Tool } from '@treblehook/types';
import type { Voice } from '../conduct.js';
import { fileFrom } from '../io.js';
import { readServersFile } from './servers-file.js';

export interface McpFlags {
  /** A file of servers; no other one is ever read. */
  readonly mcp?: string | undefined;
}

/** How each kind is told; `no`: the run shows it by itself, or nobody has to see it. */
const tellingOf: Readonly<Record<McpNotice['kind'], 'warn' | 'say' | 'no'>> = {
  'tool-refused': 'warn',
  'tools-cut': 'warn',
  'tools-changed': 'warn',
  'server-failed': 'warn',
  reconnected: 'say',
  garbage: 'say',
  'request-refused': 'say',
  progress: 'no',
  'list-changed': 'no',
};

/**
 * `undefined` when no file is named. Rejects with `TH_CONFIG_INVALID`, with `TH_MCP_FAILED`, and with the reason of an
 * interruption; nothing is left running then.
 */
export async function connectServers(
  { mcp }: McpFlags,
  { io, say, warn }: Pick<Voice, 'io' | 'say' | 'warn'>,
): Promise<McpServers | undefined> {
  if (mcp === undefined) return undefined;
  const { servers, placeOf } = await readServersFile(fileFrom(io, mcp));
  const { connectMcp } = await import('@treblehook/mcp');
  return connectMcp(servers, { signal: io.signal, onNotice: told }).catch((error: unknown) => {
    if (!isHookError(error)) throw error;
    for (const line of lastWords(error)) say(line);
    throw placed(error, placeOf);
  });

  function told({ kind, server, tool, text }: McpNotice): void {
    const telling = tellingOf[kind];
    if (telling === 'no') return;
    const message = `MCP server '${server}'${tool === undefined ? '' : `, ${tool}`}: ${text}`;
    if (telling === 'warn') warn({ message });
    else say(message);
  }
}

/** The tools that the servers list now; each is ended again. Rejects as `connectServers` does. */
export async function listedTools(
  flags: McpFlags,
  voice: Pick<Voice, 'io' | 'say' | 'warn'>,
): Promise<readonly Tool[]> {
  const servers = await connectServers(flags, voice);
  const tools = servers?.tools ?? [];
  await servers?.close();
  return tools;
}

/** The same with the place of the server in the file, and without the end of its stderr, which was told line by line. */
function placed(error: HookError, placeOf: (server: string) => string): HookError {
  const { server, what, stderr, ...others } = error.details;
  if (error.code !== 'TH_MCP_FAILED') return error;
  const where = placeOf(textOf(server));
  const said = textOf(what).replace(`. The end of its stderr: ${textOf(stderr)}`, '');
  return new HookError('TH_MCP_FAILED', { ...others, server, stderr, what: `(${where}) ${said}`, cause: error });
}

/** Lines of a server's stderr that are shown when it could not be connected to. */
const mostLines = 5;

function lastWords({ details: { server, stderr } }: HookError): readonly string[] {
  if (typeof stderr !== 'string' || stderr === '') return [];
  return stderr
    .split('\n')
    .slice(-mostLines)
    .map((line) => `MCP server '${textOf(server)}' wrote: ${line}`);
}
