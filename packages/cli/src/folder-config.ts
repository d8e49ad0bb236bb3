/** The config file of the folder that a command works in, as far as the flags leave it. */
import {
  loadPersonality,
  readHostConfig,
  type FailedPlugin,
  type HostConfigReport,
  type LoadedPersonality,
  type PluginUse,
} from '@treblehook/host';
import { HookError, isHookError, textOf, type Plugin } from '@treblehook/types';
import { fileFrom, type Io } from './io.js';
import { withoutModel } from './personality.js';
import { projectPolicyIn } from './policy/project-policy.js';
import { trustPath } from './trust/trust-path.js';

export interface ConfigFlags {
  readonly personality?: string | undefined;
  readonly model?: string | undefined;
  /** `false`: the config file of the folder is left unread. */
  readonly config?: boolean | undefined;
}

/** What a host is made of. Paths are absolute. */
export interface FolderConfig {
  readonly report: HostConfigReport;
  /** The one to start as: that of the flag, else that of the config. */
  readonly personality: LoadedPersonality | undefined;
  readonly personalities: readonly LoadedPersonality[];
  readonly plugins: readonly (Plugin | PluginUse)[];
  readonly model: string | undefined;
  /** The policy of the folder: its own file, or the one that its config names. */
  readonly policy: string | undefined;
  readonly strict: boolean;
}

/**
 * Reads it for a real folder; what has no consent is not imported. Rejects with `TH_CONFIG_INVALID`, and for a config that
 * is a module with `TH_UNTRUSTED` and `TH_STALE`.
 */
export async function folderConfig(
  flags: ConfigFlags,
  dir: string,
  io: Pick<Io, 'cwd' | 'env'>,
): Promise<FolderConfig> {
  const named = flags.personality === undefined ? undefined : await loadPersonality(fileFrom(io, flags.personality));
  const own = projectPolicyIn(dir);
  if (flags.config === false) {
    const report = { folder: dir, plugins: [], notices: [] };
    return { report, ...started(flags, named, []), plugins: [], model: undefined, policy: own, strict: false };
  }
  const trust = trustPath(io.env);
  const { options, report } = await readHostConfig(dir, {
    ...(trust !== undefined && { trust }),
    ...(named && { personalities: [named] }),
  });
  // those of a config are loaded where it is read
  const all = [options.personality, ...(options.personalities ?? [])].filter((one) => one !== undefined);
  return {
    report,
    ...started(flags, named, all as readonly LoadedPersonality[]),
    plugins: options.plugins ?? [],
    model: options.model as string | undefined,
    policy: policyOf(own, options.projectPolicy as string | undefined, report.file),
    strict: options.strict === true,
  };
}

/** A personality of the flag stands in place of one of its id, and the model of the flag in place of each one's own. */
function started(
  { model }: ConfigFlags,
  named: LoadedPersonality | undefined,
  others: readonly LoadedPersonality[],
): Pick<FolderConfig, 'personality' | 'personalities'> {
  const rest = others.filter(({ personality }) => personality.id !== named?.personality.id);
  const [first, ...further] = named === undefined ? rest : [named, ...rest];
  const plain = (one: LoadedPersonality): LoadedPersonality => (model === undefined ? one : withoutModel(one));
  return { personality: first && plain(first), personalities: further.map(plain) };
}

function policyOf(own: string | undefined, named: string | undefined, file: string | undefined): string | undefined {
  if (own === undefined || named === undefined || own === named) return named ?? own;
  const what = `its policy, ${named}, and ${own} are both the policy of the folder: put all rules into one, and drop the other`;
  throw new HookError('TH_CONFIG_INVALID', { file: file!, at: '', what });
}

/**
 * The policy of a folder alone. YAML and JSON are read without importing anything; a config that is a module takes consent.
 * Rejects as `folderConfig` does.
 */
export async function folderPolicy(dir: string, env: Io['env']): Promise<string | undefined> {
  const trust = trustPath(env);
  const { options, report } = await readHostConfig(dir).catch((error: unknown) => {
    if (!isHookError(error) || error.code !== 'TH_UNTRUSTED' || trust === undefined) throw error;
    return readHostConfig(dir, { trust });
  });
  return policyOf(projectPolicyIn(dir), options.projectPolicy as string | undefined, report.file);
}

/**
 * Refuses what would go on with less than the folder says: a plugin that the personality lists and that was not loaded,
 * whatever the reason, since a line of the config may be the reason; and the model of a config without consent, unless
 * another one is named. Throws the fault of the plugin, `TH_UNTRUSTED` and `TH_STALE`.
 */
export function assertConsented({ report, personality }: FolderConfig, { model }: ConfigFlags): void {
  const isMissing = ({ code }: HookError): boolean => code === 'TH_UNTRUSTED' || code === 'TH_STALE';
  const listed = personality?.personality.plugins ?? [];
  const missing = report.plugins.flatMap(({ id, fault }) =>
    fault !== undefined && id !== undefined && listed.includes(id) ? [fault] : [],
  );
  const ofModel = model === undefined && personality?.personality.model === undefined;
  const fault = missing[0] ?? (ofModel ? report.notices.find(isMissing) : undefined);
  if (fault !== undefined) throw fault;
}

/**
 * Refuses a run without a plugin that the config names and the personality lists: one that was loaded, and whose setup
 * failed. Throws its fault, or `TH_PLUGIN_FAILED`.
 */
export function assertSetUp({ report, personality }: FolderConfig, failed: readonly FailedPlugin[]): void {
  const listed = personality?.personality.plugins ?? [];
  const lost = failed.find(({ id }) => listed.includes(id) && report.plugins.some((one) => one.id === id));
  if (lost === undefined) return;
  const { id, error } = lost;
  throw new HookError('TH_PLUGIN_FAILED', {
    plugin: id,
    what: textOf(isHookError(error) ? error.message : error),
    cause: error,
  });
}

/** What is told of it on stderr; the want of a consent is a refusal, or of nothing that is used. */
export const configNotices = ({ report }: FolderConfig): readonly HookError[] =>
  report.notices.filter((notice) => isHookError(notice) && notice.code === 'TH_PLUGIN_TWICE');
