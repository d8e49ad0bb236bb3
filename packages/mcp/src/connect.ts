/** `connectMcp`: several servers at once, all of them or none. */
import type { McpOptions, McpServers, McpServerSettings } from './contract.js';
import { teller } from './notices.js';
import { readOptions, readServers } from './read-servers.js';
import { McpServer } from './server.js';
import { untilAborted } from './until-aborted.js';

/** Looks at settings as `connectMcp` would, and connects to nothing. Throws `TH_OPTION_INVALID`. */
export function checkMcpServers(servers: Readonly<Record<string, McpServerSettings>>): void {
  readServers(servers);
}

/**
 * Connects to each server and lists its tools. A name stands once among the servers of a program: it is the source of the
 * tools, `mcp:<name>`, by which rules name them.
 *
 * Rejects with `TH_OPTION_INVALID`, with `TH_MCP_FAILED` of the first server that fails and is not `optional`, and with the
 * reason of `signal`; nothing is left running then.
 */
export async function connectMcp(
  servers: Readonly<Record<string, McpServerSettings>>,
  options: McpOptions = {},
): Promise<McpServers> {
  const read = readOptions(options);
  const tell = teller(read.onNotice);
  const all = readServers(servers).map((server) => new McpServer(server, read, tell));
  const close = async (): Promise<void> => {
    await Promise.all(all.map((server) => server.close()));
  };
  const refresh = async (): Promise<void> => {
    const failed = await Promise.all(
      all.map(async (server) => {
        try {
          await server.refresh();
          return undefined;
        } catch (error) {
          return server.isOptional ? undefined : { error }; // an optional one has told it as a notice
        }
      }),
    );
    const first = failed.find((one) => one !== undefined);
    if (first !== undefined) throw first.error;
  };
  try {
    read.signal?.throwIfAborted();
    await (read.signal === undefined ? refresh() : untilAborted(refresh(), read.signal));
  } catch (error) {
    await close();
    throw error;
  }
  return Object.freeze({
    get tools() {
      return Object.freeze(all.flatMap((server) => server.tools));
    },
    describe: () => Object.freeze(all.map((server) => server.describe())),
    refresh,
    close,
  });
}
