/** The host of a run as its flags have it: folder, tools, model, personality, policy, store, and who is asked. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defaultPersonality } from '@treblehook/agent';
import { createHost, type Host } from '@treblehook/host';
import { isHookError, type SessionStore, type Tool } from '@treblehook/types';
import { askingOf, type AskFlags } from './asking.js';
import type { Voice } from './conduct.js';
import { toldOf } from './ending.js';
import { assertConsented, assertSetUp, configNotices, folderConfig } from './folder-config.js';
import { givenBy, type Given } from './given.js';
import { fileFrom } from './io.js';
import { keysOf } from './keys.js';
import { connectServers, type McpFlags } from './mcp/connect.js';
import { ownAgent } from './session/own-agent.js';
import { askedFirst } from './tools/asked-first.js';
import { builtInTools, namesIn, spareTools, type ToolFlags } from './tools/built-in.js';
import { UsageError } from './usage-error.js';

/** What `run` and `session resume` have in common. */
export interface HostFlags extends AskFlags, ToolFlags, McpFlags {
  readonly dir?: string | undefined;
  readonly model?: string | undefined;
  readonly personality?: string | undefined;
  /** `false`: the config file of the folder is left unread. */
  readonly config?: boolean | undefined;
  readonly policy?: string | undefined;
  readonly strict?: boolean | undefined;
  readonly store?: string | false | undefined;
  readonly trace?: boolean | undefined;
}

/** Whom it tells what, and where it keeps its sessions. */
export interface VoiceAndStore extends Pick<Voice, 'io' | 'redact' | 'say' | 'warn'> {
  readonly store: SessionStore | undefined;
  /** It goes on with a run that was left open. */
  readonly isResumed?: boolean;
  /** The model was named by the log, and not by the person. */
  readonly isModelFromLog?: boolean;
}

export interface RunHost {
  readonly host: Host;
  /** As the log may keep it. */
  readonly given: Given;
  /** Closes the host, and ends the MCP servers behind it. Idempotent. */
  readonly close: () => Promise<void>;
}

/** Rejects with `UsageError` or a `HookError`; nothing was run then, and no server is left running. */
export async function hostOf(flags: HostFlags, voiceAndStore: VoiceAndStore): Promise<RunHost> {
  const names = namesIn(flags);
  const servers = await connectServers(flags, voiceAndStore);
  try {
    const { host, given } = await hostWith(flags, voiceAndStore, names, servers?.tools ?? []);
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      try {
        await host.close();
      } finally {
        await servers?.close();
      }
    };
    return { host, given, close: () => (closed ??= close()) };
  } catch (error) {
    await servers?.close();
    throw error;
  }
}

async function hostWith(
  flags: HostFlags,
  voiceAndStore: VoiceAndStore,
  names: readonly string[],
  remote: readonly Tool[],
): Promise<Pick<RunHost, 'host' | 'given'>> {
  const { io, redact, warn, store, isModelFromLog, isResumed = false } = voiceAndStore;
  const dir = await folderAt(flags.dir, io.cwd);
  const folder = await folderConfig(flags, dir, io);
  assertConsented(folder, flags);
  for (const notice of configNotices(folder)) warn(toldOf(notice));
  const { personality, personalities, plugins, policy: project } = folder;
  const policy = flags.policy === undefined ? undefined : fileFrom(io, flags.policy);
  const builtIn = builtInTools(dir, names);
  const { policy: defaultPolicy } = await askedFirst(
    builtIn,
    policy,
    personality?.personality.id ?? defaultPersonality.id,
  );
  const tools = [...builtIn, ...remote];
  const named = flags.model ?? folder.model;
  const fromVariable = named === undefined && io.env['TREBLEHOOK_MODEL']?.trim();
  const model = named ?? (fromVariable || 'offline');
  const isOfConfig = flags.model === undefined && folder.model !== undefined;
  const namer = isModelFromLog ? 'the log of the session' : isOfConfig ? 'the config of the folder' : undefined;
  const host = await createHost({
    name: ownAgent,
    model,
    modelOptions: keysOf(io.env, (message) => warn({ message }), namer),
    tools,
    cwd: dir,
    ...(store && { store }),
    ...askingOf(flags, io, { isKept: store !== undefined, isResumed }, redact, tools),
    ...(personality && { personality }),
    ...(personalities.length > 0 && { personalities }),
    ...(plugins.length > 0 && { plugins }),
    ...(policy !== undefined && { policy }),
    ...(defaultPolicy && { defaultPolicy }),
    ...(project !== undefined && { projectPolicy: project }),
    onDryRun: (verdict, { tool }) => {
      const [word, text] = 'deny' in verdict ? ['denied', verdict.deny] : ['asked about', verdict.ask];
      warn({ message: `rehearsed policy: ${tool.name} would have been ${word} by ${verdict.rule}: ${text}` });
    },
    strict: flags.strict === true || folder.strict,
    spareTools: spareTools(names),
    onWarning: (warning) => warn(toldOf(warning)),
  }).catch((error: unknown) => {
    const isOfModel = error instanceof UsageError || (isHookError(error) && error.code === 'TH_MODEL_INVALID');
    throw fromVariable && isOfModel ? new UsageError(`$TREBLEHOOK_MODEL: ${error.message}`) : error;
  });
  try {
    assertSetUp(folder, host.failed);
  } catch (error) {
    await host.close();
    throw error;
  }
  const isOfFile = isOfConfig || (flags.model === undefined && personality?.personality.model !== undefined);
  const standing = host.plugins.filter((id) => personality?.personality.plugins?.includes(id));
  const { file: config } = folder.report;
  const given = givenBy(flags, io.cwd, isOfFile ? undefined : model, { project, config, plugins: standing });
  return { host, given: redact.data(given) };
}

/** Refuses a folder that the tools could not look into. */
export async function folderAt(dir: string | undefined, cwd: string): Promise<string> {
  const folder = resolve(cwd, dir ?? '.');
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) throw new UsageError(`there is no folder '${dir ?? folder}': check --dir`);
  if (!found.isDirectory()) throw new UsageError(`'${dir ?? folder}' is no folder: give --dir a folder`);
  await access(folder, constants.R_OK | constants.X_OK).catch(() => {
    throw new UsageError(`the folder '${dir ?? folder}' may not be read: check its permissions, or --dir`);
  });
  return folder;
}
