/** The file of MCP servers: read as other settings are, each fault with its line and the mend. Nothing is started by reading. */
import { dirname, resolve } from 'node:path';
import { readConfigFile } from '@treblehook/host';
import type { McpServerSettings } from '@treblehook/mcp';
import { isHookError, Setting } from '@treblehook/types';

/** By the name of each server. */
export type McpServersByName = Readonly<Record<string, McpServerSettings>>;

export interface ServersFile {
  readonly servers: McpServersByName;
  /** Where a server stands: the file, line and column. */
  readonly placeOf: (name: string) => string;
}

/** `file` as errors call it. Rejects with `TH_CONFIG_INVALID`. */
export async function readServersFile(file: string): Promise<ServersFile> {
  const { checkMcpServers } = await import('@treblehook/mcp');
  const { value, locate } = await readConfigFile(file);
  const whole = new Setting(value, locate);
  const { servers } = whole.fields(['servers']);
  if (servers === undefined) return whole.lacks('servers', 'write a map of names to { command, args } or { url }');
  const all = servers.entries();
  if (all.length === 0) servers.refuse("'servers' is an empty map: write at least one { command, args } or { url }");
  const read: Record<string, McpServerSettings> = Object.create(null);
  for (const [name, setting] of all) {
    read[name] = serverIn(setting, dirname(file));
    refusedAt(setting, () => checkMcpServers({ [name]: read[name]! }));
  }
  refusedAt(servers, () => checkMcpServers(read));
  const placeOf = (name: string): string => {
    const { file: where, at } = locate(['servers', name], 'key');
    return `${where}${at}`;
  };
  return { servers: read, placeOf };
}

/** What is relative in it is meant from the folder of the file. */
function serverIn(setting: Setting, folder: string): McpServerSettings {
  const keys = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'optional'] as const;
  const { command, args, env, cwd, url, headers, optional } = setting.fields(keys);
  if (command !== undefined && url !== undefined)
    url.refuse(`${url.name} stands beside a command: keep one of them`, 'key');
  const other = command === undefined ? { args, env, cwd } : { headers };
  for (const [key, field] of Object.entries(other)) {
    const [needs, lacks] = command === undefined ? ['command', 'url'] : ['url', 'command'];
    if (field !== undefined && (command ?? url) !== undefined)
      field.refuse(`'${key}' goes with a ${needs}, not with a ${lacks}: leave it out`, 'key');
  }
  const isOptional = optional === undefined ? {} : { optional: flag(optional) };
  if (command !== undefined) {
    return {
      command: command.text(),
      ...(args && { args: args.items().map(anyText) }),
      ...(env && { env: textsIn(env) }),
      cwd: resolve(folder, cwd?.text() ?? '.'),
      ...isOptional,
    };
  }
  if (url === undefined) return setting.lacks('command', "or 'url': write the program that is started, or where it is");
  return { url: url.text(), ...(headers && { headers: textsIn(headers) }), ...isOptional };
}

const textsIn = (setting: Setting): Readonly<Record<string, string>> =>
  Object.fromEntries(setting.entries().map(([key, one]) => [key, anyText(one)]));

/** An argument and the value of a variable may be empty. */
const anyText = (setting: Setting): string =>
  typeof setting.value === 'string'
    ? setting.value
    : setting.refuse(`${setting.name} is no text: put it in quotes, or leave it out`);

const flag = (setting: Setting): boolean =>
  typeof setting.value === 'boolean' ? setting.value : setting.refuse(`${setting.name} is neither true nor false`);

/** What the client of the protocol refuses, with the place in the file. */
function refusedAt(setting: Setting, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!isHookError(error) || error.code !== 'TH_OPTION_INVALID') throw error;
    setting.refuse(String(error.details['what']), 'key');
  }
}
